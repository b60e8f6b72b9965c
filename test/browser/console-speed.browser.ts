/** That the console's lists stay fast: a page asks for as much of very many things as of few. */
import { appendFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import type { DocumentChange } from '../../shared/documents/document-store';
import { tenantPath } from '../../shared/documents/paths';
import { NO_USAGE } from '../../shared/domain/usage';
import { USAGE_PART_TENANTS } from '../../shared/limits/usage';
import { chunksOf } from '../../shared/platform/chunks';
import { toUsageWrite } from '../../shared/usage/usage-documents';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import { aRun, putRun } from '../support/stored-run';
import type { Demo } from './console-visitor';
import { badge, demoOf, fillBucket, operatorSessionOf, sessionOf } from './console-visitor';
import { DESKTOP, launchChromium, openAs } from './reader';

/** A file to which the times of the pages are appended. With it there is as much as docs/operating.md tells of. */
const { FIGURES } = process.env;
const [RUNS, BAD_ROWS, TENANTS] = FIGURES === undefined ? [1_000, 10_000, 400] : [10_000, 100_000, 2_000];
const HOUR_MS = 3_600_000;

let stack: RunningStack;
let browser: Browser;
let demo: Demo;
let visitors: Readonly<Record<'tenant' | 'operator', { readonly origin: string; readonly session: Session }>>;
type Session = Awaited<ReturnType<typeof sessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  demo = demoOf(stack);
  const session = await sessionOf(browser, stack, demo.key);
  visitors = {
    tenant: { origin: stack.baseUrl, session },
    operator: await operatorSessionOf(browser, stack),
  };
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

/** Opens a page as somebody, waits for its content, and returns what it asked for. */
async function open(
  who: 'tenant' | 'operator',
  path: string,
  isThere: (page: Page) => Promise<unknown>,
): Promise<string[]> {
  const { origin, session } = visitors[who];
  const beganMs = performance.now();
  const reader = await openAs(browser, `${origin}/console${path}`, {
    ...DESKTOP,
    storageState: session,
  });
  await isThere(reader.page);
  const ms = Math.round(performance.now() - beganMs);
  const asked = await reader.page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((one) => /^\/console\/(api|management|session)/.test(one)),
  );
  expect(reader.complaints).toEqual([]);
  await reader.close();
  if (FIGURES !== undefined) appendFileSync(FIGURES, `${JSON.stringify({ who, path, ms, requests: asked.length })}\n`);
  return asked.sort();
}

const row = (page: Page) => page.getByRole('row').nth(1).waitFor();

/** Starts a run of a bucket with bad rows, and waits for its end. */
async function runWithBadRows(bucket: string, count: number): Promise<string> {
  fillBucket(stack, bucket, { 'customers.ndjson': '{"Email":"x"}\n'.repeat(count) });
  const send = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { 'x-service-auth-key': demo.key, 'content-type': 'application/json' };
    const answer = await fetch(`${stack.baseUrl}/ingestion/google-cloud-storage${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await answer.json()) as { Data: Record<string, unknown> }).Data;
  };
  const { JobId } = await send('POST', '/register/historical-transfer', {
    TenantId: demo.tenantId,
    BucketName: bucket,
  });
  for (;;) {
    const { Runs = [] } = (await send(
      'GET',
      `/runs?tenantId=${demo.tenantId}&jobId=${encodeURIComponent(String(JobId))}`,
    )) as { Runs?: { RunId: string; Status: string }[] };
    const [run] = Runs;
    if (run && run.Status !== 'running') return run.RunId;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function store(changes: readonly DocumentChange[]): Promise<void> {
  const operator = operatorOf(stack);
  try {
    for (const some of chunksOf(changes, 500)) await operator.store.writeEach(some, operator.deadline());
  } finally {
    await operator.close();
  }
}

function storeRuns(): Promise<void> {
  const runs = Array.from({ length: RUNS }, (_, n) => {
    const startedAt = new Date(Date.now() - (n + 10) * 60_000);
    const id = `${startedAt.toISOString().slice(0, 19).replace(/\D/g, '')}-${demo.tenantId}`;
    return putRun(id, aRun(demo.tenantId, { startedAt, finishedAt: startedAt })) as DocumentChange;
  });
  return store(runs);
}

/** Tenants, each with an hour of usage. */
function storeTenants(count: number): Promise<void> {
  const hourMs = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
  const counts = { ...NO_USAGE, requests: 3, records: 30 };
  const tenants = Array.from({ length: count }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  return store(
    tenants.flatMap((tenantId) => [
      { set: tenantPath(tenantId), data: { organizationId: 'demo' } },
      toUsageWrite(tenantId, 'a', [{ hourMs, keyId: 'key', route: 'upsertCustomers', counts }]),
    ]),
  );
}

it('a page asks for as much of very many runs, bad rows and tenants as of a few, and the sums of all in parts (R-351, R-354)', async () => {
  const pagesOf = (runId: string) => {
    const tenant = `tenant=${demo.tenantId}`;
    const loaded = (page: Page) => page.getByText('Loading …').first().waitFor({ state: 'detached' });
    const ofRun = async (page: Page) => {
      await badge(page, 'Partial').waitFor();
      await page.getByRole('region', { name: 'Table of bad rows' }).waitFor();
    };
    return [
      ['tenant', `/overview#${tenant}`, async (page: Page) => (await page.getByRole('slider').first().waitFor(), loaded(page))],
      ['tenant', `/transfers#${tenant}`, (page: Page) => page.getByText('There is no daily transfer.').waitFor()],
      ['tenant', `/runs#${tenant}`, row],
      ['tenant', `/runs#${tenant}&status=partial`, row],
      ['tenant', `/runs/${runId}#${tenant}`, ofRun],
      ['operator', `/runs#${tenant}`, row],
      ['operator', '/log', row],
      ['operator', '/transfers', (page: Page) => page.getByRole('dialog').getByRole('listitem').first().waitFor()],
    ] as const; // prettier-ignore
  };
  const askedOf = async (runId: string) => {
    const all: string[][] = [];
    for (const [who, path, isThere] of pagesOf(runId)) {
      const asked = await open(who, path, isThere);
      all.push(asked.map((one) => one.replace(runId, '<run>')));
    }
    return all;
  };
  await storeTenants(1);
  const few = await askedOf(await runWithBadRows('few-bad-rows', 3));
  await storeTenants(TENANTS);
  const ofOverview = await open('operator', '/overview', async (page) => {
    await page.getByText(/^Of [\d,]+ tenants/).waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
  });
  const parts = ofOverview.filter((path) => path.endsWith('/usage'));
  expect(parts).toHaveLength(Math.ceil((TENANTS + 1) / USAGE_PART_TENANTS)); // of which each is asked for by itself
  await storeRuns();
  const many = await askedOf(await runWithBadRows('many-bad-rows', BAD_ROWS));
  expect(many).toEqual(few);
  expect(Math.max(...many.map((asked) => asked.length))).toBeLessThan(8);
});
