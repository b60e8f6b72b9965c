/** The operators' page Log: who did what. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { entryIdAt, toEntryWrite } from '../../shared/audit/entry';
import { DEFAULT_AUDIT_ENTRIES } from '../../shared/limits/audit';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import { demoOf, openConsole, operatorSessionOf, region, screenshot, sessionOf } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, launchChromium, OPPOSITE_LOOKS, openAs, violationsOn } from './reader';

const MARKUP = '<b onclick=x>Eve</b>';
const ERASED = '55555555-5555-4555-8555-555555555555';

let stack: RunningStack;
let browser: Browser;
let operators: Awaited<ReturnType<typeof operatorSessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  operators = await operatorSessionOf(browser, stack);
  const operator = operatorOf(stack);
  const entryAt = (at: Date, n: number, act: Parameters<typeof toEntryWrite>[1], actor: string) =>
    toEntryWrite(entryIdAt(at, n.toString(16).padStart(12, '0')), act, { at, actor, door: 'console', outcome: 'done' });
  const long = new Date('2026-01-05T10:00:00Z');
  const update = {
    action: 'tenants.update',
    tenantId: ERASED,
    organizationId: MARKUP,
    before: { requiredCustomerFields: [], defaultLanguage: 'en' },
    after: { requiredCustomerFields: ['Language', MARKUP], defaultLanguage: null },
  } as const;
  try {
    await operator.store.writeEach(
      [
        entryAt(new Date('2026-02-01T10:00:00Z'), 1, update, MARKUP),
        ...Array.from({ length: DEFAULT_AUDIT_ENTRIES }, (_, n) =>
          entryAt(long, n, { action: 'keys.create', organizationId: 'many', keyId: `key_${n}` }, 'ada@example.com'),
        ),
      ],
      operator.deadline(),
    );
  } finally {
    await operator.close();
  }
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
  expect(reader.complaints).toEqual([]);
});

async function open(fragment = '', options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const url = `${operators.origin}/console/log${fragment}`;
  reader = await openAs(browser, url, { ...options, storageState: operators.session });
  return reader.page;
}

const rows = (page: Page) => region(page, 'Table of entries').getByRole('row');

it('shows the newest entries first, with what was before and after, and times in UTC for who points at them (R-352)', async () => {
  const page = await open(`#tenant=${ERASED}`);
  await rows(page).nth(1).waitFor();
  expect(await rows(page).count()).toBe(2);
  const row = rows(page).nth(1);
  const changes = await row.getByRole('listitem').allInnerTexts();
  expect(changes.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    `requiredCustomerFields [] → became ["Language",${JSON.stringify(MARKUP)}]`,
    'defaultLanguage en → became none',
  ]);
  expect(await row.getByRole('time').getAttribute('title')).toBe('2026-02-01 10:00:00 UTC');
  expect(await row.getByRole('link', { name: ERASED }).getAttribute('href')).toBe(`/console/overview#tenant=${ERASED}`);
  expect(await row.innerText()).toContain(MARKUP);
  expect(await page.locator('main').locator('b').count()).toBe(0);
});

it('comes page by page (R-352)', async () => {
  const page = await open();
  await rows(page).nth(1).waitFor();
  expect(await rows(page).count()).toBe(DEFAULT_AUDIT_ENTRIES + 1);
  await page.getByRole('button', { name: 'Show more entries' }).click();
  await rows(page).nth(DEFAULT_AUDIT_ENTRIES + 1).waitFor(); // prettier-ignore
});

it('is filtered by tenant, actor and day, which are in the address (R-352)', async () => {
  const page = await open();
  await page.getByLabel('Who').fill(MARKUP);
  await page.getByLabel('Since').fill('2026-01-31');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL(/since=2026-01-31/);
  await page.getByText('tenants.update').waitFor();
  expect(await rows(page).count()).toBe(2);
  await page.reload();
  await page.getByText('tenants.update').waitFor();
  expect(await page.getByLabel('Who').inputValue()).toBe(MARKUP);
  await page.getByLabel('Since').fill('2026-02-03');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('No entry matches.').waitFor();
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Show more entries' }).waitFor();
  expect(await page.getByLabel('Who').inputValue()).toBe('');
});

it('says at its field which tenant is none (R-352)', async () => {
  const page = await open('#tenant=nobody');
  await page.getByText('tenant must be the GUID of a tenant.').first().waitFor();
  expect(await page.getByLabel('Tenant', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  reader.complaints.length = 0; // Chromium reports every 400
});

it('is no page of tenants (R-352)', async () => {
  const demo = demoOf(stack);
  const storageState = await sessionOf(browser, stack, demo.key);
  reader = await openConsole(browser, stack, '/log', { ...DESKTOP, storageState });
  await reader.page.getByText('This page is for the operators of the service.').waitFor();
  expect(await reader.page.getByRole('navigation').getByRole('link', { name: 'Log' }).count()).toBe(0);
});

describe.each(OPPOSITE_LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  it('axe finds nothing wrong, and nothing is wider than the window', async () => {
    const page = await open('', { ...size, colorScheme });
    await rows(page).nth(1).waitFor();
    await screenshot(page, `log ${device} ${colorScheme}`);
    expect(await violationsOn(page)).toEqual([]);
    const overflow = await page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(overflow).toBe(0);
  });
});
