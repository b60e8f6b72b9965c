/**
 * What docs/api.md tells of batches and fields must be what the schemas check and the rules store: its tables are made
 * from `openapi.json`, and here they are held against the code.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCustomer } from '../../../shared/domain/records/customer';
import {
  customerDeletionSchema,
  orderDeletionSchema,
  productDeletionSchema,
} from '../../../shared/domain/dto/deletion';
import { customerSchema } from '../../../shared/domain/dto/customer';
import { orderItemSchema, orderSchema } from '../../../shared/domain/dto/order';
import { previewOptionsSchema } from '../../../shared/domain/dto/preview-options';
import { productSchema, productVariantSchema } from '../../../shared/domain/dto/product';
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { MAX_BATCH, MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import { withFormat } from '../../../shared/endpoint/description/format-schemas';
import { mergeOrder } from '../../../shared/domain/records/order';
import { toSchedule } from '../../../shared/domain/transfer';
import { aTenant } from '../support/tenant';

const PAGE = readFileSync(join(__dirname, '../../../docs/api.md'), 'utf8');

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

/** The rows of the table below a record's heading, one for each field. */
function tableOf(record: string): Map<string, Row> {
  const section = PAGE.split(`\n### ${record}\n`)[1]!.split('\n### ')[0]!;
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| .* \|$/gm)];
  return new Map(
    rows.map(([, name = '', type = '', bounds = '', required = '', byDefault = '']) => [
      name,
      { type, bounds, required, default: byDefault },
    ]),
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
  ProductVariant: productVariantSchema,
  Order: orderSchema,
  OrderItem: orderItemSchema,
  TransferOptions: transferOptionsSchema,
  PreviewOptions: previewOptionsSchema,
  CustomerDeletion: customerDeletionSchema,
  ProductDeletion: productDeletionSchema,
  OrderDeletion: orderDeletionSchema,
};

describe.each(Object.entries(SCHEMAS))('the fields of %s', (record, schema) => {
  const table = tableOf(record);
  const properties = Object.entries(schema.properties as Record<string, Property>).map(
    ([name, property]) => [name, { ...property, ...withFormat({ ...property }) }] as const,
  );

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
  expect(defaultsIn('Customer', { "that of the tenant's settings": tenant.defaultLanguage })).toEqual(
    createCustomer({}, tenant),
  );
});

it('tells the defaults of a new order', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const order = { OrderId: '1', Currency: 'EUR' };
  const { OrderId: _, Currency: __, Customer: ___, ...defaults } = mergeOrder(undefined, order, 'email', now);
  expect(defaultsIn('Order', { 'the time of the request': now })).toEqual(defaults);
});

it('tells no defaults of products, variants and items', () => {
  for (const record of ['Product', 'ProductVariant', 'OrderItem']) expect(defaultsIn(record, {})).toEqual({});
});

it('tells when a transfer starts by default (D-38)', () => {
  expect(defaultsIn('TransferOptions', { 'the whole bucket': [] })).toEqual({
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
  const elements = { customers: 'Customer', products: 'Product', orders: 'Order' } as const;
  for (const [kind, most] of Object.entries(MAX_BATCH) as [keyof typeof elements, number][]) {
    const element = elements[kind];
    const row = `/{tenantId}?onInvalid=&validateOnly=\` | array of at most ${most.toLocaleString('en')} [${element}]`;
    expect(PAGE).toContain(`| POST | \`/${kind}${row}`);
    const deletions = `array of at most ${MAX_DELETION_BATCH.toLocaleString('en')} [${element}Deletion]`;
    expect(PAGE).toContain(`| POST | \`/${kind}/{tenantId}/deletions?onInvalid=&validateOnly=\` | ${deletions}`);
  }
});
