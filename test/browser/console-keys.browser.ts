/** The page Keys: what those who look after an organization's keys do there, and what operators do. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { apiKeyPath } from '../../shared/documents/paths';
import type { Permission } from '../../shared/domain/api-key';
import { hashApiKey } from '../../shared/domain/api-key';
import type { NewKey } from '../../shared/operations/keys';
import { createKey } from '../../shared/operations/keys';
import { createTenant } from '../../shared/operations/tenants';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import { openConsole, region, screenshot, sessionOf, signIn } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, launchChromium, OPPOSITE_LOOKS, openAs, PHONE, violationsOn } from './reader';

const DAY_MS = 86_400_000;
const MARKUP = '<img src=x onerror=document.title=1>"><b>';
const ORGANIZATION = 'keys-test';
const SETTINGS: readonly Permission[] = ['customers', 'orders', 'settings'];

let stack: RunningStack;
let browser: Browser;
let operator: ReturnType<typeof operatorOf>;
let tenantId: string;
let holder: NewKey;
let session: Awaited<ReturnType<typeof sessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  operator = operatorOf(stack);
  ({ tenantId } = await createTenant({ organization: ORGANIZATION, defaultLanguage: 'en' }, operator));
  holder = await give('Office', SETTINGS);
  await give(MARKUP, ['orders']);
  session = await sessionOf(browser, stack, holder.key);
});
afterAll(async () => {
  await operator.close();
  await Promise.all([stack.stop(), browser.close()]);
});

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
});

function give(name: string, permissions: readonly Permission[], options: { expires?: Date } = {}): Promise<NewKey> {
  return createKey({ organization: ORGANIZATION, name, permissions, limit: 50, ...options }, operator);
}

async function open(path = '/keys', options: BrowserContextOptions = DESKTOP): Promise<Page> {
  reader = await openConsole(browser, stack, path, { storageState: session, ...options });
  return reader.page;
}

/** Somebody else who signs in, at the same page. */
async function openWith(key: string): Promise<Page> {
  reader = await openConsole(browser, stack, '/keys', DESKTOP);
  await signIn(reader.page, key);
  return reader.page;
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** What the browser keeps, in its storage, its address and its history. */
async function keptBy(page: Page): Promise<string> {
  const state = await page.context().storageState({ indexedDB: true });
  const more = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href, history.state]),
  );
  return JSON.stringify(state) + more;
}

/** The status of a request with a key. */
async function statusOf(key: string): Promise<number> {
  const answer = await fetch(`${stack.baseUrl}/customers/${tenantId}`, {
    method: 'POST',
    headers: { 'x-service-auth-key': key, 'content-type': 'application/json' },
    body: '[{"CustomerId":"C-1"}]',
  });
  return answer.status;
}

describe('whoever has the permission settings', () => {
  it('generates a key, sees it once and copies it (R-336)', async () => {
    const page = await open('/keys', { ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('link', { name: 'Generate a key' }).click();
    await page.getByLabel('Name').fill('Shop feed');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('permissions must name at least one of').first().waitFor();
    await page.getByLabel('customers').check();
    await page.getByLabel('Requests a minute').fill('51');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('limit must not go beyond what the own key has.').first().waitFor();
    await page.getByLabel('Requests a minute').fill('7');
    await page.getByRole('button', { name: 'Generate' }).click();
    const shown = region(page, 'The new key Shop feed');
    await shown.getByText('It cannot be shown again.').waitFor();
    const key = await shown.locator('code').innerText();
    expect(await statusOf(key)).toBe(200);
    await shown.getByRole('button', { name: 'Copy the key' }).click();
    await shown.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    expect(await keptBy(page)).not.toContain(key);
    const row = rowOf(page, 'Shop feed');
    expect(await row.innerText()).toMatch(/Valid\s+customers\s+7/);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain(key);
    await page.reload();
    await row.waitFor();
    expect(await page.content()).not.toContain(key);
  });

  it('is told that a key may be there whose answer was lost, and finds it (R-336)', async () => {
    const page = await open('/keys#form=new');
    await page.route('**/console/management/keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByLabel('Name').fill('Lost');
    await page.getByLabel('orders').check();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByText('there may be a key that nobody has').waitFor();
    await rowOf(page, 'Lost').waitFor();
    expect(await rowOf(page, 'Lost').count()).toBe(1); // it was sent once
  });

  it('rotates a key, with a moment in the own zone until which both work (R-335)', async () => {
    const { key } = await give('To rotate', ['customers']);
    const page = await open('/keys', { ...DESKTOP, timezoneId: 'Asia/Tokyo' });
    await page.getByRole('button', { name: 'Rotate To rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Asia/Tokyo').first().waitFor();
    const field = dialog.getByLabel('Both work until');
    const given = Date.parse(`${await field.inputValue()}:00+09:00`);
    expect(Math.abs(given - Date.now() - DAY_MS)).toBeLessThan(10 * 60_000);
    const tomorrow = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    await field.fill(`${tomorrow}T09:30`);
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    const shown = region(page, 'The new key To rotate');
    await shown.getByText(`${tomorrow} 09:30:00`).waitFor();
    const successor = await shown.locator('code').innerText();
    expect([await statusOf(key), await statusOf(successor)]).toEqual([200, 200]);
    expect(await rowOf(page, 'To rotate').count()).toBe(2);
    expect(await rowOf(page, 'To rotate').filter({ hasText: 'Ends soon' }).count()).toBe(1);
    const ofSuccessor = rowOf(page, 'To rotate').filter({ hasText: 'Valid' });
    await ofSuccessor.getByRole('button', { name: 'Rotate To rotate' }).click();
    await field.fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
    await dialog.getByText('until must be within the next 90 days').first().waitFor();
  });

  it('revokes a key by typing its name (R-255)', async () => {
    const { key } = await give('To revoke', ['customers']);
    const page = await open();
    await page.getByRole('button', { name: 'Revoke To revoke' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Revoke' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type To revoke to confirm').fill('To revoke');
    await confirm.click();
    await rowOf(page, 'To revoke').getByText('Revoked').waitFor();
    expect(await page.getByRole('button', { name: 'Revoke To revoke' }).count()).toBe(0);
    expect(await statusOf(key)).toBe(401);
  });

  it('is told before that the session ends with the own key (R-335)', async () => {
    const { key } = await give('Mine', SETTINGS);
    const page = await openWith(key);
    await rowOf(page, 'Mine').getByText('You are signed in with it').waitFor();
    await page.getByRole('button', { name: 'Rotate Mine' }).click();
    await page.getByRole('dialog').getByText('Your session ends with it at that moment').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revoke Mine' }).click();
    await page.getByRole('dialog').getByText('your session ends').waitFor();
    await page.getByLabel('Type Mine to confirm').fill('Mine');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Your session has ended.').waitFor();
  });

  it('needs no mouse', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Generate a key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').focus();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    const shown = region(page, 'The new key By keyboard');
    await shown.waitFor();
    expect(await shown.evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.getByRole('button', { name: 'Copy the key' }).evaluate((one) => one.matches(':focus'))).toBe(
      true,
    );
  });
});

it('whoever lacks the permission settings sees the keys, and is told what changes them (R-330)', async () => {
  const { key } = await give('A program', ['orders']);
  const page = await openWith(key);
  await page.getByText('sign in with a key that has the permission settings').waitFor();
  await rowOf(page, 'Office').waitFor();
  expect(await page.getByRole('button', { name: /^(Rotate|Revoke)/ }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Generate a key' }).count()).toBe(0);
});

it('points out keys that nobody uses and keys that end soon, and counts the requests of today (R-337)', async () => {
  const old = await give('Old', ['orders']);
  await give('Ending', ['orders'], { expires: new Date(Date.now() + 13 * DAY_MS) });
  const data = { createdAt: new Date(Date.now() - 31 * DAY_MS) };
  const write = { set: apiKeyPath(hashApiKey(old.key)!), data, fields: ['createdAt'] };
  await operator.store.commit([write], operator.deadline());
  const page = await open();
  await rowOf(page, 'Old').getByText('Unused for 30 days').waitFor();
  await rowOf(page, 'Ending').getByText('Ends soon').waitFor();
  await page.getByText('Requests today').waitFor();
  await page.getByText(/^Requests since \d{4}-\d\d-\d\d 00:00:00 UTC/).waitFor();
});

describe('an operator', () => {
  let at: string;
  let signedIn: BrowserContextOptions['storageState'];
  beforeAll(async () => {
    const [, url = ''] = /^Operators’ console +(\S+)/m.exec(stack.output) ?? [];
    at = `${new URL(url).origin}/console/keys`;
    const first = await openAs(browser, url, DESKTOP);
    await first.page.getByRole('navigation', { name: 'Pages' }).waitFor();
    signedIn = await first.page.context().storageState();
    await first.close();
  });
  const openKeys = async (query = '', options: BrowserContextOptions = DESKTOP) => {
    reader = await openAs(browser, `${at}${query}`, { ...options, storageState: signedIn! });
    return reader.page;
  };

  it('sees the keys of all organizations, then of one, by a link that can be shared', async () => {
    const page = await openKeys();
    await rowOf(page, 'Office').getByRole('link', { name: ORGANIZATION }).click();
    await page.getByText('Requests today').waitFor();
    await page.waitForURL((url) => url.href.includes(`organization=${ORGANIZATION}`));
    await page.reload();
    await rowOf(page, 'Office').waitFor();
    expect(await page.getByLabel('Organization').inputValue()).toBe(ORGANIZATION);
    await page.getByLabel('Organization').fill('nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('The organization nobody has no keys.').waitFor();
    expect(reader.complaints).toEqual([]);
  });

  it('generates a key of any organization, and is told where that has no tenant yet', async () => {
    const page = await openKeys('#form=new&organization=mispelt');
    expect(await page.getByLabel('Organization').last().inputValue()).toBe('mispelt');
    await page.getByLabel('orders').check();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('No tenant belongs to the organization mispelt yet.').waitFor();
  });

  it.each([
    ['a desktop', 'light', DESKTOP],
    ['a phone', 'dark', PHONE],
  ] as const)('finds nothing wrong on %s in %s colours', async (device, colorScheme, size) => {
    const page = await openKeys('', { ...size, colorScheme });
    await rowOf(page, 'Office').waitFor();
    await expectGood(page, `keys of operators ${device} ${colorScheme}`);
  });
});

describe.each(OPPOSITE_LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  it('axe finds nothing wrong, nothing is wider than the window, and markup is text (R-258)', async () => {
    const page = await open('/keys#form=new', { ...size, colorScheme });
    await rowOf(page, MARKUP).first().waitFor();
    await page.getByText('Requests today').waitFor();
    await expectGood(page, `keys ${device} ${colorScheme}`);
    await page.getByLabel('Name').fill(MARKUP);
    await page.getByLabel('orders').check();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('It cannot be shown again.').waitFor();
    await expectGood(page, `a new key ${device} ${colorScheme}`);
    await page
      .getByRole('button', { name: `Rotate ${MARKUP}` })
      .first()
      .click();
    await page.getByLabel('Both work until').waitFor();
    await expectGood(page, `rotation ${device} ${colorScheme}`);
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: `Revoke ${MARKUP}` })
      .first()
      .click();
    await page.getByLabel(`Type ${MARKUP} to confirm`).waitFor();
    await expectGood(page, `revocation ${device} ${colorScheme}`);
    expect(reader.complaints).toEqual([]);
  });
});

it('is not wider than a window of 320 or 1,600 px', async () => {
  const page = await open('/keys#form=new', { viewport: { width: 320, height: 800 } });
  await rowOf(page, 'Office').waitFor();
  for (const width of [320, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await overflow(page)]).toEqual([width, 0]);
  }
});

async function expectGood(page: Page, name: string): Promise<void> {
  await screenshot(page, name);
  expect(await violationsOn(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  expect(await page.locator('main').locator('img, script, b').count()).toBe(0);
  expect(await page.title()).toBe('Keys · Console');
}

function overflow(page: Page): Promise<number> {
  return page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
}
