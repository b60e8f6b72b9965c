/** What is stored, read as an operator reads it (`admin records`). */
import { exportRecords, getRecord } from '../../shared/operations/records';
import type { Demo, DemoTenant } from './context';
import type { Fields, Kind } from './fields';
import { KINDS } from './fields';
import type { OddCase } from './shop/odd-cases';

/** All records of a kind, as `records export` prints them. */
export async function storedRecords(
  { operator }: Pick<Demo, 'operator'>,
  { tenantId }: DemoTenant,
  kind: Kind,
): Promise<Fields[]> {
  const records: Fields[] = [];
  for await (const record of exportRecords(tenantId, kind, operator)) records.push(asJson(record));
  return records;
}

/** One record, as `records get` prints it; null when there is none. */
export async function storedRecord(
  { operator }: Pick<Demo, 'operator'>,
  { tenantId }: DemoTenant,
  { kind, find }: Pick<OddCase, 'kind' | 'find'>,
): Promise<Fields | null> {
  const record = await getRecord(tenantId, kind, find, operator);
  return record && asJson(record);
}

/** How the stored records of one tenant and kind compare with the expected ones. */
export interface Comparison {
  readonly tenant: DemoTenant;
  readonly kind: Kind;
  readonly stored: readonly Fields[];
  readonly problems: readonly string[];
}

/** Compares every stored record of both tenants with what is expected now. */
export function compareAll(demo: Pick<Demo, 'operator' | 'tenants'>): Promise<Comparison[]> {
  const { aurora, borealis } = demo.tenants;
  const all = [aurora, borealis].flatMap((tenant) => KINDS.map((kind) => ({ tenant, kind })));
  return Promise.all(
    all.map(async ({ tenant, kind }) => {
      const stored = await storedRecords(demo, tenant, kind);
      return { tenant, kind, stored, problems: tenant.expected.differences(kind, stored) };
    }),
  );
}

function asJson(record: object): Fields {
  return JSON.parse(JSON.stringify(record)) as Fields;
}
