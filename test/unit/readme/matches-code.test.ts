/**
 * What README.md tells of batches, fields and decisions must be what the schemas check, the rules store and tests hold.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createCustomer } from '../../../shared/domain/records/customer';
import { customerSchema } from '../../../shared/domain/dto/customer';
import { orderItemSchema, orderSchema } from '../../../shared/domain/dto/order';
import { previewOptionsSchema } from '../../../shared/domain/dto/preview-options';
import { productSchema, productVariantSchema } from '../../../shared/domain/dto/product';
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { MAX_BATCH, MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import { mergeOrder } from '../../../shared/domain/records/order';
import { toSchedule } from '../../../shared/domain/transfer';
import { aTenant } from '../support/tenant';

const ROOT = join(__dirname, '../../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const FIELDS = README.split('\n### Fields\n')[1]!.split('\n### ')[0]!;

/** The parts of a property's schema that the tables tell. */
interface Property {
  readonly type: string | readonly string[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Property;
}

interface Row {
  readonly type: string;
  readonly bounds: string;
  readonly required: string;
  readonly default: string;
}

/** The rows of the table below a record's name, one for each field. */
function tableOf(record: string): Map<string, Row> {
  const table = FIELDS.split(`**${record}**`)[1]!.split('\n**')[0]!;
  const rows = [...table.matchAll(/^\| (`.*?) \| (.*?) \| (.*?)(?: \||\|) (.*?)(?: \||\|) (.*?) ?\|$/gm)];
  return new Map(
    rows.flatMap(([, names = '', type = '', bounds = '', required = '', byDefault = '']) =>
      names
        .split(', ')
        .map((name) => [name.replaceAll('`', ''), { type, bounds, required, default: byDefault }] as const),
    ),
  );
}

/** The number that a text begins with: `2,000` is 2000. */
function leadingNumber(text: string): number | undefined {
  const digits = /^[\d,]+/.exec(text)?.[0].replaceAll(',', '');
  return digits ? Number(digits) : undefined;
}

const SCHEMAS = {
  Customer: customerSchema,
  Product: productSchema,
  Variant: productVariantSchema,
  Order: orderSchema,
  Item: orderItemSchema,
  'Transfer options': transferOptionsSchema,
  'Preview options': { properties: { SampleRowsPerFile: previewOptionsSchema.properties.SampleRowsPerFile } },
};

describe.each(Object.entries(SCHEMAS))('the fields of %s', (record, schema) => {
  const table = tableOf(record);
  const properties = Object.entries(schema.properties as Record<string, Property>);

  it('are those of the schema', () => {
    expect([...table.keys()].sort()).toEqual(properties.map(([name]) => name).sort());
  });

  it.each(properties)('%s has the type and bounds of the schema', (name, property) => {
    const { type, bounds } = table.get(name)!;
    expect(type.split(' ')[0]).toBe([property.type].flat()[0]);
    if (property.minimum !== undefined) expect(bounds).toBe(`${property.minimum} to ${property.maximum}`);
    else expect(leadingNumber(bounds)).toBe(property.maxLength ?? property.maxItems);
    const ofElement = property.items?.maxLength;
    if (ofElement) expect(bounds).toContain(`each of at most ${ofElement.toLocaleString('en')} characters`);
  });

  it('are required as in the schema', () => {
    const required = [...table].filter(([, row]) => row.required === 'yes').map(([name]) => name);
    expect(required.sort()).toEqual([...('required' in schema ? schema.required : [])].sort());
  });
});

it('tells the defaults of a new customer', () => {
  const tenant = aTenant({ defaultLanguage: 'pt-BR' });
  expect(defaultsIn('Customer', { "the tenant's": tenant.defaultLanguage })).toEqual(createCustomer({}, tenant));
});

it('tells the defaults of a new order', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const order = { OrderId: '1', Currency: 'EUR' };
  const { OrderId: _, Currency: __, Customer: ___, ...defaults } = mergeOrder(undefined, order, 'email', now);
  expect(defaultsIn('Order', { now })).toEqual(defaults);
});

it('tells no defaults of products, variants and items', () => {
  for (const record of ['Product', 'Variant', 'Item']) expect(defaultsIn(record, {})).toEqual({});
});

it('tells when a transfer starts by default (D-38)', () => {
  expect(defaultsIn('Transfer options', { 'the whole bucket': [] })).toEqual({
    HistoricalDataFolderPaths: [],
    DataFolderPaths: [],
    HourlyJobStartingMinuteUTC: 0,
    DailyJobStartingHourUTC: 0,
    DailyJobStartingMinuteUTC: 0,
  });
  const options = { TenantId: aTenant().tenantId, BucketName: 'acme-exports' };
  expect([toSchedule('daily', options), toSchedule('hourly', options)]).toEqual(['0 0 * * *', '0 * * * *']);
});

/** The defaults that a table tells: JSON in backquotes, or words that `meanings` explains. */
function defaultsIn(record: string, meanings: Record<string, unknown>): Record<string, unknown> {
  const listed = [...tableOf(record)].filter(([, row]) => row.default !== '');
  return Object.fromEntries(
    listed.map(([name, row]) => [
      name,
      row.default.startsWith('`') ? (JSON.parse(row.default.replaceAll('`', '')) as unknown) : meanings[row.default],
    ]),
  );
}

it('tells the largest batches', () => {
  for (const [kind, most] of Object.entries(MAX_BATCH)) {
    expect(README).toContain(`| POST | \`/${kind}/<tenant_id>\` | array of at most ${most.toLocaleString('en')};`);
    const deletions = `array of at most ${MAX_DELETION_BATCH.toLocaleString('en')} deletions |`;
    expect(README).toContain(`| POST | \`/${kind}/<tenant_id>/deletions\` | ${deletions}`);
  }
});

/**
 * The decisions with the tests that hold each: paths in `test/`, where a name without a folder is in the one before it.
 */
function heldDecisions(): { readonly id: string; readonly tests: readonly string[] }[] {
  return [...README.matchAll(/^\| ([DR]-\d{2,3}) \|.*\| ([^|]*) \|$/gm)].map(([, id = '', cell = '']) => {
    let folder = '';
    const tests = cell.split(', ').map((name) => {
      folder = name.includes('/') ? dirname(name) : folder;
      return join(folder, basename(name));
    });
    return { id, tests };
  });
}

/**
 * The titles in a test file, and in the suite of `test/http` that it runs. Some take the id from a row of their table.
 */
function titlesIn(file: string): string {
  const text = readFileSync(join(ROOT, 'test', file), 'utf8');
  const suites = [...text.matchAll(/from '\.\.\/suites\/([a-z-]+)'/g)].map(
    ([, suite = '']) => `http/suites/${suite}.ts`,
  );
  const titles = text.split('\n').filter((line) => /^\s*(?!\*|\/)[^/]*['`]/.test(line));
  return [...titles, ...suites.map(titlesIn)].join('\n');
}

it('has a test for each decision, with the decision in its title', () => {
  const decisions = heldDecisions();
  expect(decisions.length).toBeGreaterThan(50);
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  const untested = decisions.flatMap(({ id, tests }) =>
    tests.flatMap((test) => {
      const pattern = new RegExp(`^${test.replace('*', '[^/]*')}\\.test\\.ts$`);
      const titles = files.filter((file) => pattern.test(file)).map(titlesIn);
      return titles.some((text) => text.includes(id)) ? [] : [`${id}: ${test}`];
    }),
  );
  expect(untested).toEqual([]);
});
