/** A person at the console of a local stack, and what a test prepares for him. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { RunningStack } from '../support/running-stack';
import type { Reader } from './reader';
import { openAs } from './reader';

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
