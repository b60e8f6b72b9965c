/** A person at the console of a local stack, and what a test prepares for him. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { RunningStack } from '../support/running-stack';
import { runStack } from '../support/running-stack';
import type { Reader } from './reader';
import { DESKTOP, launchChromium, openAs } from './reader';

/** The demo tenant that `npm start` makes, and its key. */
export interface Demo {
  readonly tenantId: string;
  readonly key: string;
}

export function demoOf({ output }: RunningStack): Demo {
  return {
    tenantId: /^Demo tenant +(\S+)$/m.exec(output)![1]!,
    key: /^Demo key +(\S+)$/m.exec(output)![1]!,
  };
}

/** Opens the console at an address below `/console` as somebody who has no session. */
export function openConsole(
  browser: Browser,
  { baseUrl }: RunningStack,
  path: string,
  options: BrowserContextOptions,
): Promise<Reader> {
  return openAs(browser, `${baseUrl}/console${path}`, options);
}

/** Types a key into the page, and waits until the session is there. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

type Session = Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** The session of a key, with which a test opens pages without signing in each time. */
export async function sessionOf(browser: Browser, stack: RunningStack, key: string): Promise<Session> {
  const reader = await openConsole(browser, stack, '', {});
  await signIn(reader.page, key);
  const session = await reader.page.context().storageState();
  await reader.close();
  return session;
}

/** Puts files into a bucket of the stack. */
export function fillBucket(
  { configFile }: RunningStack,
  bucket: string,
  files: Readonly<Record<string, string>>,
): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dirname(configFile), 'buckets', bucket, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** A part of the page by its name. */
export function region(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** The status of the run that is shown. */
export function badge(page: Page, status: string): Locator {
  return page.getByRole('status').getByText(status, { exact: true });
}

/** Types what a transfer or a preview reads into its form. */
export async function fillSource(page: Page, bucket: string, folders = ''): Promise<void> {
  await page.getByLabel('Bucket').fill(bucket);
  await page.getByLabel('Folders').fill(folders);
}

/** Fills the form of an hourly transfer. It runs when it is told to, not while the test looks. */
export async function fillHourly(page: Page, bucket: string, folders = ''): Promise<void> {
  await fillSource(page, bucket, folders);
  await page.getByLabel('Minute of each hour').fill(String(new Date(Date.now() + 30 * 60_000).getUTCMinutes()));
}

/** What the tests of a file have: a stack of their own with its demo tenant, and a session of the demo key. */
export class DemoConsole {
  stack!: RunningStack;
  browser!: Browser;
  demo!: Demo;
  session!: Session;
  /** Who has the page of the test. */
  reader!: Reader;

  /** Opens a page of the demo tenant in the session. */
  async open(path: string): Promise<Page> {
    const at = `${path}${path.includes('#') ? '&' : '#'}tenant=${this.demo.tenantId}`;
    this.reader = await openConsole(this.browser, this.stack, at, { ...DESKTOP, storageState: this.session });
    return this.reader.page;
  }
}

/** Each test opens a page, which must complain of nothing and ask no other host. */
export function useDemoConsole(): DemoConsole {
  const the = new DemoConsole();
  beforeAll(async () => {
    [the.stack, the.browser] = await Promise.all([runStack(), launchChromium()]);
    the.demo = demoOf(the.stack);
    the.session = await sessionOf(the.browser, the.stack, the.demo.key);
  });
  afterAll(() => Promise.all([the.stack.stop(), the.browser.close()]));
  afterEach(async () => {
    await the.reader.close();
    expect(the.reader.foreign).toEqual([]);
    expect(the.reader.complaints).toEqual([]);
  });
  return the;
}

/** Opens the console of operators by its printed address, which works once, and returns whatever opens it again. */
export async function operatorSessionOf(
  browser: Browser,
  { output }: RunningStack,
): Promise<{ readonly origin: string; readonly session: Session }> {
  const [, url = ''] = /^Operators’ console +(\S+)/m.exec(output) ?? [];
  const reader = await openAs(browser, url, {});
  await reader.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const session = await reader.page.context().storageState();
  await reader.close();
  return { origin: new URL(url).origin, session };
}

/** Keeps a picture of the page where somebody asks for pictures, to be looked at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true });
}
