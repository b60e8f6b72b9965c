/** The page Tenants, for tenants and operators: settings, their meaning, re-keying, creating, suspending, erasing. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createKey } from '../../shared/operations/keys';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import type { Demo } from './console-visitor';
import { demoOf, openConsole, operatorSessionOf, region, screenshot, sessionOf } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, launchChromium, OPPOSITE_LOOKS, openAs, violationsOn } from './reader';

const MARKUP = '<img src=x onerror=document.title=1>';

let stack: RunningStack;
let browser: Browser;
let demo: Demo;
let session: Awaited<ReturnType<typeof sessionOf>>;
let operators: Awaited<ReturnType<typeof operatorSessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  demo = demoOf(stack);
  const operator = operatorOf(stack);
  try {
    const { key } = await createKey({ organization: 'demo', permissions: ['customers', 'settings'] }, operator);
    session = await sessionOf(browser, stack, key);
  } finally {
    await operator.close();
  }
  operators = await operatorSessionOf(browser, stack);
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
});

async function asTenant(path: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const at = `${path}#tenant=${demo.tenantId}`;
  reader = await openConsole(browser, stack, at, { ...options, storageState: session });
  return reader.page;
}

async function asOperator(path: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  reader = await openAs(browser, `${operators.origin}/console${path}`, { ...options, storageState: operators.session });
  return reader.page;
}

async function create(page: Page, organization: string, name: string): Promise<void> {
  const form = region(page, 'Create tenants');
  await form.getByLabel('Organization').fill(organization);
  await form.getByLabel('Display name').fill(name);
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('1 created, 0 were there already, 0 refused.').waitFor();
}

it('an operator creates a tenant, whose name stays text, finds it, suspends and resumes it (R-343)', async () => {
  const page = await asOperator('/tenants');
  await create(page, 'acme', MARKUP);
  await page.getByLabel('Search').fill(MARKUP.slice(0, 4));
  await page.getByRole('button', { name: 'Find' }).click();
  await region(page, 'Tenants').getByRole('link', { name: MARKUP }).click();
  await page.getByRole('heading', { level: 1, name: 'Tenant' }).waitFor();
  await page.getByText(MARKUP, { exact: true }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The tenant is suspended: its requests are refused').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  expect(reader.complaints).toEqual([]);
});

it('an operator creates the tenants of a file: each line has an answer, and a repeat creates nothing (R-343)', async () => {
  const page = await asOperator('/tenants');
  const rows = Array.from({ length: 60 }, (_, n) => `many,Shop ${n},en`);
  const content = ['organizationId,displayName,defaultLanguage', ...rows, 'many,,en', 'many,Bad,no language'].join(
    '\n',
  );
  const file = { name: 'tenants.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
  await page.getByLabel('Choose a file of tenants').setInputFiles(file);
  await page.getByRole('button', { name: 'Create those of the file' }).click();
  await page.getByText('60 created, 0 were there already, 2 refused.').waitFor();
  await page.getByText('tenantId or displayName is needed, so that a repeat finds the tenant.').waitFor();
  await page.getByRole('button', { name: 'Create those of the file' }).click();
  await page.getByText('0 created, 60 were there already, 2 refused.').waitFor();
  await page.getByLabel('Search').fill('many');
  await page.keyboard.press('Enter');
  await region(page, 'Tenants').getByRole('link', { name: 'Shop 59' }).waitFor();
  await page.waitForURL((url) => url.href.includes('search=many'));
});

it('a tenant learns what a change means before it is saved, and has its records re-keyed (R-341, R-342)', async () => {
  const page = await asTenant(`/tenants/${demo.tenantId}`);
  await page.getByText('All stored records are keyed by the identifiers below.').waitFor();
  expect(await page.getByLabel('Display name').count()).toBe(0);
  await page.getByLabel('Customers are matched by').selectOption('Customer id first');
  await page.getByLabel('Default language').fill('pt-BR');
  await page.getByLabel('GdprOptin').check();
  await page.getByRole('button', { name: 'Review the changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'What changes' });
  await dialog.getByText('Customers are matched by their customer id.').waitFor();
  await dialog.getByText('Customers who are created without a language get pt-BR.').waitFor();
  await dialog.getByText('From now on a customer who is sent without GdprOptin is rejected').waitFor();
  await dialog.getByText(/are looked at, one after the other\. That takes about \d+ min/).waitFor();
  await screenshot(page, 'tenants review');
  expect(await violationsOn(page)).toEqual([]);
  const save = dialog.getByRole('button', { name: 'Save and re-key' });
  expect(await save.isDisabled()).toBe(true);
  const label = dialog.getByLabel(/^Type .* to confirm$/);
  const [, name = ''] = /^Type (.*) to confirm$/.exec(await dialog.locator('label').last().innerText()) ?? [];
  await label.fill(name);
  await save.click();
  await page.getByText('All records were looked at.').waitFor();
  await page.reload();
  await region(page, 'Re-keying').getByText('All records were looked at.').waitFor();
  await region(page, 'Progress of re-keying')
    .getByRole('row', { name: /^Customers/ })
    .waitFor();
  expect(reader.complaints).toEqual([]);
});

it('says at its field what the service refuses', async () => {
  const page = await asTenant(`/tenants/${demo.tenantId}`);
  await page.getByLabel('Default language').fill('not a language');
  await page.getByRole('button', { name: 'Review the changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByLabel('Default language').getAttribute('aria-invalid')).toBe('true');
});

it('who lacks the permission settings reads them, and changes none (R-340)', async () => {
  const operator = operatorOf(stack);
  const { key } = await createKey({ organization: 'demo', permissions: ['customers'] }, operator);
  await operator.close();
  const storageState = await sessionOf(browser, stack, key);
  reader = await openConsole(browser, stack, `/tenants/${demo.tenantId}`, { ...DESKTOP, storageState });
  const { page } = reader;
  await page.getByText('Settings are changed with a key that has the permission settings.').waitFor();
  expect(await page.getByLabel('Customers are matched by').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Review the changes' }).count()).toBe(0);
});

it('an operator sees what would be removed, types the name, and erases; what is left is said (R-344)', async () => {
  let page = await asOperator('/tenants');
  await create(page, 'leaving', 'Leaver');
  await region(page, 'Answers to the lines').getByRole('link').click();
  await page.getByRole('button', { name: 'Show what would be removed' }).click();
  await page.getByRole('button', { name: 'Erase for good' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase Leaver' });
  await dialog.getByLabel('Type Leaver to confirm').fill('Leaver');
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await page.getByRole('heading', { name: 'It is being erased' }).waitFor();
  await page.getByRole('button', { name: 'Go on with erasing' }).waitFor();
  await screenshot(page, 'tenants being erased');
  expect(reader.complaints).toEqual([]);
  await reader.close();
  page = await asOperator('/tenants#search=leav');
  await region(page, 'Tenants').getByText('Being erased').waitFor();
});

describe.each(OPPOSITE_LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  it.each([
    ['tenant list', false, () => '/tenants', 'Active'],
    ['tenant settings', false, () => `/tenants/${demo.tenantId}`, 'Review the changes'],
    ['operator list', true, () => '/tenants', 'Create tenants'],
    ['operator settings', true, () => `/tenants/${demo.tenantId}`, 'Show what would be removed'],
  ])(
    'axe finds nothing wrong with the %s, and nothing is wider than the window',
    async (name, isOperator, path, sign) => {
      const page = await (isOperator ? asOperator : asTenant)(path(), { ...size, colorScheme });
      await page.getByText(sign, { exact: true }).first().waitFor();
      await page.getByText('Loading …').first().waitFor({ state: 'detached' });
      await screenshot(page, `${name} ${device} ${colorScheme}`);
      expect(await violationsOn(page)).toEqual([]);
      expect(await page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      expect(reader.complaints).toEqual([]);
    },
  );
});

it('needs no mouse', async () => {
  const page = await asTenant('/tenants');
  await page.getByLabel('Search').focus();
  await page.keyboard.type(demo.tenantId.slice(0, 8));
  await page.keyboard.press('Enter');
  await region(page, 'Tenants').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('GdprOptin').focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Review the changes' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'What changes' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
