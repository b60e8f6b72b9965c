/** What a person does in the console: registers a bucket, previews it and runs that, finds and sends records. */
import { createTenant } from '../../shared/operations/tenants';
import { operatorOf } from '../support/running-stack';
import { badge, fillBucket, fillSource, region, useDemoConsole } from './console-visitor';
import { expectRows } from './reader';

const the = useDemoConsole();

describe('transfers', () => {
  it('are registered, tested, changed and unregistered (R-254)', async () => {
    fillBucket(the.stack, 'daily-bucket', { 'shop/customers.ndjson': '{"Email":"ann@example.com"}\n' });
    const page = await the.open('/transfers');
    await region(page, 'Daily transfer').getByRole('link', { name: 'Register one' }).click();
    await fillSource(page, 'no-bucket-yet', 'shop/');
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
    const page = await the.open('/transfers#form=hourly');
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
    await fillSource(page, 'closed-bucket');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service may not read the bucket closed-bucket. A role is missing.').waitFor();
    await page
      .getByText(
        'gcloud storage buckets add-iam-policy-binding gs://closed-bucket --member=serviceAccount:runner@example.com --role=roles/storage.objectViewer',
      )
      .waitFor();
  });

  it('read a file when it comes, once the owner has run both commands (R-377, R-381, R-383)', async () => {
    fillBucket(the.stack, 'live-bucket', { 'old.txt': 'x' });
    const page = await the.open('/transfers');
    await region(page, 'Live transfer').getByRole('link', { name: 'Register one' }).click();
    await fillSource(page, 'live-bucket', 'shop/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The service can read the bucket live-bucket.').waitFor();
    await page.getByText('gcloud storage buckets add-iam-policy-binding gs://live-bucket').waitFor();
    await page.getByText('gcloud storage buckets notifications create gs://live-bucket').waitFor();
    const live = region(page, 'Live transfer');
    await live.getByText('When files are uploaded; looks for missed ones every day at').waitFor();

    fillBucket(the.stack, 'live-bucket', { 'shop/customers.ndjson': '{"Email":"live@example.com"}\n' });
    await live.getByRole('link', { name: 'Its runs' }).click();
    await page.getByRole('row', { name: /Uploads/ }).waitFor();
  });

  it('say at its field what the service refuses', async () => {
    const page = await the.open('/transfers#form=historical');
    await fillSource(page, 'Not a bucket', '/shop');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('alert').getByText('Some of what you entered is not valid.').waitFor();
    expect(await page.getByLabel('Bucket').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').innerText()).toMatch(/[0-9a-f]{32}/);
    the.reader.complaints.length = 0; // Chromium reports every 400
  });
});

describe('a preview', () => {
  it('shows consents first and each field before and after, and is then run (R-255)', async () => {
    fillBucket(the.stack, 'preview-bucket', {
      'crm/customers.csv': 'Email,Name,EmailOptin\neve@example.com,Eve,true\nfay@example.com,Fay,\n',
    });
    const page = await the.open('/preview');
    await fillSource(page, 'preview-bucket', 'crm/');
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
    await dialog.getByText('Rows that would be stored, by the preview: 2. Rows that would delete: 0.').waitFor();
    await dialog.getByLabel('Type preview-bucket to confirm').fill('preview-bucket');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await region(page, 'Table of runs').getByRole('link').first().click();
    await badge(page, 'Succeeded').waitFor();
    await page.getByRole('heading', { name: 'What has changed' }).waitFor();
  });
});

describe('records', () => {
  it('are checked, shown with mistakes at their lines, sent and found (R-256)', async () => {
    const page = await the.open('/send');
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
    await page.waitForURL(/\/console\/records#.*email=ida%40example.com/);
  });

  it('come from a dropped file, of the kind that its name says, and are grouped as in files (R-256)', async () => {
    const page = await the.open('/send');
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
    await expectRows(items, 3);
  });

  it('that are not there are told as such', async () => {
    const page = await the.open('/records#product=nothing');
    await page.getByText('Nothing is stored under this.').waitFor();
    the.reader.complaints.length = 0; // Chromium reports every 404
  });

  it('a record whose deletion is not applied yet is told as such, and since when (R-355)', async () => {
    const page = await the.open('/records');
    const data = { deletionAcceptedAt: '2026-03-01T10:00:00.000Z' };
    await page.route('**/console/api/orders/**', (route) =>
      route.fulfill({ status: 404, json: { success: false, message: 'Order not found.', data } }),
    );
    await page.getByLabel('Find', { exact: true }).selectOption('Order by id');
    await page.getByLabel('Order by id').fill('77');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('A deletion of it is accepted, and will be applied.').waitFor();
    expect(await page.getByRole('status').getByRole('time').getAttribute('title')).toBe('2026-03-01 10:00:00 UTC');
    the.reader.complaints.length = 0; // Chromium reports every 404
  });
});

describe('the choice of the tenant', () => {
  it('finds one among all of the organization, page by page (R-257)', async () => {
    const operator = operatorOf(the.stack);
    try {
      const ids = Array.from(
        { length: 120 },
        (_, index) => `22222222-2222-4222-8222-${String(index).padStart(12, '0')}`,
      );
      await Promise.all(ids.map((id) => createTenant({ id, organization: 'demo', defaultLanguage: 'en' }, operator)));
    } finally {
      await operator.close();
    }
    const page = await the.open('/records');
    await page.getByRole('button', { name: /^Tenant/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a tenant' });
    await dialog.getByRole('button', { name: 'Show more tenants' }).waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(100);
    await dialog.getByLabel('Search by id or name').fill('000000000119');
    await dialog.getByRole('button', { name: /000000000119/ }).click();
    await page.waitForURL(/tenant=22222222-2222-4222-8222-000000000119/);
    await page.waitForURL((url) => url.href.includes('/console/records'));
  });
});
