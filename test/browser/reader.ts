/** A person with a browser: Chromium, and what it noticed while the person read. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** The first is Chromium without windows, tabs and menus, which takes two to three times as long with them. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

export const DESKTOP = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** What the reference, and the console's main pages, are looked at on. */
export const LOOKS = [
  ['a desktop', 'light', DESKTOP],
  ['a desktop', 'dark', DESKTOP],
  ['a phone', 'light', PHONE],
  ['a phone', 'dark', PHONE],
] as const;

/** Each device and each colours once: for pages that are made of the parts of those that are looked at on all. */
export const OPPOSITE_LOOKS = [LOOKS[0], LOOKS[3]] as const;

/** A page, and what went wrong on it. */
export interface Reader {
  readonly page: Page;
  /** Errors and warnings of the console, and errors of scripts. */
  readonly complaints: string[];
  /** Addresses of requests that left the page's own origin. */
  readonly foreign: string[];
  close(): Promise<void>;
}

/** @throws Error that says how to install Chromium where there is none */
export function launchChromium(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  const executablePath = process.env.CHROMIUM ?? found;
  if (executablePath === undefined)
    throw new Error(
      'Chromium was not found: install it (apt-get install chromium-headless-shell), or name it in CHROMIUM.',
    );
  const isRoot = process.getuid?.() === 0; // Chromium has no sandbox for root
  return chromium.launch({ executablePath, ...(isRoot && { args: ['--no-sandbox'] }) });
}

/** Opens an address as a new person: nothing is remembered of earlier ones. */
export async function openAs(browser: Browser, url: string, options: BrowserContextOptions): Promise<Reader> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const { origin } = new URL(url);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (isOfIcon(message.location().url)) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  context.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) foreign.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, foreign, close: () => context.close() };
}

/** Whether an address is that of a page's icon. A browser asks for it at any time, or never. */
export function isOfIcon(url: string): boolean {
  return url.endsWith('/icon.svg');
}

/** Waits until a table has so many rows, with that of its heads, and expects no more of them. */
export async function expectRows(table: Locator, count: number): Promise<void> {
  const rows = table.getByRole('row');
  await rows.nth(count - 1).waitFor();
  expect(await rows.count()).toBe(count);
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe finds wrong on the page as it is. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
}
