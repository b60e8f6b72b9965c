/** Signing in to the console, and what becomes of a session. */
import type { Browser, Page } from 'playwright-core';
import { createKey, revokeKey } from '../../shared/operations/keys';
import { createTenant } from '../../shared/operations/tenants';
import { PERMISSIONS } from '../../shared/domain/api-key';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import type { Demo } from './console-visitor';
import { demoOf, openConsole, sessionOf, signIn } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, launchChromium, openAs, violationsOn } from './reader';

let stack: RunningStack;
let browser: Browser;
let demo: Demo;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  demo = demoOf(stack);
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
});

async function open(path = '', options: object = DESKTOP): Promise<Page> {
  reader = await openConsole(browser, stack, path, options);
  return reader.page;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

it('a person signs in with a key, and sees the only tenant of the organization', async () => {
  const page = await open();
  await heading(page, 'Sign in to the console').waitFor();
  await signIn(page, demo.key);
  await heading(page, 'Overview').waitFor();
  await page.getByText('Organization demo').waitFor();
  await page.getByText('Nothing needs attention.').waitFor();
  await page.waitForURL((url) => url.href === `${stack.baseUrl}/console/overview#tenant=${demo.tenantId}`);
  await page.reload();
  await page.getByText('Nothing needs attention.').waitFor();
});

it('a wrong key is refused, with the trace id of the refusal', async () => {
  const page = await open();
  await page.getByLabel('API key').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('The API key is missing, incorrect or revoked.').waitFor();
  expect(await alert.innerText()).toMatch(/Trace id.*\b[0-9a-f]{32}\b/s);
});

it('leaves the key nowhere in the browser (R-258)', async () => {
  const page = await open();
  await signIn(page, demo.key);
  await heading(page, 'Overview').waitFor();
  const state = JSON.stringify(await page.context().storageState({ indexedDB: true }));
  expect(state).not.toContain(demo.key);
  const kept = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
  );
  expect(kept).not.toContain(demo.key);
  expect(await page.evaluate(() => document.cookie)).toBe('');
});

it('signing out ends the session', async () => {
  const page = await open('/runs', { ...DESKTOP, storageState: await sessionOf(browser, stack, demo.key) });
  await page.getByText('There is no run yet.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in to the console').waitFor();
  await page.waitForURL((url) => url.href === `${stack.baseUrl}/console`); // the next one to sign in may have other tenants
  expect(await page.getByText('There is no run yet.').count()).toBe(0);
  await page.reload();
  await heading(page, 'Sign in to the console').waitFor();
});

it('a key that is revoked while a page is open ends there, and another one goes on at the same place', async () => {
  const operator = operatorOf(stack);
  try {
    const { key, keyId } = await createKey({ organization: 'demo', permissions: PERMISSIONS }, operator);
    const page = await open(`/runs#tenant=${demo.tenantId}`);
    await signIn(page, key);
    await page.getByText('There is no run yet.').waitFor();
    await revokeKey(keyId, operator);
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('Your session has ended.').waitFor();
    const url = page.url();
    expect(url).toContain('status=failed');
    await signIn(page, demo.key);
    await page.getByText('No run has this status.').waitFor();
    expect(page.url()).toBe(url);
  } finally {
    await operator.close();
  }
});

it('shows the pages that the key may use, and says which permission another one needs', async () => {
  const operator = operatorOf(stack);
  try {
    const { key } = await createKey({ organization: 'demo', permissions: ['records'] }, operator);
    const page = await open();
    await signIn(page, key);
    await heading(page, 'Overview').waitFor();
    await page.goto(`${stack.baseUrl}/console/transfers#tenant=${demo.tenantId}`);
    await page.getByText('Your key lacks the permission transfers').waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(['Overview', 'Records', 'Keys', 'Tenants']); // prettier-ignore
  } finally {
    await operator.close();
  }
});

it('a page whose session was replaced in another tab goes on with the new one', async () => {
  const page = await open(`/preview#tenant=${demo.tenantId}`);
  await signIn(page, demo.key);
  await heading(page, 'Preview').waitFor();
  const other = await page.context().newPage();
  await other.goto(`${stack.baseUrl}/console`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await signIn(other, demo.key);
  await page.getByLabel('Bucket').fill('two-tabs');
  await page.getByRole('button', { name: 'Preview' }).click();
  await heading(page, 'Run').waitFor();
  await page.getByText('two-tabs', { exact: true }).waitFor();
});

it('a page whose session was replaced by that of another key does nothing under it, and begins anew (R-315)', async () => {
  const operator = operatorOf(stack);
  try {
    const organization = 'in-the-other-tab';
    const tenantId = '55555555-5555-4555-8555-555555555555';
    await createTenant({ id: tenantId, organization, defaultLanguage: 'en' }, operator);
    const { key } = await createKey({ organization, permissions: PERMISSIONS }, operator);
    const page = await open(`/preview#tenant=${demo.tenantId}`);
    await signIn(page, demo.key);
    const other = await page.context().newPage();
    await other.goto(`${stack.baseUrl}/console`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signIn(other, key);
    await page.getByLabel('Bucket').fill('not-mine');
    await page.getByLabel('Rows of each file').fill('7');
    const previews: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/preview') && request.method() === 'POST') previews.push(request.url());
    });
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText(`Organization ${organization}`).waitFor();
    await page.waitForURL(`${stack.baseUrl}/console/overview#tenant=${tenantId}`);
    await page.getByRole('navigation').getByRole('link', { name: 'Preview' }).click();
    for (const label of ['Bucket', 'Rows of each file']) expect(await page.getByLabel(label).inputValue()).toBe('');
    expect(previews).toHaveLength(1); // which was refused: it showed the token of the session before
  } finally {
    await operator.close();
  }
});

describe('what was typed', () => {
  /** A form that is filled in, and then the session ends. */
  async function endAtForm(): Promise<Page> {
    const page = await open(`/preview#tenant=${demo.tenantId}`);
    await signIn(page, demo.key);
    await page.getByLabel('Bucket').fill('typed-before');
    await page.getByLabel('Rows of each file').fill('7');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Bucket' }).count()).toBe(0); // nothing of the page can be reached
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await heading(page, 'Sign in to the console').waitFor();
    return page;
  }

  it('is there again when the same key signs in (R-315)', async () => {
    const page = await endAtForm();
    expect(await violationsOn(page)).toEqual([]);
    await signIn(page, demo.key);
    expect(await page.getByLabel('Rows of each file').inputValue()).toBe('7');
    await page.getByRole('button', { name: 'Preview' }).click();
    await heading(page, 'Run').waitFor();
  });

  it('is there again also in a dialog, which the sign-in covers (R-315)', async () => {
    const page = await open(`/preview#tenant=${demo.tenantId}`);
    await signIn(page, demo.key);
    await page.getByRole('button', { name: `Tenant ${demo.tenantId}` }).click();
    const search = page.getByLabel('Search by id or name');
    await search.fill(demo.tenantId.slice(0, 8));
    await page.context().clearCookies();
    await search.fill('nobody');
    await page.evaluate(() => document.querySelector<HTMLAnchorElement>('nav a[href*="/runs"]')?.click());
    await page.getByText('Your session has ended.').waitFor();
    await signIn(page, demo.key);
    expect(await search.inputValue()).toBe('nobody');
  });

  it('is not shown to another key (R-315)', async () => {
    const operator = operatorOf(stack);
    try {
      const { key } = await createKey({ organization: 'demo', permissions: PERMISSIONS }, operator);
      const page = await endAtForm();
      await signIn(page, key);
      expect(await page.getByLabel('Rows of each file').inputValue()).toBe(''); // the address has the bucket
    } finally {
      await operator.close();
    }
  });
});

it('a second cookie of the name, as another page of the domain may set one, is told with what to do (R-311)', async () => {
  const page = await open();
  const url = `${stack.baseUrl}/console/session`;
  await page.context().addCookies([{ name: 'console', value: 'x', path: '/console', domain: '127.0.0.1' }]);
  await page.context().addCookies([{ name: 'console', value: 'y', path: '/console/session', domain: '127.0.0.1' }]);
  await page.goto(`${stack.baseUrl}/console`);
  await page.getByText('Delete the cookies of this site in the browser').waitFor();
  expect((await page.request.get(url)).status()).toBe(401);
  await page.context().clearCookies();
  await signIn(page, demo.key);
  await heading(page, 'Overview').waitFor();
});

it("shows nothing of another organization's tenant, whatever the address says", async () => {
  const foreign = '99999999-9999-4999-8999-999999999999';
  const operator = operatorOf(stack);
  try {
    await createTenant({ id: foreign, organization: 'other', defaultLanguage: 'en' }, operator);
  } finally {
    await operator.close();
  }
  const session = await sessionOf(browser, stack, demo.key);
  for (const path of ['/transfers', '/runs', '/records#email=a@example.com&']) {
    const at = `${path}${path.includes('#') ? '' : '#'}tenant=${foreign}`;
    const page = await open(at, { ...DESKTOP, storageState: session });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/organization.*\b[0-9a-f]{32}\b/s);
    await reader.close();
  }
});

describe('the operators’ console', () => {
  it('is opened by its printed address, and has the tenants of all organizations, and no page to send (R-260)', async () => {
    const operator = operatorOf(stack);
    const tenantId = '77777777-7777-4777-8777-777777777777';
    try {
      await createTenant({ id: tenantId, organization: 'looked-at', defaultLanguage: 'en' }, operator);
    } finally {
      await operator.close();
    }
    const [, url = ''] = /^Operators’ console +(\S+)/m.exec(stack.output) ?? [];
    reader = await openAs(browser, url, DESKTOP);
    const { page } = reader;
    await page.getByText('Operator of stack-test').waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'Overview',
      'Transfers',
      'Runs',
      'Preview',
      'Records',
      'Keys',
      'Tenants',
      'Log',
    ]);
    await page.getByRole('navigation').getByRole('link', { name: 'Transfers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a tenant' });
    await dialog.getByText('demo', { exact: true }).waitFor();
    await dialog.getByLabel('Search by id or name').fill('looked-at');
    await dialog.getByRole('button', { name: tenantId }).click();
    await page.getByText('There is no daily transfer.').waitFor();
    expect(reader.complaints).toEqual([]);
    await reader.close();

    reader = await openAs(browser, `${new URL(url).origin}/console`, DESKTOP);
    await reader.page.getByText('This console is opened by a command').waitFor();
  });
});
