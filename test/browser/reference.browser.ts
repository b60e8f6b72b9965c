/** What a person sees and does at /docs of the local stack. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { RunningStack } from '../support/running-stack';
import { runStack } from '../support/running-stack';
import type { Reader } from './reader';
import { DESKTOP, isOfIcon, launchChromium, LOOKS, openAs, PHONE, violationsOn } from './reader';

let stack: RunningStack;
let browser: Browser;
let tenantId: string;
let key: string;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  tenantId = /^Demo tenant +(\S+)$/m.exec(stack.output)![1]!;
  key = /^Demo key +(\S+)$/m.exec(stack.output)![1]!;
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
});

async function open(options: BrowserContextOptions, fragment = ''): Promise<Page> {
  reader = await openAs(browser, `${stack.baseUrl}/docs${fragment}`, options);
  return reader.page;
}

const operation = (page: Page, operationId: string) => page.locator(`article#${operationId}`);
const form = (page: Page, operationId: string) => page.getByRole('form', { name: `Try ${operationId}` });

async function fillForm(within: Locator, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await within.getByLabel(label).fill(value);
}

async function isInSight(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
}

/** Presses Tab until an element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element.matches(':focus'))) return;
  }
  throw new Error('Sixty presses of Tab did not reach it.');
}

describe.each(LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  const showNavigation = async (page: Page) => {
    if (device === 'a phone') await page.getByRole('button', { name: 'Operations' }).click();
  };

  it('a person finds an operation by a field, reads its schema and goes to it (R-140)', async () => {
    const page = await open({ ...size, colorScheme });
    await showNavigation(page);
    await page.getByLabel('Filter operations').fill('taxonomy post');
    await page.getByText('1 of 29 operations').waitFor();
    await page.getByRole('link', { name: 'POST Create or update products' }).click();
    await page.waitForURL(/#upsertProducts$/);
    const products = operation(page, 'upsertProducts');
    await products.getByRole('heading', { name: 'Create or update products' }).waitFor();

    const sku = products.getByText('The stock keeping unit. Required: null, empty and blank count as missing.');
    expect(await sku.isVisible()).toBe(false);
    await products.getByText('Fields of ProductVariant').click();
    expect(await sku.isVisible()).toBe(true);
    expect(reader.complaints).toEqual([]);
  });

  it('axe finds nothing, also where an answer and schemas are shown (R-140)', async () => {
    const page = await open({ ...size, colorScheme }, '#upsertProducts');
    const tried = form(page, 'upsertProducts');
    await fillForm(tried, { Key: key, tenantId });
    await tried.getByRole('button', { name: 'Send POST' }).click();
    await tried.getByText('200 OK').waitFor();
    const details = operation(page, 'upsertProducts').locator('details');
    await details.evaluateAll((all) => all.forEach((folded) => folded.setAttribute('open', '')));
    // The operations are made of the same parts: all of them are looked at on one of the devices.
    const others = page.locator('article:not(#upsertProducts)');
    if (device !== 'a desktop' || colorScheme !== 'light') {
      await others.evaluateAll((articles) => articles.forEach((article) => article.remove()));
    }
    expect(await violationsOn(page)).toEqual([]);
    expect(reader.complaints).toEqual([]);
  });

  it('nothing is wider than the window', async () => {
    const page = await open({ ...size, colorScheme });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint'))); // unfolds all
    expect(await overflow(page)).toBe(0);
  });
});

/** By how much the page is wider than the window. */
async function overflow(page: Page): Promise<number> {
  return page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
}

it('nothing is wider than a window of 320 to 1,600 px', async () => {
  const page = await open({ viewport: { width: 320, height: 800 } });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  for (const width of [320, 600, 959, 960, 1279, 1280, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await overflow(page)]).toEqual([width, 0]);
  }
});

describe('a person with a key', () => {
  it('sends a request, sees status, limits, trace id and body, and reads back what was stored (R-143)', async () => {
    const page = await open(DESKTOP, '#upsertCustomers');
    const upsert = form(page, 'upsertCustomers');
    await fillForm(upsert, { Key: key, tenantId, Body: '[{"Email":"browser@example.com","Name":"Ada"}]' });
    await upsert.getByRole('button', { name: 'Send POST' }).click();
    await upsert.getByText(/200 OK, in \d+ ms; \d+ of 100 requests are left until/).waitFor();
    const shown = await upsert.locator('.result').innerText();
    expect(shown).toContain('"message": "Customers saved."');
    expect(shown).toMatch(/x-trace-id\s+[0-9a-f]{32}\b/);
    expect(shown).toMatch(/x-ratelimit-remaining\s+\d+\s/);

    const find = form(page, 'findCustomers'); // has the key and the tenant already
    await fillForm(find, { email: 'browser@example.com', customerId: '' });
    await find.getByRole('button', { name: 'Send GET' }).click();
    await find.getByText('"Name": "Ada"').waitFor();
    expect(reader.complaints).toEqual([]);
  });

  it('leaves it nowhere but in the header of the request (R-143)', async () => {
    const page = await open(DESKTOP, '#findCustomers');
    const sent: { url: string; key: string | undefined }[] = [];
    page.on('request', (request) => {
      if (!isOfIcon(request.url())) sent.push({ url: request.url(), key: request.headers()['x-service-auth-key'] });
    });
    const find = form(page, 'findCustomers');
    await fillForm(find, { Key: key, tenantId, email: 'nobody@example.com', customerId: '' });
    await find.getByRole('button', { name: 'Send GET' }).click();
    await find.getByText('200 OK').waitFor();
    expect(sent).toEqual([{ url: `${stack.baseUrl}/customers/${tenantId}?email=nobody%40example.com`, key }]);

    const { cookies, origins } = await page.context().storageState({ indexedDB: true });
    expect({ cookies, origins }).toEqual({ cookies: [], origins: [] });
    const kept = await page.evaluate(async () => [
      location.href,
      history.state as unknown,
      sessionStorage.length,
      await caches.keys(),
    ]);
    expect(kept).toEqual([`${stack.baseUrl}/docs#findCustomers`, null, 0, []]);
    expect(await page.content()).not.toContain(key);
    await page.reload();
    expect(await form(page, 'findCustomers').getByLabel('Key').inputValue()).toBe('');
    expect(reader.complaints).toEqual([]);
  });

  it('sees a refusal, and what could not be sent', async () => {
    const page = await open(DESKTOP, '#findCustomers');
    const find = form(page, 'findCustomers');
    await fillForm(find, { Key: 'wrong', tenantId, email: 'a@example.com', customerId: '' });
    await find.getByRole('button', { name: 'Send GET' }).click();
    await find.getByText('401 Unauthorized').waitFor();
    await find.getByText('The API key is missing, incorrect or revoked.').waitFor();

    await find.getByLabel('Key').fill('Schlüssel – 🔑');
    await find.getByRole('button', { name: 'Send GET' }).click();
    await find.getByText('The request could not be sent, or its answer was cut off.').waitFor();

    const remove = form(page, 'deleteProductVariant'); // `..` would be the path of the whole product
    await fillForm(remove, { Key: key, tenantId, productId: 'P-1', variantId: '..' });
    await remove.getByRole('button', { name: 'Send DELETE' }).click();
    await remove.getByText('The request could not be sent, or its answer was cut off.').waitFor();
    expect(reader.complaints).toEqual([
      'Failed to load resource: the server responded with a status of 401 (Unauthorized)',
    ]);
  });

  it('copies a sample, which is for this server and the tenant that was typed, and runs it (R-140)', async () => {
    const page = await open({ ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] }, '#upsertCustomers');
    await form(page, 'upsertCustomers').getByLabel('tenantId').fill(tenantId);
    const samples = page.getByRole('region', { name: 'Samples of upsertCustomers' });
    const copied = async (language: string) => {
      await samples.getByRole('button', { name: language }).click();
      await samples.getByRole('button', { name: 'Copy' }).click();
      await samples.getByRole('button', { name: 'Copied' }).first().waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const curl = await copied('curl');
    expect(curl).toContain(`'${stack.baseUrl}/customers/${tenantId}'`);
    const env = { ...process.env, INGEST_KEY: key };
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent`], { env });
    expect(stdout).toContain('"message":"Customers saved."');

    const javaScript = await copied('JavaScript');
    const args = ['--input-type=module', '--eval', javaScript];
    expect((await promisify(execFile)('node', args, { env })).stdout).toMatch(/^200 \{\s+success: true/);
    expect(await copied('Python')).toContain(`'${stack.baseUrl}/customers/${tenantId}',`);

    await samples.getByLabel('Example').selectOption('A consent is withdrawn; all other fields stay');
    expect(await copied('Python')).toContain('"EmailOptin": False');
    expect(await form(page, 'upsertCustomers').getByLabel('Body').inputValue()).toContain('"EmailOptin": false');
    expect(await page.getByRole('region', { name: 'Samples of getOrder' }).getByText('import os').isVisible()).toBe(
      true,
    );
  });

  it('needs no mouse', async () => {
    const page = await open(DESKTOP);
    await page.keyboard.press('Tab');
    expect(
      await page.getByRole('link', { name: 'Skip to the content' }).evaluate((link) => link.matches(':focus')),
    ).toBe(true);
    await tabTo(page, page.getByLabel('Filter operations'));
    await page.keyboard.type('getOrder');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#getOrder$/);
    const tried = form(page, 'getOrder');
    await tabTo(page, operation(page, 'getOrder').locator('summary').first());
    await page.keyboard.press('Enter');
    expect(await operation(page, 'getOrder').getByText('Fields of FoundOrder').isVisible()).toBe(false);
    await tabTo(page, tried.getByLabel('Key'));
    await page.keyboard.type(key);
    await tabTo(page, tried.getByLabel('tenantId'));
    await page.keyboard.type(tenantId);
    await page.keyboard.press('Enter');
    await tried.getByText(/^404 Not Found/).waitFor();
  });
});

describe('the page', () => {
  it('can be linked to at each operation, and shows in the navigation which one is read', async () => {
    const page = await open(DESKTOP, '#cancelRun');
    expect(await isInSight(page.getByRole('heading', { name: 'Cancel a run' }))).toBe(true);
    const link = page.locator('nav [aria-current]');
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('#cancelRun');
    expect(await isInSight(link)).toBe(true);
  });

  it('is whole once it is loaded, without the network', async () => {
    const page = await open(DESKTOP);
    await page.context().setOffline(true);
    await page.getByLabel('Filter operations').fill('consent');
    await page.getByText(/^\d+ of 29 operations$/).waitFor();
    await page.getByRole('button', { name: 'Python' }).first().click();
    expect(await page.getByText('import os').first().isVisible()).toBe(true);
    expect(reader.complaints).toEqual([]);
  });

  it('can be read without its script', async () => {
    const page = await open({ ...PHONE, javaScriptEnabled: false });
    expect(await page.getByRole('link', { name: 'Create or update customers' }).first().isVisible()).toBe(true);
    expect(await operation(page, 'upsertCustomers').getByText('curl -X POST').first().isVisible()).toBe(true);
    expect(await page.locator('form.try').first().isVisible()).toBe(false);
    expect(reader.complaints).toEqual([]);
  });

  it('is printed unfolded, without what paper cannot do', async () => {
    const page = await open(DESKTOP);
    const folded = page.locator('details:not([open])');
    const before = await folded.count();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    expect(await folded.count()).toBe(0);
    for (const hidden of ['nav', 'form.try', '.copy'])
      expect(await page.locator(hidden).first().isVisible()).toBe(false);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(await folded.count()).toBe(before);
  });
});
