/** An operator is asked why a file is not there, and has three clicks to find out. */
import type { Page } from 'playwright-core';
import {
  badge,
  fillBucket,
  fillHourly,
  operatorSessionOf,
  region,
  screenshot,
  useDemoConsole,
} from './console-visitor';
import { DESKTOP, openAs } from './reader';

const the = useDemoConsole();

let operators: Awaited<ReturnType<typeof operatorSessionOf>>;
beforeAll(async () => {
  fillBucket(the.stack, 'x-bucket', {
    'shop/customers.ndjson': '{"Email":"ann@example.com"}\n',
    'shop/orders.xlsx': 'x',
    'shop/bestellungen.csv': 'OrderId\n1\n',
    'shop/products.csv': 'Name\nShoe\n',
  });
  operators = await operatorSessionOf(the.browser, the.stack);
  const page = await the.open('/transfers#form=hourly');
  await fillHourly(page, 'x-bucket', 'shop');
  await page.getByRole('button', { name: 'Save' }).click();
  await region(page, 'Hourly transfer').getByRole('button', { name: 'Run now' }).click();
  await badge(page, 'Partial').waitFor();
  await the.reader.close();
});

async function openOverview(): Promise<Page> {
  const url = `${operators.origin}/console/overview`;
  the.reader = await openAs(the.browser, url, { ...DESKTOP, storageState: operators.session });
  return the.reader.page;
}

describe('why a file of a tenant is not there (R-350)', () => {
  it('is on the first page, where the file cannot be read', async () => {
    const page = await openOverview();
    await page.getByText('Runs have left out files or rows: the last of them are below.').waitFor();
    const runs = region(page, 'Table of partial runs');
    expect(await runs.getByRole('row').nth(1).innerText()).toContain(
      'shop/products.csv: The header row must name the field ProductId.',
    );
    await screenshot(page, 'overview of all tenants, a partial run');
  });

  it('is a click from there, where its name says no kind or no format', async () => {
    const page = await openOverview();
    await region(page, 'Table of partial runs').getByRole('row').nth(1).getByRole('link').first().click();
    const files = region(page, 'Table of files');
    await files.getByText('unknown format').waitFor();
    expect(await files.getByRole('row', { name: /bestellungen/ }).innerText()).toContain('unknown kind');
    expect(await files.getByRole('row', { name: /orders\.xlsx/ }).innerText()).toContain('unknown format');
  });

  it('is found by the tenant, its last run and the folders of it, where the file is in no folder that is read', async () => {
    const page = await openOverview();
    await region(page, 'Table of partial runs').getByRole('link', { name: the.demo.tenantId }).click();
    await page.getByText('Files that could not be read: 1, in 1 of the last runs.').waitFor();
    await page.getByRole('link', { name: 'See the last one' }).click();
    await page.getByText('x-bucket').first().waitFor();
    await page.getByText('shop', { exact: true }).first().waitFor();
    await screenshot(page, 'a run of a tenant, as operators see it');
  });
});
