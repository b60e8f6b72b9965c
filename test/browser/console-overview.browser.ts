/** The first page of the console: what tenants and operators see of what came, and what needs attention. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { setAsideDeletionPath, tenantPath } from '../../shared/documents/paths';
import { NO_USAGE } from '../../shared/domain/usage';
import { USAGE_PART_TENANTS } from '../../shared/limits/usage';
import { createKey, revokeKey } from '../../shared/operations/keys';
import { createTenant } from '../../shared/operations/tenants';
import { toUsageWrite } from '../../shared/usage/usage-documents';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import { aRun, putRun } from '../support/stored-run';
import type { Demo } from './console-visitor';
import { demoOf, openConsole, operatorSessionOf, region, screenshot, sessionOf } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, expectRows, launchChromium, OPPOSITE_LOOKS, openAs, PHONE, violationsOn } from './reader';

const MARKUP = '<img src=x onerror=document.title=1>';
const OTHER = '33333333-3333-4333-8333-333333333333';
const EMPTY = '44444444-4444-4444-8444-444444444444';
const KEY_ID = 'key_1a2b3c4d5e6f7a8b';
const HOUR_MS = 3_600_000;

let stack: RunningStack;
let browser: Browser;
let demo: Demo;
let session: Awaited<ReturnType<typeof sessionOf>>;
let operators: Awaited<ReturnType<typeof operatorSessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  demo = demoOf(stack);
  session = await sessionOf(browser, stack, demo.key);
  operators = await operatorSessionOf(browser, stack);
  const operator = operatorOf(stack);
  try {
    await createTenant({ id: OTHER, organization: MARKUP, defaultLanguage: 'en' }, operator);
    await createTenant({ id: EMPTY, organization: 'demo', defaultLanguage: 'en' }, operator);
    const nowMs = Date.now();
    const usage = (tenantId: string, hoursAgo: number, records: number) => {
      const hourMs = Math.floor(nowMs / HOUR_MS - hoursAgo) * HOUR_MS;
      const counts = { ...NO_USAGE, requests: hoursAgo, records, errors: 1, limited: 1 };
      return toUsageWrite(tenantId, `h${hoursAgo}`, [{ hourMs, keyId: KEY_ID, route: 'upsertCustomers', counts }]);
    };
    const runOf = (tenantId: string, minutesAgo: number, changes: Parameters<typeof aRun>[1]) => {
      const startedAt = new Date(nowMs - minutesAgo * 60_000);
      const id = `${startedAt.toISOString().slice(0, 19).replace(/\D/g, '')}-${tenantId}`;
      return putRun(id, aRun(tenantId, { startedAt, finishedAt: startedAt, ...changes }));
    };
    await operator.store.commit(
      [
        runOf(demo.tenantId, 9, { status: 'failed', error: MARKUP }),
        runOf(demo.tenantId, 5, { status: 'succeeded' }),
        runOf(OTHER, 3, { status: 'failed', error: 'The bucket does not exist.' }),
      ],
      operator.deadline(),
    );
    await operator.store.writeEach(
      [
        ...[1, 2, 3, 5, 8].map((hours) => usage(demo.tenantId, hours, hours * 1_000)),
        usage(OTHER, 2, 1),
        { set: setAsideDeletionPath(OTHER, 'orders-x.1'), data: { reason: `Error: ${MARKUP}` } },
        // More tenants than one part of the sums has.
        ...Array.from({ length: USAGE_PART_TENANTS }, (_, n) => ({
          set: tenantPath(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
          data: { organizationId: 'many' },
        })),
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

async function openAsTenant(
  tenantId = demo.tenantId,
  options: BrowserContextOptions = DESKTOP,
  range = '24h',
): Promise<Page> {
  const at = `/overview#tenant=${tenantId}&range=${range}`;
  reader = await openConsole(browser, stack, at, { ...options, storageState: session });
  return reader.page;
}

async function openAsOperator(fragment = '', options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const url = `${operators.origin}/console/overview${fragment}`;
  reader = await openAs(browser, url, { ...options, storageState: operators.session });
  return reader.page;
}

/** Waits until everything was looked at and added up. */
async function wholeOverview(page: Page): Promise<void> {
  await page.getByText('The same as a table').waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
}

describe('a tenant', () => {
  it('sees what came by the hour: by pointing, by keys, and as a table (R-353)', async () => {
    const page = await openAsTenant();
    const chart = page.getByRole('slider', { name: 'Records stored by hour' });
    await chart.waitFor();
    expect(await chart.getAttribute('aria-valuetext')).toBe('in all: 19,000');
    await chart.focus();
    await page.keyboard.press('End');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d: 0$/);
    await page.keyboard.press('ArrowLeft');
    // Another hour may have begun.
    if ((await chart.getAttribute('aria-valuetext'))?.endsWith(': 0')) await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 1,000$/);
    // The other charts are at the same hour.
    const requests = page.getByRole('slider', { name: 'Requests by hour' });
    expect(await requests.getAttribute('aria-valuetext')).toMatch(/: 1$/);
    await page.keyboard.press('Escape');
    expect(await requests.getAttribute('aria-valuetext')).toMatch(/^in all: \d+$/);
    const { x = 0, y = 0, width = 0 } = (await chart.boundingBox()) ?? {};
    await page.mouse.move(x + width - 6, y + 60);
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/\d: 0$/);
    await page.getByText('The same as a table').click();
    const table = region(page, 'Table of usage');
    await expectRows(table, 26);
    const hour = table.getByRole('row').filter({ hasText: '1,000' });
    expect(await hour.innerText()).toMatch(/:\d\d\s+1\s+1,000\s+0\s+1\s+1\s+0/);
  });

  it('touches an hour on a phone to see its count (R-353)', async () => {
    const page = await openAsTenant(demo.tenantId, PHONE);
    const chart = page.getByRole('slider', { name: 'Errors by hour' });
    await chart.scrollIntoViewIfNeeded();
    const { width = 0 } = (await chart.boundingBox()) ?? {};
    await chart.tap({ position: { x: width - 6, y: 60 } });
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/\d: 0$/);
  });

  it('chooses the time, which is in the address (R-353)', async () => {
    const page = await openAsTenant();
    await page.getByLabel('Time', { exact: true }).selectOption('The last 90 days, by day');
    await page.getByRole('slider', { name: 'Requests by day' }).waitFor();
    await page.waitForURL(/#tenant=.*&range=90d$/);
    await page.getByText('Loading …').first().waitFor({ state: 'detached' }); // what a reload cuts off is a complaint
    await page.reload();
    await page.getByRole('slider', { name: 'Requests by day' }).waitFor();
    await page.getByText('The same as a table').click();
    await expectRows(region(page, 'Table of usage'), 92);
  });

  it('sees what needs attention, and the last runs (R-350)', async () => {
    const page = await openAsTenant();
    const attention = region(page, 'Needs attention');
    await attention.getByText('Of the last 2 runs, 1 failed.').waitFor();
    await attention.getByText(`${KEY_ID} was over its limit: 5 requests were refused.`).waitFor();
    await expectRows(region(page, 'Table of runs'), 3);
    await attention.getByRole('link', { name: 'See them' }).click();
    await page.waitForURL(/\/runs#tenant=.*&status=failed$/);
  });

  it('is told what to do first where nothing has come (R-350)', async () => {
    const page = await openAsTenant(EMPTY);
    await page.getByText('Nothing has come yet.').waitFor();
    await page.getByText('Nothing needs attention.').waitFor();
    expect(await page.getByRole('link', { name: 'send a record' }).getAttribute('href')).toBe(
      `/console/send#tenant=${EMPTY}`,
    );
    await page.getByRole('link', { name: 'register a bucket' }).click();
    await page.getByRole('heading', { name: 'Register a daily transfer' }).waitFor();
  });

  it('is told of keys of the organization that end soon (R-350)', async () => {
    const operator = operatorOf(stack);
    try {
      const expires = new Date(Date.now() + 72 * HOUR_MS);
      const { keyId } = await createKey({ organization: 'demo', name: MARKUP, expires }, operator);
      const page = await openAsTenant(EMPTY);
      await page.getByText('Keys that end within 14 days: 1.').waitFor();
      const link = page.getByRole('link', { name: 'See the keys' });
      expect(await link.getAttribute('href')).toBe(`/console/keys#tenant=${EMPTY}`);
      await revokeKey(keyId, operator);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('Nothing needs attention.').waitFor();
    } finally {
      await operator.close();
    }
  });

  it('asks for few things, each once, whatever there is (R-354)', async () => {
    const page = await openAsTenant();
    await wholeOverview(page);
    const asked = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).pathname.replace(/[0-9a-f-]{36}/, '<tenant>'))
        .filter((path) => path.startsWith('/console/api') || path.startsWith('/console/management')),
    );
    expect(asked.sort()).toEqual([
      '/console/api/ingestion/google-cloud-storage/runs',
      '/console/api/ingestion/google-cloud-storage/transfers',
      '/console/api/usage/<tenant>',
      '/console/management/keys',
    ]);
  });
});

describe('an operator', () => {
  it('sees the sums of all tenants, those who stand out, and what waits (R-351)', async () => {
    const page = await openAsOperator();
    await wholeOverview(page);
    await page.getByText(`Of ${USAGE_PART_TENANTS + 3} tenants,`).waitFor();
    const chart = page.getByRole('slider', { name: 'Records stored by hour' });
    expect(await chart.getAttribute('aria-valuetext')).toBe('in all: 19,001');
    const top = region(page, 'Most by: Records stored').getByRole('row');
    expect(await top.nth(1).innerText()).toMatch(new RegExp(`${demo.tenantId}\\s+demo\\s+19,000`));
    expect(await top.nth(2).innerText()).toContain(MARKUP);
    await page.getByText('Runs have failed: the last of them are below.').waitFor();
    await expectRows(region(page, 'Failed runs'), 3);
    expect(await region(page, 'Failed runs').getByRole('row').nth(1).innerText()).toMatch(/\s2\s+1\s+0\s+0\s+1\s/);
    await page.getByText(`Error: ${MARKUP}`).waitFor();
    await page.getByText('There is no dead letter.').waitFor();
    expect(await page.locator('main').locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Overview · Console');
  });

  it('goes from a tenant that stands out to its overview, and back to all (R-351)', async () => {
    const page = await openAsOperator();
    await wholeOverview(page);
    await region(page, 'Most by: Requests').getByRole('link', { name: demo.tenantId }).click();
    await page.getByText('Of the last 2 runs, 1 failed.').waitFor();
    await page.getByRole('link', { name: 'All tenants' }).click();
    await page.getByText(/tenants, \d were active/).waitFor();
  });

  it('has a long time of all tenants added up when he asks for it (R-351)', async () => {
    const page = await openAsOperator('#range=30d');
    await page.getByText('There is no dead letter.').waitFor();
    expect(await page.getByRole('slider').count()).toBe(0);
    await page.getByRole('button', { name: 'Add it up' }).click();
    await page.getByRole('slider', { name: 'Requests by day' }).waitFor();
  });
});

it('tells an operator of keys of all organizations that nobody uses or that end soon, and leads to them (R-400)', async () => {
  const operator = operatorOf(stack);
  try {
    const expires = new Date(Date.now() + 72 * HOUR_MS);
    const { keyId } = await createKey({ organization: MARKUP, name: MARKUP, expires }, operator);
    const page = await openAsOperator();
    await page.getByText('Keys that end within 14 days: 1.').waitFor();
    const table = region(page, 'Table of keys that end soon');
    expect(await table.getByRole('row').nth(1).innerText()).toContain(keyId);
    expect(await page.locator('main').locator('img').count()).toBe(0);
    await screenshot(page, 'overview keys to look at');
    await table.getByRole('link', { name: MARKUP }).click();
    await region(page, 'Table of keys').getByText(keyId).waitFor();
    expect(await page.getByLabel('Organization').inputValue()).toBe(MARKUP);
    await revokeKey(keyId, operator);
  } finally {
    await operator.close();
  }
});

describe.each(OPPOSITE_LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  it.each([
    ['a tenant’s', () => openAsTenant(demo.tenantId, { ...size, colorScheme })],
    ['an empty tenant’s', () => openAsTenant(EMPTY, { ...size, colorScheme })],
    ['a week of a tenant’s', () => openAsTenant(demo.tenantId, { ...size, colorScheme }, '7d')],
    ['the operator’s', () => openAsOperator('', { ...size, colorScheme })],
  ])('axe finds nothing wrong with %s overview, and nothing is wider than the window', async (whose, open) => {
    const page = await open();
    await wholeOverview(page);
    await screenshot(page, `overview ${whose} ${device} ${colorScheme}`);
    await page.getByText('The same as a table').click();
    await page.getByRole('slider').first().focus();
    await page.keyboard.press('End');
    expect(await violationsOn(page)).toEqual([]);
    const overflow = await page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(overflow).toBe(0);
  });
});
