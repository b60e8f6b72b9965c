/** What a person does in the console: registers a bucket, previews it, runs it, mends it, finds and sends records. */
import { readFileSync } from 'node:fs';
import type { Browser, Download, Page } from 'playwright-core';
import { createTenant } from '../../shared/operations/tenants';
import type { RunningStack } from '../support/running-stack';
import { operatorOf, runStack } from '../support/running-stack';
import type { Demo } from './console-visitor';
import { demoOf, fillBucket, openConsole, sessionOf } from './console-visitor';
import type { Reader } from './reader';
import { DESKTOP, launchChromium } from './reader';

let stack: RunningStack;
let browser: Browser;
let demo: Demo;
let session: Awaited<ReturnType<typeof sessionOf>>;
beforeAll(async () => {
  [stack, browser] = await Promise.all([runStack(), launchChromium()]);
  demo = demoOf(stack);
  session = await sessionOf(browser, stack, demo.key);
});
afterAll(() => Promise.all([stack.stop(), browser.close()]));

let reader: Reader;
afterEach(async () => {
  await reader.close();
  expect(reader.foreign).toEqual([]);
  expect(reader.complaints).toEqual([]);
});

async function open(path: string): Promise<Page> {
  const at = `${path}${path.includes('#') ? '&' : '#'}tenant=${demo.tenantId}`;
  reader = await openConsole(browser, stack, at, { ...DESKTOP, storageState: session });
  return reader.page;
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const badge = (page: Page, status: string) => page.getByRole('status').getByText(status, { exact: true });

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

/** Registers a transfer by the form. */
async function register(page: Page, bucket: string, folders = ''): Promise<void> {
  await page.getByLabel('Bucket').fill(bucket);
  await page.getByLabel('Folders').fill(folders);
}

describe('transfers', () => {
  it('are registered, tested, changed and unregistered (R-254)', async () => {
    fillBucket(stack, 'daily-bucket', { 'shop/customers.ndjson': '{"Email":"ann@example.com"}\n' });
    const page = await open('/transfers');
    await region(page, 'Daily transfer').getByRole('link', { name: 'Register one' }).click();
    await register(page, 'no-bucket-yet', 'shop/');
    await page.getByLabel('Time in UTC').fill('03:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('There is no bucket no-bucket-yet. Check its name.').waitFor();
    const daily = region(page, 'Daily transfer');
    await daily.getByText('Every day at 03:30 UTC').waitFor();
    await daily.getByText('shop/').waitFor();

    await daily.getByRole('link', { name: 'Change' }).click();
    expect(await page.getByLabel('Time in UTC').inputValue()).toBe('03:30');
    await page.getByLabel('Bucket').fill('daily-bucket');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service can read the bucket daily-bucket.').waitFor();
    await daily.getByText('daily-bucket', { exact: true }).waitFor();
    await page.reload();
    await daily.getByRole('button', { name: 'Test access' }).click();
    await daily.getByText('The service can read the bucket daily-bucket.').waitFor();

    await daily.getByRole('button', { name: 'Unregister' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Unregister' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type daily-bucket to confirm').fill('daily-bucket');
    await confirm.click();
    await page.getByText('There is no daily transfer.').waitFor();
  });

  it('show what is missing where access is denied, as a command to paste', async () => {
    const page = await open('/transfers#form=hourly');
    await page.route('**/register/hourly-transfer', (route) =>
      route.fulfill({
        json: {
          Success: true,
          Message: 'Hourly transfer registered.',
          Data: {
            recurringJobId: 'hourly-transfer/x',
            BucketAccess: 'denied',
            Setup: { Role: 'roles/storage.objectViewer', ServiceAccount: 'runner@example.com' },
          },
        },
      }),
    );
    await register(page, 'closed-bucket');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service may not read the bucket closed-bucket. A role is missing.').waitFor();
    await page
      .getByText(
        'gcloud storage buckets add-iam-policy-binding gs://closed-bucket --member=serviceAccount:runner@example.com --role=roles/storage.objectViewer',
      )
      .waitFor();
  });

  it('say at its field what the service refuses', async () => {
    const page = await open('/transfers#form=historical');
    await register(page, 'Not a bucket', '/shop');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('alert').getByText('Some of what you entered is not valid.').waitFor();
    expect(await page.getByLabel('Bucket').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').innerText()).toMatch(/[0-9a-f]{32}/);
    reader.complaints.length = 0; // Chromium reports every 400
  });
});

describe('runs', () => {
  const CUSTOMERS = [
    '{"Email":"bea@example.com","Name":"Bea","EmailOptin":true}',
    '{"Email":"no address","Name":"Cem"}',
    '{"Email":"dan@example.com","EmailOptIn":true}',
    '',
  ].join('\n');

  it('are started, watched, explained, downloaded, mended and replayed, all by the API (R-250, R-259)', async () => {
    fillBucket(stack, 'run-bucket', { 'customers.ndjson': CUSTOMERS, 'readme.txt': 'x' });
    const page = await open('/transfers#form=hourly');
    await register(page, 'run-bucket');
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
    expect(await files.getByRole('row').count()).toBe(3);
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

    fillBucket(stack, 'run-bucket', { 'customers.ndjson': CUSTOMERS.replace('no address', 'cem@example.com') });
    await page.getByRole('button', { name: 'Replay the bad rows' }).click();
    await badge(page, 'Succeeded').waitFor();
    await page.getByText('Replay of bad rows').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    const runs = region(page, 'Table of runs');
    await runs.getByRole('row').nth(2).waitFor();
    expect(await runs.getByRole('row').count()).toBe(3);
    await page.getByLabel('Status').selectOption('Partial');
    await runs.getByRole('row').nth(2).waitFor({ state: 'detached' });
    expect(await runs.getByRole('row').nth(1).innerText()).toContain('run-bucket');
    await page.goBack();
    await runs.getByRole('row').nth(2).waitFor();
  });

  it('show their bad rows by file, and keep the file in the address (R-251)', async () => {
    fillBucket(stack, 'two-files', {
      'a/customers.ndjson': '{"Email":"x"}\n',
      'b/customers.ndjson': '{"Email":"y"}\n{"Email":"b@example.com"}\n',
    });
    const page = await open('/transfers#form=historical');
    await register(page, 'two-files', 'a/\nb/');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('link', { name: 'See its run' }).click();
    await region(page, 'Table of runs').getByRole('link').first().click();
    await badge(page, 'Partial').waitFor();
    await page.getByLabel('File', { exact: true }).fill('b/customers.ndjson');
    await page.getByRole('button', { name: 'Filter' }).click();
    const bad = region(page, 'Table of bad rows');
    await bad.getByText('a/customers.ndjson').waitFor({ state: 'detached' });
    await bad.getByText('b/customers.ndjson').waitFor();
    expect(await bad.getByRole('row').count()).toBe(2);
    expect(page.url()).toContain('object=b%2Fcustomers.ndjson');
    await page.reload();
    await bad.getByText('b/customers.ndjson').waitFor();
    expect(await bad.getByRole('row').count()).toBe(2);
  });

  it('are shown while they run: rows a second, time left, and the way to cancel (R-252, R-253)', async () => {
    const page = await open('/runs');
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
    await page.goto(`${stack.baseUrl}/console/runs/slow-run#tenant=${demo.tenantId}`);
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
    const page = await open('/runs');
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
    await page.goto(`${stack.baseUrl}/console/runs/slow-run#tenant=${demo.tenantId}`);
    const button = page.getByRole('button', { name: 'Download NDJSON' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(await textOf(download)).toBe(rows);

    isBroken = true;
    const downloads: Download[] = [];
    page.on('download', (further) => downloads.push(further));
    await button.click();
    await page.getByRole('alert').waitFor();
    expect(downloads).toEqual([]);
    reader.complaints.length = 0; // Chromium reports every failed request
  });

  it('that do not exist are told, with a trace id', async () => {
    const page = await open('/runs/2026-01-01-nothing');
    expect(await page.getByRole('alert').innerText()).toMatch(/[0-9a-f]{32}/);
    reader.complaints.length = 0; // Chromium reports every 404
  });
});

function slowRun(look: number) {
  const isCancelled = look >= 1_000;
  const read = Math.min(look, 60) * 1_000;
  return {
    RunId: 'slow-run',
    JobId: 'hourly-transfer/x',
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

describe('a preview', () => {
  it('shows consents first and each field before and after, and is then run (R-255)', async () => {
    fillBucket(stack, 'preview-bucket', {
      'crm/customers.csv': 'Email,Name,EmailOptin\neve@example.com,Eve,true\nfay@example.com,Fay,\n',
    });
    const page = await open('/preview');
    await register(page, 'preview-bucket', 'crm/');
    await page.getByRole('button', { name: 'Preview' }).click();
    await badge(page, 'Succeeded').waitFor();
    await page.getByText('A preview: nothing is stored.').waitFor();
    await page.getByRole('heading', { name: 'What would change' }).waitFor();
    const examples = page.getByRole('heading', { level: 3 });
    expect(await examples.allInnerTexts()).toEqual(['Email eve@example.com', 'Email fay@example.com']);
    const fields = region(page, 'Fields of Email eve@example.com in crm/customers.csv');
    expect(await fields.getByRole('row', { name: /^EmailOptin/ }).innerText()).toMatch(/EmailOptin\s+none\s+Yes/);

    await page.getByRole('button', { name: 'Run it' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Run it' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type preview-bucket to confirm').fill('preview-bucket');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await region(page, 'Table of runs').getByRole('link').first().click();
    await badge(page, 'Succeeded').waitFor();
    await page.getByRole('heading', { name: 'What has changed' }).waitFor();
  });
});

describe('records', () => {
  it('are checked, shown with mistakes at their lines, sent and found (R-256)', async () => {
    const page = await open('/send');
    await page.getByLabel('What the records are').selectOption('Customers');
    await page
      .getByLabel('Records', { exact: true })
      .fill('Email,Name,SmsOptin\ngus@example.com,Gus,true\nwrong,Hal,\nida@example.com,"Ida, the second",\n');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('2 rows would be stored, 0 would delete, 1 would be rejected.').waitFor();
    const rejected = region(page, 'rejected rows');
    expect(await rejected.getByRole('row').nth(1).innerText()).toMatch(/3\s+Email/);
    await rejected.getByRole('button', { name: 'Go to line 3' }).click();
    const selected = await page
      .getByLabel('Records', { exact: true })
      .evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
    expect(selected).toBe('wrong,Hal,');
    await page.getByRole('button', { name: 'Send 2 good rows' }).click();
    await page.getByText('2 rows are stored, 0 have deleted, 1 were rejected.').waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Records' }).click();
    await page.getByLabel('Customer by e-mail').fill('ida@example.com');
    await page.getByRole('button', { name: 'Find' }).click();
    const found = region(page, 'Customer ida@example.com');
    await found.getByText('Ida, the second').waitFor();
    await found.getByText('True since').waitFor();
    expect(await found.getByRole('list', { name: 'Consents' }).innerText()).toContain('SMS No');
    expect(page.url()).toMatch(/\/console\/records#.*email=ida%40example.com/);
  });

  it('come from a dropped file, of the kind that its name says, and are grouped as in files (R-256)', async () => {
    const page = await open('/send');
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'orders.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'OrderId,Email,Currency,OrderItems.ProductId,OrderItems.Sku,OrderItems.Quantity,OrderItems.Price\n' +
          '77,gus@example.com,EUR,tea,tea-500,2,21.25\n77,,,cup,cup-1,1,9\n',
      ),
    });
    expect(await page.getByLabel('What the records are').inputValue()).toBe('orders');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('button', { name: 'Send 1 good rows' }).click();
    await page.getByText('1 rows are stored').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Records' }).click();
    await page.getByLabel('Find').selectOption('Order by id');
    await page.getByLabel('Order by id').fill('77');
    await page.getByRole('button', { name: 'Find' }).click();
    const items = region(page, 'OrderItems');
    await items.waitFor();
    expect(await items.getByRole('row').count()).toBe(3);
  });

  it('that are not there are told as such', async () => {
    const page = await open('/records#product=nothing');
    await page.getByText('Nothing is stored under this.').waitFor();
    reader.complaints.length = 0; // Chromium reports every 404
  });
});

describe('the choice of the tenant', () => {
  it('finds one among all of the organization, page by page (R-257)', async () => {
    const operator = operatorOf(stack);
    try {
      const ids = Array.from(
        { length: 120 },
        (_, index) => `22222222-2222-4222-8222-${String(index).padStart(12, '0')}`,
      );
      await Promise.all(ids.map((id) => createTenant({ id, organization: 'demo', defaultLanguage: 'en' }, operator)));
    } finally {
      await operator.close();
    }
    const page = await open('/records');
    await page.getByRole('button', { name: /^Tenant/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a tenant' });
    await dialog.getByRole('button', { name: 'Show more tenants' }).waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(100);
    await dialog.getByLabel('Search by id or name').fill('000000000119');
    await dialog.getByRole('button', { name: /000000000119/ }).click();
    await page.waitForURL(/tenant=22222222-2222-4222-8222-000000000119/);
    expect(page.url()).toContain('/console/records');
  });
});
