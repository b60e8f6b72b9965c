/** That what the build generates from the schemas finds the same violations as ajv does at run time. */
import { build } from 'esbuild';
import * as fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generatedValidators } from '../../functions/build/generated-validators';
import { customerSchema } from '../../shared/domain/dto/customer';
import { customerDeletionSchema, orderDeletionSchema, productDeletionSchema } from '../../shared/domain/dto/deletion';
import { orderSchema } from '../../shared/domain/dto/order';
import { previewOptionsSchema } from '../../shared/domain/dto/preview-options';
import { productSchema } from '../../shared/domain/dto/product';
import { transferOptionsSchema } from '../../shared/domain/dto/transfer-options';
import { MAX_FOLDER_PATHS } from '../../shared/domain/limits';
import type * as SchemaCheck from '../../shared/validation/schema-check';
import { compileSchemaCheck } from '../../shared/validation/schema-check';
import { PROJECT } from './built-artifacts';

/** Below the project: what is built here requires the project's packages. */
const LOCAL = join(PROJECT, '.local');
mkdirSync(LOCAL, { recursive: true });
const folder = mkdtempSync(join(LOCAL, 'generated-validators-'));
let built: typeof SchemaCheck;

beforeAll(async () => {
  const outfile = join(folder, 'schema-check.cjs');
  await build({
    entryPoints: [join(PROJECT, 'shared/validation/schema-check.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    packages: 'external',
    plugins: [generatedValidators],
  });
  built = jest.requireActual<typeof SchemaCheck>(outfile);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Values that are right for some field, near its bounds, or for none. */
const scalar = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    59,
    60,
    0.5,
    2 ** 31 - 1,
    2 ** 31,
    '',
    ' ',
    '\ud800',
    'ann@example.com',
    'en-GB',
    'EUR',
    'XXY',
    '2026-01-31',
    'acme-exports',
    '11111111-1111-4111-8111-111111111111',
  ),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(2, 3, 10, 50, 100, 200, 255, 300, 500, 600, 2000).map((length) => 'ä🍵'.repeat(length).slice(0, length)),
  fc.jsonValue({ maxDepth: 1 }),
); // prettier-ignore

interface Part {
  readonly properties: object;
  readonly items?: Part;
}

/** An object with any of the schema's fields, each with any value; arrays of such objects where the schema has them. */
function valuesOf(schema: Part): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties).map(([field, member]: [string, { items?: Partial<Part> }]) => {
    const { items } = member;
    if (!items) return [field, scalar] as const;
    const elements = items.properties ? fc.oneof(valuesOf(items as Part), scalar) : scalar;
    return [field, fc.oneof(fc.array(elements, { maxLength: 3 }), scalar)] as const;
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

describe('the generated validators', () => {
  it.each([
    ['customers', customerSchema],
    ['products', productSchema],
    ['orders', orderSchema],
    ['deletions of customers', customerDeletionSchema],
    ['deletions of products', productDeletionSchema],
    ['deletions of orders', orderDeletionSchema],
    ['transfer options', transferOptionsSchema],
    ['preview options', previewOptionsSchema],
  ])('find in %s what ajv finds', (_, schema) => {
    const [check, checkBuilt] = [compileSchemaCheck(schema), built.compileSchemaCheck(schema)];
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: valuesOf(schema) }, scalar), (value) => {
        const violations = check(value, '[3]');
        seen.add(violations.length > 0);
        expect(checkBuilt(value, '[3]')).toEqual(violations);
      }),
      { numRuns: 500, examples: [[{}], [{ TenantId: '' }], [null]] },
    );
    expect(seen).toContain(true);
  });

  it('find nothing in what is right, and too long an array where ajv does', () => {
    const options = { TenantId: '11111111-1111-4111-8111-111111111111', BucketName: 'acme-exports' };
    const tooLong = { ...options, DataFolderPaths: Array.from({ length: MAX_FOLDER_PATHS + 1 }, () => 'a') };
    const check = built.compileSchemaCheck(transferOptionsSchema);
    expect(check(options, '')).toEqual([]);
    expect(check(tooLong, '')).toEqual(compileSchemaCheck(transferOptionsSchema)(tooLong, ''));
    expect(check(tooLong, '')).toHaveLength(1);
  });

  it('refuse a schema that the build does not know', () => {
    expect(() => built.compileSchemaCheck({ ...customerSchema, $id: 'Other' } as never)).toThrow(
      'The build has generated nothing for the schema Other.',
    );
  });
});
