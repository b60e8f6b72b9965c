/** What operators mend on their first page: dead letters, and deletions that were set aside. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { deletionPath, setAsideDeletionPath } from '../../shared/documents/paths';
import { toDeletionId } from '../../shared/domain/deletion';
import { orderRecordId } from '../../shared/domain/identity';
import { discardDeadLetters } from '../../shared/operations/dead-letters/dead-letters';
import { createTenant } from '../../shared/operations/tenants';
import { aDeadLetter } from '../support/memory-dead-letters';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import { operatorSessionOf, region, screenshot } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, expectRows, launchChromium, OPPOSITE_LOOKS, openAs, violationsOn } from './reader';

const MARKUP = '<img src=x onerror=document.title=1>';
const GOOD = '33333333-3333-4333-8333-333333333333';
const BAD = '44444444-4444-4444-8444-444444444444';
/** Has nothing that is pending: its replay is handled, and changes nothing. */
const EVENT = JSON.stringify({ tenantId: GOOD, deletionIds: [toDeletionId('orders', orderRecordId('gone'))] });
const PROJECT = 'stack-test';

let stack: RunningStack;
let browser: Browser;
let operator: ReturnType<typeof operatorOf>;
let operators: Awaited<ReturnType<typeof operatorSessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  operators = await operatorSessionOf(browser, stack);
  operator = operatorOf(stack);
  for (const id of [GOOD, BAD]) await createTenant({ id, organization: 'demo', defaultLanguage: 'en' }, operator);
});
afterAll(() => Promise.all([stack.stop(), browser.close(), operator.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
  expect(reader.complaints).toEqual([]);
});

async function open(options: BrowserContextOptions = DESKTOP, fragment = ''): Promise<Page> {
  const url = `${operators.origin}/console/overview${fragment}`;
  reader = await openAs(browser, url, { ...options, storageState: operators.session });
  return reader.page;
}

/** @param functions those that have rejected a message each; an unknown one cannot be replayed */
async function reject(...functions: readonly string[]): Promise<void> {
  for (const name of functions)
    await operator.deadLetters.publish(operator.config.topics.deadLetters, aDeadLetter('1', name, EVENT));
}

/** Discards what a test leaves. The page that it has open may hold some of them for a moment more. */
async function discard(count: number): Promise<void> {
  for (let left = count; left > 0;)
    for await (const _ of discardDeadLetters({ ids: [], all: true }, operator)) left -= 1;
}

/** @param targets what is no list can never be applied */
async function setAside(tenantId: string, orderId: string, targets: unknown): Promise<void> {
  const id = toDeletionId('orders', orderRecordId(orderId));
  const [acceptedAt, setAsideAt] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-01T10:01:00Z')];
  const path = deletionPath(tenantId, id);
  const data = { path, entry: { targets, acceptedAt } as never, reason: `Error: ${MARKUP}`, setAsideAt };
  await operator.store.writeEach(
    [{ set: setAsideDeletionPath(tenantId, `${id}.${acceptedAt.getTime()}`), data }],
    operator.deadline(),
  );
}

const applicable = (orderId: string) => [
  { target: { type: 'order', orderId }, acceptedAt: new Date('2026-03-01T10:00:00Z') },
];

/** Waits until a table has no more than so many rows, with that of its heads. */
async function expectFewer(table: Locator, count: number): Promise<void> {
  await table.getByRole('row').nth(count).waitFor({ state: 'detached' });
  await expectRows(table, count);
}

const letterTable = (page: Page) => region(page, 'Table of dead letters');
const asideTable = (page: Page) => region(page, 'Deletions that cannot be applied');

describe('dead letters', () => {
  it('are replayed: one by the keyboard, then all, and what cannot be replayed is told and stays (R-402)', async () => {
    await reject('deletion-consumer', 'deletion-consumer', 'deletion-consumer', 'somebody');
    const page = await open();
    await expectRows(letterTable(page), 5);
    const id = await letterTable(page).getByRole('row').nth(1).locator('code').innerText();
    const replay = page.getByRole('button', { name: `Replay ${id}`, exact: true });
    await replay.press('Enter');
    await page.getByText('Replayed: 1.').waitFor();
    await page.getByText('Dead letters: 3. The oldest').waitFor();
    expect(await replay.count()).toBe(0);
    await page.getByRole('button', { name: 'Replay all' }).click();
    await page.getByText(/Replayed: 2\. \d+ cannot be replayed: no function .* It is still there\./).waitFor();
    await expectFewer(letterTable(page), 2);
    await page.getByRole('button', { name: 'Replay all' }).click();
    const alert = region(page, 'Dead letters').getByRole('alert');
    expect(await alert.innerText()).toMatch(/cannot be replayed.*Trace id/s);
    reader.complaints.length = 0; // Chromium reports every 409
    await discard(1);
  });

  it('are discarded when the project’s name is typed, and not before (R-402)', async () => {
    await reject('deletion-consumer', 'somebody');
    const page = await open();
    await expectRows(letterTable(page), 3);
    await page
      .getByRole('button', { name: /^Discard \d+$/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Discard dead letters' });
    await dialog.getByText('Messages that are removed for good: 1.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Discard' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard those shown' }).click();
    await dialog.getByText('Messages that are removed for good: 2.').waitFor();
    await screenshot(page, 'mend discard');
    await dialog.getByLabel(`Type ${PROJECT} to confirm`).fill(PROJECT);
    await page.keyboard.press('Enter');
    await page.getByText('Discarded: 2.').waitFor();
    await page.getByText('There is no dead letter.').waitFor();
    await page.getByText('Discarded: 2.').waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Discarded: 2.').waitFor({ state: 'detached' });
  });
});

describe('deletions that were set aside', () => {
  it('are retried: of one tenant, then of all that are shown (R-402)', async () => {
    await setAside(GOOD, 'O-1', applicable('O-1'));
    await setAside(GOOD, 'O-2', applicable('O-2'));
    await setAside(BAD, 'O-3', 'none');
    const page = await open();
    await expectRows(asideTable(page), 3);
    expect(await page.locator('main').locator('img').count()).toBe(0);
    await page.getByRole('button', { name: `Retry ${GOOD}` }).press('Enter');
    await page.getByText('Retried: 2. Still not applied: 0.').waitFor();
    await expectFewer(asideTable(page), 2);
    await setAside(GOOD, 'O-1', applicable('O-1'));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Retry those of all tenants shown' }).click();
    await page.getByText('Retried: 2. Still not applied: 1.').waitFor();
    await asideTable(page).getByText('InapplicableDeletion: It tells no records.').waitFor();
    await expectFewer(asideTable(page), 2);
  });

  it('are retried on the overview of a tenant, too, until none waits (R-402)', async () => {
    await setAside(GOOD, 'O-1', applicable('O-1'));
    const page = await open(DESKTOP, `#tenant=${GOOD}`);
    await page.getByRole('button', { name: `Retry ${GOOD}` }).click();
    await page.getByText('Retried: 1. Still not applied: 0.').waitFor();
    await page.getByText('No deletion waits to be applied.').waitFor();
  });

  it('say what went wrong, and what was done before (R-402)', async () => {
    await setAside(GOOD, 'O-1', applicable('O-1'));
    const page = await open();
    await page.route(`**/deletions/${BAD}/retry`, (route) => route.abort());
    await page.getByRole('button', { name: 'Retry those of all tenants shown' }).click();
    await page.getByText('Retried: 1. Still not applied: 0.').waitFor();
    await region(page, 'Deletions that wait').getByRole('alert').first().waitFor();
    await expectFewer(asideTable(page), 2);
    reader.complaints.length = 0; // Chromium reports every failed request
  });
});

describe.each(OPPOSITE_LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  it('axe finds nothing wrong with what was done and is left, and nothing is wider than the window (R-402)', async () => {
    await reject('deletion-consumer', 'transfer-runner');
    await setAside(GOOD, 'O-1', applicable('O-1'));
    const page = await open({ ...size, colorScheme });
    await page.getByRole('button', { name: `Retry ${BAD}` }).click();
    await page.getByText(/^Retried: 1/).waitFor();
    await page
      .getByRole('button', { name: /^Discard \d+$/ })
      .first()
      .click();
    await page.getByLabel(`Type ${PROJECT} to confirm`).fill(PROJECT);
    await screenshot(page, `mend dialog ${device} ${colorScheme}`);
    await page.keyboard.press('Enter');
    await page.getByText('Discarded: 1.').waitFor();
    await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
    await screenshot(page, `mend ${device} ${colorScheme}`);
    expect(await violationsOn(page)).toEqual([]);
    const overflow = await page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(overflow).toBe(0);
  });
});
