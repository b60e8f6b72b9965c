/** How the console looks and feels: on desktops and phones, in light and dark, by keyboard, with hostile texts. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { runStack } from '../support/running-stack';
import type { RunningStack } from '../support/running-stack';
import type { Demo } from './console-visitor';
import { demoOf, fillBucket, openConsole, screenshot, sessionOf, signIn } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, launchChromium, LOOKS, violationsOn } from './reader';

const MARKUP = '<img src=x onerror=document.title=1><script>document.title=2</script>';

let stack: RunningStack;
let browser: Browser;
let demo: Demo;
let session: Awaited<ReturnType<typeof sessionOf>>;
let runId: string;
let previewId: string;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  demo = demoOf(stack);
  session = await sessionOf(browser, stack, demo.key);
  // What tenants can name or store: a folder, a file, a field, a value.
  const row = { Email: 'evil@example.com', Name: MARKUP, Surname: '"><b>', EmailOptin: true, [MARKUP]: 1 };
  fillBucket(stack, 'markup-bucket', {
    'customers/<b>x<!--.ndjson': `${JSON.stringify(row)}\n{"Email":"<i>","Name":"x"}\n`,
    '<u>.txt': 'x',
  });
  const call = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await fetch(`${stack.baseUrl}/ingestion/google-cloud-storage${path}`, {
      method: 'POST',
      headers: { 'x-service-auth-key': demo.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { Data: Record<string, string> }).Data;
  };
  const options = { TenantId: demo.tenantId, BucketName: 'markup-bucket' };
  previewId = (await call('/preview', options)).RunId!;
  const { recurringJobId } = await call('/register/daily-transfer', {
    ...options,
    DataFolderPaths: ['customers/', '<s>/'],
  });
  runId = (await call(`/transfers/run?jobId=${encodeURIComponent(recurringJobId!)}`, {})).RunId!;
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
});

async function open(path: string, options: BrowserContextOptions): Promise<Page> {
  const at = `${path}${path.includes('#') ? '&' : '#'}tenant=${demo.tenantId}`;
  reader = await openConsole(browser, stack, at, { ...options, storageState: session });
  return reader.page;
}

/** The pages by their addresses, and what is there when they are whole. */
const PLACES: readonly (readonly [name: string, path: () => string, sign: string])[] = [
  ['overview', () => '/overview', 'Took'],
  ['transfers', () => '/transfers#form=daily', 'Test access'],
  ['runs', () => '/runs', 'Took'],
  ['a run', () => `/runs/${runId}`, 'Download CSV'],
  ['a preview', () => `/runs/${previewId}`, 'Preview again'],
  ['the form of a preview', () => '/preview', 'Rows of each file'],
  ['a record', () => '/records#email=evil@example.com', 'True since'],
  ['sending', () => '/send', 'Choose a file'],
];

async function overflow(page: Page): Promise<number> {
  return page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
}

describe.each(LOOKS)('on %s in %s colours', (device, colorScheme, size) => {
  it.each(PLACES)('axe finds nothing wrong with %s, and nothing is wider than the window', async (name, path, sign) => {
    const page = await open(path(), { ...size, colorScheme });
    await page.getByText(sign, { exact: true }).first().waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    await screenshot(page, `${name} ${device} ${colorScheme}`);
    expect(await violationsOn(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    expect(reader.complaints).toEqual([]);
  });

  it('axe finds nothing wrong with the sign-in, the choice of the tenant and a question', async () => {
    reader = await openConsole(browser, stack, `/transfers#tenant=${demo.tenantId}`, { ...size, colorScheme });
    const { page } = reader;
    await page.getByLabel('API key').waitFor();
    await screenshot(page, `sign in ${device} ${colorScheme}`);
    expect(await violationsOn(page)).toEqual([]);
    await signIn(page, demo.key);
    await page.getByRole('button', { name: 'Unregister' }).click();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Tenant/ }).click();
    await page.getByRole('dialog').getByText(demo.tenantId).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });
});

it.each(PLACES)('%s is not wider than a window of 320 to 1,600 px', async (_, path, sign) => {
  const page = await open(path(), { viewport: { width: 320, height: 800 } });
  await page.getByText(sign, { exact: true }).first().waitFor();
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  for (const width of [320, 600, 1280, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await overflow(page)]).toEqual([width, 0]);
  }
});

it('has the colours that were chosen for as long as the page is open where the browser stores nothing', async () => {
  const page = await open('/runs', { ...DESKTOP, colorScheme: 'light' });
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('The browser is told to store nothing.', 'SecurityError');
      },
    });
  });
  await page.reload();
  const theme = () => page.locator('html').getAttribute('data-theme');
  await page.getByLabel('Colours').selectOption('Dark');
  expect(await theme()).toBe('dark');
  await page.getByRole('navigation').getByRole('link', { name: 'Preview' }).click();
  await page.getByLabel('Rows of each file').waitFor();
  expect([await theme(), await page.getByLabel('Colours').inputValue()]).toEqual(['dark', 'dark']);
  await page.reload();
  await page.getByLabel('Rows of each file').waitFor();
  expect(await theme()).toBe('system');
  expect(reader.complaints).toEqual([]);
});

it('takes no text of a tenant for markup, wherever it is shown (R-258)', async () => {
  for (const [, path, sign] of PLACES) {
    const page = await open(path(), DESKTOP);
    await page.getByText(sign, { exact: true }).first().waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    expect(await page.locator('main').locator('img, script, b, i, s, u').count()).toBe(0);
    expect(await page.title()).toMatch(/ · Console$/);
    expect(reader.complaints).toEqual([]);
    await reader.close();
  }
  const page = await open('/records#email=evil@example.com', DESKTOP);
  await page.getByText(MARKUP, { exact: true }).waitFor();
});

it('is small, and whole without a second request for the same (R-258)', async () => {
  const page = await open('/transfers', DESKTOP);
  await page.getByRole('button', { name: 'Test access' }).waitFor();
  const sizes = await page.evaluate(() => {
    const loaded = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
    return (loaded as PerformanceResourceTiming[]).map(({ name, encodedBodySize }) => ({
      path: new URL(name).pathname,
      bytes: encodedBodySize,
    }));
  });
  const files = sizes.filter(({ path }) => !path.startsWith('/console/api') && !path.startsWith('/console/session'));
  expect(files.length).toBeGreaterThan(2);
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(100_000);
  const paths = sizes.map(({ path }) => path);
  expect(paths.length).toBe(new Set(paths).size);
});

it('keeps the colours that a person chooses', async () => {
  const page = await open('/runs', { ...DESKTOP, colorScheme: 'light' });
  const background = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  await page.getByLabel('Colours').waitFor();
  const light = await background();
  await page.getByLabel('Colours').selectOption('Dark');
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByLabel('Colours').waitFor();
  expect(await background()).toBe(dark);
});

it('shows times in the zone of the viewer, and in UTC to whoever points at them (R-252)', async () => {
  const page = await open(`/runs/${runId}`, { ...DESKTOP, timezoneId: 'Asia/Kolkata' });
  const time = page.locator('dl time').first();
  const [shown, at, title] = await time.evaluate((element) => [
    element.textContent,
    element.getAttribute('datetime'),
    element.getAttribute('title'),
  ]);
  expect(title).toBe(`${at!.slice(0, 10)} ${at!.slice(11, 19)} UTC`);
  const minutesEast = (Date.parse(`${shown.replace(' ', 'T')}Z`) - Date.parse(`${at!.slice(0, 19)}Z`)) / 60_000;
  expect(minutesEast).toBe(330);
});

it('needs no mouse', async () => {
  const page = await open('/records', DESKTOP);
  await page.getByLabel('Customer by e-mail').waitFor();
  await page.keyboard.press('Tab');
  const isFocused = (name: string) =>
    page
      .getByText(name)
      .first()
      .evaluate((element) => element.matches(':focus'));
  expect(await isFocused('Skip to the content')).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('evil@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('True since').waitFor();
  await page.waitForURL((url) => url.href.includes('email=evil%40example.com'));
});
