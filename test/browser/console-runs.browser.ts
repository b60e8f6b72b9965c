/** What a person sees and does in the console of a run: from its start to the replay of its bad rows. */
import { readFileSync } from 'node:fs';
import type { Download } from 'playwright-core';
import { createTenant } from '../../shared/operations/tenants';
import { operatorOf } from '../support/running-stack';
import { badge, fillBucket, fillHourly, fillSource, region, useDemoConsole } from './console-visitor';
import { expectRows } from './reader';

const the = useDemoConsole();

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

describe('runs', () => {
  const CUSTOMERS = [
    '{"Email":"bea@example.com","Name":"Bea","EmailOptin":true}',
    '{"Email":"no address","Name":"Cem"}',
    '{"Email":"dan@example.com","EmailOptIn":true}',
    '',
  ].join('\n');

  it('are started, watched, explained, downloaded, mended and replayed, all by the API (R-250, R-259)', async () => {
    fillBucket(the.stack, 'run-bucket', { 'customers.ndjson': CUSTOMERS, 'readme.txt': 'x' });
    const page = await the.open('/transfers#form=hourly');
    await fillHourly(page, 'run-bucket');
    await page.getByRole('button', { name: 'Save' }).click();
    await region(page, 'Hourly transfer').getByRole('button', { name: 'Run now' }).click();
    await badge(page, 'Partial').waitFor();
    await page.getByText('Run now', { exact: true }).waitFor();

    const consents = region(page, 'Consents of customers');
    expect(await consents.getByRole('row', { name: /^E-mail/ }).innerText()).toMatch(/E-mail\s+1\s+0\s+0\s+0/);
    expect(
      await region(page, 'Records')
        .getByRole('row', { name: /^Customers/ })
        .innerText(),
    ).toMatch(/Customers\s+2\s+0\s+0\s+0/);
    await page.getByText('EmailOptIn → EmailOptin').waitFor();
    const files = region(page, 'Table of files');
    await expectRows(files, 3);
    const titles = ['File', 'Status', 'Holds', 'Size', 'Rows', 'Stored', 'Deleted', 'Stale', 'Bad rows', 'Why'];
    expect(await files.getByRole('columnheader').allInnerTexts()).toEqual(titles);
    const customers = files.getByRole('row', { name: /^customers\.ndjson/ });
    expect(await customers.innerText()).toMatch(/B\s+3\s+2\s+0\s+0\s+1\s*$/);
    await page.getByLabel('Status of files').selectOption('Skipped');
    await files.getByText('unknown format').waitFor();

    const bad = region(page, 'Table of bad rows');
    expect(await bad.getByRole('row').nth(1).innerText()).toMatch(/customers\.ndjson\s+2\s+Email\s+\S+/);
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect((await textOf(csv)).split('\n')[1]).toMatch(/^"?customers\.ndjson"?,2,"?Email"?,/);
    const [ndjson] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download NDJSON' }).click(),
    ]);
    expect(JSON.parse(await textOf(ndjson))).toMatchObject({ Object: 'customers.ndjson', Line: 2 });

    fillBucket(the.stack, 'run-bucket', { 'customers.ndjson': CUSTOMERS.replace('no address', 'cem@example.com') });
    await page.getByRole('button', { name: 'Replay the bad rows' }).click();
    await badge(page, 'Succeeded').waitFor();
    await page.getByText('Replay of bad rows').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    const runs = region(page, 'Table of runs');
    await runs.getByRole('row').nth(2).waitFor();
    await expectRows(runs, 3);
    await page.getByLabel('Status').selectOption('Partial');
    await runs.getByRole('row').nth(2).waitFor({ state: 'detached' });
    expect(await runs.getByRole('row').nth(1).innerText()).toMatch(/run-bucket\s+3\s+2\s+0\s+0\s+1\s+0\s/);
    await page.goBack();
    await runs.getByRole('row').nth(2).waitFor();
  });

  it('show their bad rows by file, and keep the file in the address (R-251)', async () => {
    fillBucket(the.stack, 'two-files', {
      'a/customers.ndjson': '{"Email":"x"}\n',
      'b/customers.ndjson': '{"Email":"y"}\n{"Email":"b@example.com"}\n',
    });
    const page = await the.open('/transfers#form=historical');
    await fillSource(page, 'two-files', 'a/\nb/');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('link', { name: 'See its run' }).click();
    await region(page, 'Table of runs').getByRole('link').first().click();
    await badge(page, 'Partial').waitFor();
    await page.getByLabel('File', { exact: true }).fill('b/customers.ndjson');
    await page.getByRole('button', { name: 'Filter' }).click();
    const bad = region(page, 'Table of bad rows');
    await bad.getByText('a/customers.ndjson').waitFor({ state: 'detached' });
    await bad.getByText('b/customers.ndjson').waitFor();
    await expectRows(bad, 2);
    await page.waitForURL((url) => url.href.includes('object=b%2Fcustomers.ndjson'));
    await page.reload();
    await bad.getByText('b/customers.ndjson').waitFor();
    await expectRows(bad, 2);
  });

  it('are shown while they run: rows a second, time left, and the way to cancel (R-252, R-253)', async () => {
    const page = await the.open('/runs');
    let looks = 0;
    await page.route('**/google-cloud-storage/runs/slow-run', (route) => {
      looks += 1;
      return route.fulfill({ json: { Success: true, Message: 'Run found.', Data: { Run: slowRun(looks) } } });
    });
    await page.route('**/runs/slow-run/files*', (route) =>
      route.fulfill({
        json: { Success: true, Message: 'Files found.', Data: { Files: [slowFile(looks)], NextPageToken: null } },
      }),
    );
    await page.route('**/runs/slow-run/errors*', (route) =>
      route.fulfill({ json: { Success: true, Message: 'Errors found.', Data: { Errors: [], NextPageToken: null } } }),
    );
    await page.route('**/runs/slow-run/cancel', (route) => {
      looks = 1_000;
      return route.fulfill({ json: { Success: true, Message: 'Run cancelled.', Data: { RunId: 'slow-run' } } });
    });
    await page.goto(`${the.stack.baseUrl}/console/runs/slow-run#tenant=${the.demo.tenantId}`);
    const progress = region(page, 'Progress');
    await progress.getByText(/^[1-9]\d* %$/).waitFor();
    await progress
      .getByText(/^[1-9][\d,]*$/)
      .first()
      .waitFor();
    await progress.getByText(/^\d+ (s|min.*)$/).waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await badge(page, 'Cancelled').waitFor();
    const after = looks;
    await page.getByRole('navigation').getByRole('link', { name: 'Transfers' }).click();
    await page.getByRole('heading', { name: 'Daily transfer' }).waitFor();
    expect(looks).toBe(after);
  });

  it('have their bad rows downloaded whole, or not at all (R-259)', async () => {
    const page = await the.open('/runs');
    const rows = Array.from({ length: 100_000 }, (_, index) => `{"Object":"a","Line":${index + 1},"Errors":{}}\n`).join(
      '',
    );
    await page.route('**/runs/slow-run/**', (route) =>
      route.fulfill({ json: { Data: { Files: [], NextPageToken: null } } }),
    );
    await page.route('**/google-cloud-storage/runs/slow-run', (route) =>
      route.fulfill({ json: { Data: { Run: slowRun(1_000) } } }),
    );
    let isBroken = false;
    await page.route('**/runs/slow-run/errors*', (route) => {
      const isStream = route.request().headers()['accept'] === 'application/x-ndjson';
      const row = { Object: 'a', Generation: '1', Line: 1, Errors: { Email: ['x'] } };
      if (!isStream) return route.fulfill({ json: { Data: { Errors: [row], NextPageToken: null } } });
      return isBroken ? route.abort() : route.fulfill({ body: rows, contentType: 'application/x-ndjson' });
    });
    await page.goto(`${the.stack.baseUrl}/console/runs/slow-run#tenant=${the.demo.tenantId}`);
    const button = page.getByRole('button', { name: 'Download NDJSON' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(await textOf(download)).toBe(rows);

    isBroken = true;
    const downloads: Download[] = [];
    page.on('download', (further) => downloads.push(further));
    await button.click();
    await page.getByRole('alert').waitFor();
    expect(downloads).toEqual([]);
    the.reader.complaints.length = 0; // Chromium reports every failed request
  });

  it('of another tenant of the organization are shown as that tenant’s, whatever the address says', async () => {
    const other = '66666666-6666-4666-8666-666666666666';
    const operator = operatorOf(the.stack);
    try {
      await createTenant({ id: other, organization: 'demo', defaultLanguage: 'en' }, operator);
    } finally {
      await operator.close();
    }
    const page = await the.open('/preview');
    await fillSource(page, 'of-whom');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('of-whom', { exact: true }).waitFor();
    const [run = ''] = page.url().split('#');
    await page.goto(`${run}#tenant=${other}`);
    await page.waitForURL(`${run}#tenant=${the.demo.tenantId}`);
    await page.getByRole('button', { name: `Tenant ${the.demo.tenantId}` }).waitFor();
    await page.getByText('of-whom', { exact: true }).waitFor();
    expect(await page.getByText(other).count()).toBe(0);

    await page.goto('about:blank');
    await page.goto(run); // as it was copied without its fragment
    const dialog = page.getByRole('dialog', { name: 'Choose a tenant' });
    await dialog.getByRole('button', { name: other }).click();
    await page.waitForURL(`${run}#tenant=${the.demo.tenantId}`);
    await page.getByText('of-whom', { exact: true }).waitFor();
  });

  it('that do not exist are told, with a trace id', async () => {
    const page = await the.open('/runs/2026-01-01-nothing');
    expect(await page.getByRole('alert').innerText()).toMatch(/[0-9a-f]{32}/);
    the.reader.complaints.length = 0; // Chromium reports every 404
  });
});

function slowRun(look: number) {
  const isCancelled = look >= 1_000;
  const read = Math.min(look, 60) * 1_000;
  return {
    RunId: 'slow-run',
    JobId: `hourly-transfer/${the.demo.tenantId}`,
    Kind: 'hourly',
    BucketName: 'slow',
    FolderPaths: [],
    ReplayOf: null,
    Status: isCancelled ? 'cancelled' : 'running',
    StartedAt: '2026-03-01T09:30:00.000Z',
    FinishedAt: isCancelled ? '2026-03-01T09:31:00.000Z' : null,
    Files: { Found: 1, Finished: 0, Skipped: 0, Failed: 0 },
    Rows: { Read: read, Stored: read, Invalid: 0, Stale: 0, Deleted: 0 },
    Changes: null,
    IgnoredFields: [],
    Warnings: [],
    Error: null,
    NotificationError: null,
    TraceId: null,
    Examples: null,
  };
}

function slowFile(look: number) {
  return {
    Object: 'customers.ndjson',
    Generation: '1',
    Updated: '2026-03-01T09:00:00.000Z',
    Size: 100_000,
    Kind: 'customers',
    Format: 'ndjson',
    Status: 'running',
    Reason: null,
    Rows: { Read: look * 1_000, Stored: 0, Invalid: 0, Stale: 0, Deleted: 0 },
    Error: null,
    ReadBytes: look * 1_000,
  };
}
