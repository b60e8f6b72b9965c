/**
 * Rows that store and rows that delete, in any order and with older, equal and newer times, leave and count what a
 * model says that takes them one after the other, as of their times (D-54, R-27). So it does not matter which rows are
 * in one slice.
 */
import * as fc from 'fast-check';
import { recordsPath } from '../../../shared/documents/paths';
import type { RecordKind } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import type { ChangeCounts } from '../../../shared/transfers/runs/changes';
import { addChanges, areOfAllRows } from '../../../shared/transfers/runs/changes';
import type { RowCounts } from '../../../shared/transfers/runs/run';
import { addRows, rowsAddUp, NO_ROWS } from '../../../shared/transfers/runs/run';
import { withoutStubs } from '../../../shared/workspace/kept-tombstones';
import { SlicesInMemory } from './slices-in-memory';

const FILES = 400;
const FIRST = Date.parse('2026-01-01T00:00:00Z');
const time = (hour: number) => new Date(FIRST + hour * 3_600_000).toISOString();
const hours = fc.integer({ min: 1, max: 6 });

type Stored = 'Created' | 'Updated' | 'Unchanged';
type Outcome = Stored | 'stale' | 'Deleted';

/** What became of a row, and what is counted of the consents that it has. */
interface Effect {
  readonly outcome: Outcome;
  readonly consents?: readonly string[];
}

interface Model<Row> {
  take(row: Row): Effect;
  /** What is stored, in the form of `shown`. */
  readonly shown: readonly string[];
}

// --- Customers -------------------------------------------------------------------------------------------------------

interface CustomerRow {
  readonly Email?: string;
  readonly CustomerId?: string;
  readonly Name?: string;
  readonly EmailOptin?: boolean;
  readonly GdprOptin?: boolean;
  readonly at: number;
  readonly deletes: boolean;
}

type Identifier = 'Email' | 'CustomerId';

const CONSENTS = ['EmailOptin', 'GdprOptin'] as const;

interface Customer extends Pick<CustomerRow, Identifier | 'Name' | (typeof CONSENTS)[number] | 'at'> {
  readonly key: string;
}

class CustomersModel implements Model<CustomerRow> {
  private readonly customers = new Map<string, Customer>();
  private readonly deletedAt = new Map<string, number>();
  /** The same, of deletions that have found customers. */
  private readonly removedAt = new Map<string, number>();
  /** The rows of two identifiers that have deleted by the first one, by that. */
  private readonly deletedBy = new Map<string, { readonly second: string; readonly at: number }>();
  private readonly order: readonly Identifier[];

  constructor(priority: 'email' | 'customerid') {
    this.order = priority === 'email' ? ['Email', 'CustomerId'] : ['CustomerId', 'Email'];
  }

  take(row: CustomerRow): Effect {
    return row.deletes ? { outcome: this.delete(row) } : this.store(row);
  }

  get shown(): string[] {
    return [...this.customers.values()].map(shownCustomer);
  }

  private store(row: CustomerRow): Effect {
    const key = this.keyOf(row);
    const before = this.customers.get(key);
    const isKnown = before !== undefined && this.order.every((by) => row[by] === undefined || row[by] === before[by]);
    const deleted = isKnown ? [] : identitiesOf(row).map((identity) => this.deletedAt.get(identity) ?? 0);
    if (Math.max(before?.at ?? 0, ...deleted) > row.at) {
      const isNewer = before !== undefined && before.at > row.at;
      const said = CONSENTS.filter((consent) => row[consent] && !(isNewer && before[consent]));
      return { outcome: 'stale', consents: said.map((consent) => consent + (isNewer ? 'KeptWithdrawn' : 'Erased')) };
    }
    const none = { EmailOptin: false, GdprOptin: false };
    const { deletes: _deletes, ...after } = { ...none, ...before, ...row, key };
    this.customers.set(key, after);
    const changed = CONSENTS.filter((consent) => after[consent] !== (before ?? none)[consent]);
    const consents = changed.map((consent) => consent + (after[consent] ? 'Granted' : 'Withdrawn'));
    if (!before) return { outcome: 'Created', consents };
    return { outcome: shownCustomer(before) === shownCustomer(after) ? 'Unchanged' : 'Updated', consents };
  }

  private delete(row: CustomerRow): 'Deleted' | 'stale' {
    const [first = '', second = ''] = this.order.flatMap((by) => identitiesOf({ [by]: row[by] }));
    const last = this.deletedBy.get(first);
    const removedAt = this.removedAt.get(first) ?? 0;
    const wasHere = last?.second === second && last.at === row.at && removedAt === row.at;
    const findBy = (by: Identifier) =>
      [...this.customers.values()].filter((one) => row[by] !== undefined && one[by] === row[by]);
    if (second && findBy(this.order[0]!).length === 0) {
      if (removedAt > row.at) return 'stale';
      if (wasHere) return 'Deleted';
    }
    for (const by of this.order) {
      const found = findBy(by);
      if (found.length === 0) continue;
      const older = found.filter(({ at }) => at <= row.at);
      if (older.length === 0) return 'stale';
      for (const customer of older) {
        this.customers.delete(customer.key);
        const keyed = this.order.find((one) => customer[one] !== undefined)!;
        this.addRemovals(identitiesOf({ [keyed]: customer[keyed] }), row.at);
      }
      this.addRemovals(identitiesOf({ [by]: row[by] }), row.at);
      if (second && by === this.order[0] && this.removedAt.get(first) === row.at) {
        this.deletedBy.set(first, { second, at: row.at });
      }
      return 'Deleted';
    }
    const isNewer = (identity: string) => (this.deletedAt.get(identity) ?? 0) > row.at;
    if (identitiesOf(row).every(isNewer)) return 'stale';
    this.addTombstones(identitiesOf(row), row.at);
    return 'Deleted';
  }

  private addRemovals(identities: readonly string[], at: number): void {
    this.addTombstones(identities, at);
    for (const identity of identities) this.removedAt.set(identity, Math.max(at, this.removedAt.get(identity) ?? 0));
  }

  private addTombstones(identities: readonly string[], at: number): void {
    for (const identity of identities) this.deletedAt.set(identity, Math.max(at, this.deletedAt.get(identity) ?? 0));
  }

  private keyOf(row: CustomerRow): string {
    const [first, second] = this.order as readonly [Identifier, Identifier];
    return row[first] === undefined ? `only ${second} ${row[second]}` : `${first} ${row[first]}`;
  }
}

function shownCustomer({ Email, CustomerId, Name, EmailOptin, GdprOptin }: Partial<CustomerRow>): string {
  return JSON.stringify([Email, CustomerId, Name, EmailOptin, GdprOptin]);
}

function identitiesOf({ Email, CustomerId }: Partial<Pick<CustomerRow, Identifier>>): string[] {
  return [...(Email ? [`Email ${Email}`] : []), ...(CustomerId ? [`CustomerId ${CustomerId}`] : [])];
}

const customerRows: fc.Arbitrary<CustomerRow> = fc
  .record(
    {
      Email: fc.constantFrom('a@x.com', 'b@x.com'),
      CustomerId: fc.constantFrom('1', '2'),
      Name: fc.constantFrom('x', 'y'),
      EmailOptin: fc.boolean(),
      GdprOptin: fc.boolean(),
      at: hours,
      deletes: fc.boolean(),
    },
    { requiredKeys: ['at', 'deletes'] },
  )
  .map((row) => (row.Email === undefined && row.CustomerId === undefined ? { ...row, Email: 'a@x.com' } : row));

function toCustomer({ at, deletes, ...fields }: CustomerRow): object {
  return { ...fields, ...(deletes ? { DeletedAt: time(at) } : { UpdatedAt: time(at) }) };
}

// --- Products and orders ---------------------------------------------------------------------------------------------

interface CompoundRow {
  readonly id: string;
  readonly at: number;
  readonly does: 'store' | 'delete' | 'deletePart' | 'both';
  readonly value: string;
  readonly parts: readonly string[];
  /** Deleted in the row. */
  readonly deleted: readonly { readonly part: string; readonly at: number }[];
}

interface Compound {
  readonly value: string;
  readonly parts: ReadonlySet<string>;
  readonly at: number;
  readonly partDeletions: ReadonlyMap<string, number>;
}

/** What is known of a record that is not stored. */
interface Tombstone {
  readonly at: number;
  readonly partDeletions: ReadonlyMap<string, number>;
}

class CompoundsModel implements Model<CompoundRow> {
  private readonly records = new Map<string, Compound>();
  private readonly tombstones = new Map<string, Tombstone>();

  take(row: CompoundRow): Effect {
    return { outcome: this.outcomeOf(row) };
  }

  private outcomeOf(row: CompoundRow): Outcome {
    if (row.does === 'store') return this.store(row);
    if (row.does === 'delete') return this.delete(row) ? 'Deleted' : 'stale';
    const deletions = [...row.deleted].sort((a, b) => a.at - b.at);
    const removed = (some: typeof deletions) =>
      some.map(({ part, at }) => this.deletePart(row.id, part, at)).includes(true);
    if (row.does === 'deletePart') return removed(deletions) ? 'Deleted' : 'stale';
    const before = removed(deletions.filter(({ at }) => at <= row.at));
    const outcome = this.store(row);
    const after = removed(deletions.filter(({ at }) => at > row.at));
    if (!before && !after) return outcome;
    return outcome === 'stale' ? 'Deleted' : outcome === 'Unchanged' ? 'Updated' : outcome;
  }

  get shown(): string[] {
    return [...this.records].map(([id, { value, parts }]) => JSON.stringify([id, value, [...parts].sort()]));
  }

  private store({ id, at, value, parts }: CompoundRow): Stored | 'stale' {
    const before = this.records.get(id);
    const tombstone = this.tombstones.get(id);
    if ((before?.at ?? tombstone?.at ?? 0) > at) return 'stale';
    const partDeletions = new Map(
      [...((before ?? tombstone)?.partDeletions ?? [])].filter(([, deletedAt]) => deletedAt > at),
    );
    const kept = parts.filter((part) => !partDeletions.has(part));
    this.records.set(id, { value, at, partDeletions, parts: new Set([...(before?.parts ?? []), ...kept]) });
    if (!before) return 'Created';
    return before.value === value && kept.every((part) => before.parts.has(part)) ? 'Unchanged' : 'Updated';
  }

  private delete({ id, at }: CompoundRow): boolean {
    const before = this.records.get(id);
    const tombstone = this.tombstones.get(id);
    if ((before?.at ?? tombstone?.at ?? 0) > at) return false;
    const last = Math.max(at, tombstone?.at ?? 0);
    const partDeletions = new Map(
      [...(tombstone?.partDeletions ?? []), ...(before?.partDeletions ?? [])].filter(([, each]) => each > last),
    );
    this.records.delete(id);
    this.tombstones.set(id, { at: last, partDeletions });
    return true;
  }

  private deletePart(id: string, part: string, at: number): boolean {
    const before = this.records.get(id);
    const tombstone = this.tombstones.get(id);
    if ((before?.at ?? tombstone?.at ?? 0) > at) return false;
    if (!before) {
      this.tombstones.set(id, { at: tombstone?.at ?? 0, partDeletions: later(tombstone?.partDeletions, part, at) });
    } else if (before.parts.has(part)) {
      const parts = new Set([...before.parts].filter((one) => one !== part));
      this.records.set(id, { ...before, parts, at });
    } else {
      this.records.set(id, { ...before, partDeletions: later(before.partDeletions, part, at) });
    }
    return true;
  }
}

function later(
  partDeletions: ReadonlyMap<string, number> | undefined,
  part: string,
  at: number,
): ReadonlyMap<string, number> {
  return new Map([...(partDeletions ?? []), [part, Math.max(at, partDeletions?.get(part) ?? 0)]]);
}

const compoundRows: fc.Arbitrary<CompoundRow> = fc
  .record({
    id: fc.constantFrom('k', 'm'),
    at: hours,
    does: fc.constantFrom(
      'store' as const,
      'store' as const,
      'delete' as const,
      'deletePart' as const,
      'both' as const,
    ),
    value: fc.constantFrom('1', '2'),
    parts: fc.uniqueArray(fc.constantFrom('s', 't', 'u'), { maxLength: 2 }),
    deleted: fc.array(fc.record({ part: fc.constantFrom('s', 't', 'u'), at: hours }), { minLength: 1, maxLength: 2 }),
  })
  .map((row) => (row.does === 'store' ? { ...row, deleted: [] } : row));

function toOrder({ id, at, does, value, parts, deleted }: CompoundRow): object {
  if (does === 'delete') return { OrderId: id, DeletedAt: time(at) };
  const gone = deleted.map(({ part, at: deletedAt }) => ({ Sku: part, DeletedAt: time(deletedAt) }));
  if (does === 'deletePart') {
    const [only] = deleted;
    return gone.length === 1
      ? { OrderId: id, Sku: only!.part, DeletedAt: time(only!.at) }
      : { OrderId: id, OrderItems: gone };
  }
  const items = parts.map((Sku) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 }));
  return {
    OrderId: id,
    Currency: 'EUR',
    TotalRevenue: Number(value),
    UpdatedAt: time(at),
    OrderItems: [...gone, ...items],
  };
}

function toProduct({ id, at, does, value, parts, deleted }: CompoundRow): object {
  if (does === 'delete') return { ProductId: id, DeletedAt: time(at), ProductVariants: 'not looked at' };
  const gone = deleted.map(({ part, at: deletedAt }) => ({ VariantId: part, DeletedAt: time(deletedAt) }));
  if (does === 'deletePart') {
    const [only] = deleted;
    return gone.length === 1
      ? { ProductId: id, VariantId: only!.part, DeletedAt: time(only!.at) }
      : { ProductId: id, ProductVariants: gone };
  }
  const variants = parts.map((part) => ({ VariantId: part, Sku: `${id}-${part}` }));
  return { ProductId: id, ProductName: value, UpdatedAt: time(at), ProductVariants: [...variants, ...gone] };
}

// --- Both ------------------------------------------------------------------------------------------------------------

const SHOWN: Record<RecordKind, (data: Record<string, unknown>) => string> = {
  customers: shownCustomer,
  products: ({ ProductId, ProductName, ProductVariants }) => {
    const ids = (ProductVariants as { VariantId: string }[]).map(({ VariantId }) => VariantId);
    return JSON.stringify([ProductId, ProductName, ids.sort()]);
  },
  orders: ({ OrderId, TotalRevenue, OrderItems }) => {
    const skus = (OrderItems as { Sku: string }[]).map(({ Sku }) => Sku);
    return JSON.stringify([OrderId, String(TotalRevenue), skus.sort()]);
  },
};

async function expectModelled<Row>(
  kind: RecordKind,
  settings: Partial<TenantSettings>,
  { rows, toRecord, model }: { rows: fc.Arbitrary<Row>; toRecord: (row: Row) => object; model: () => Model<Row> },
): Promise<void> {
  const file = fc.array(rows, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
      const [slices, expected] = [new SlicesInMemory(kind, settings), model()];
      let counts: RowCounts = NO_ROWS;
      let changes: ChangeCounts = {};
      let stale = 0;
      const changed: Record<string, number> = {};
      const count = (change: string) => (changed[change] = (changed[change] ?? 0) + 1);
      for (const records of files) {
        const outcomes = await slices.applyAll(records.map(toRecord));
        counts = outcomes.reduce((sum, outcome) => addRows(sum, outcome.counts), counts);
        changes = outcomes.reduce((sum, outcome) => addChanges(sum, outcome.changes), changes);
        for (const row of records) {
          const { outcome, consents = [] } = expected.take(row);
          if (outcome === 'stale') stale += 1;
          else count(outcome);
          consents.forEach(count);
        }
      }
      await slices.applyDeletions();
      const records = withoutStubs(await slices.store.list(recordsPath(slices.tenant.tenantId, kind), { limit: 100 }));
      expect(records.map(({ data }) => SHOWN[kind](data)).sort()).toEqual([...expected.shown].sort());
      const { Created = 0, Updated = 0, Unchanged = 0, Deleted: deleted = 0 } = changed;
      const stored = Created + Updated + Unchanged;
      expect(counts).toEqual({ stored, stale, deleted, read: files.flat().length, invalid: 0 });
      expect(changes).toEqual(changed);
      expect(areOfAllRows({ [kind]: changes }, counts)).toBe(true);
      expect(rowsAddUp(counts)).toBe(true);
    }),
    { numRuns: FILES },
  );
}

const title = 'customers by %s, as of times, and their consents (R-27, R-28, R-85, R-86)';
it.each(['email', 'customerid'] as const)(title, async (customerIdentifier) => {
  const model = () => new CustomersModel(customerIdentifier);
  await expectModelled('customers', { customerIdentifier }, { rows: customerRows, toRecord: toCustomer, model });
});

it.each(['productid', 'sku'] as const)('products by %s, as of times (R-27, R-85, R-87)', async (productIdentifier) => {
  const model = () => new CompoundsModel();
  await expectModelled('products', { productIdentifier }, { rows: compoundRows, toRecord: toProduct, model });
});

it('orders, as of their times (R-27, R-85, R-87)', async () => {
  await expectModelled('orders', {}, { rows: compoundRows, toRecord: toOrder, model: () => new CompoundsModel() });
});
