/**
 * A deletion that is accepted, read to be applied, and written at any moments of a slice beside it: what is stored in
 * the end is as if it had been applied when it was accepted, and the slice stored at its commit. Each combination is
 * tried.
 */
import { drainDeletions } from '../../../shared/deletions/apply-deletion';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import type { RecordKind } from '../../../shared/domain/identity';
import type { TenantSettings } from '../../../shared/domain/tenant';
import type { SliceSource } from '../../../shared/transfers/reading/check-slice';
import type { Expectation } from '../../../shared/transfers/reading/rows/row-applier';
import type { PreparedSlice } from '../../../shared/transfers/reading/slice';
import {
  applySlice,
  isPrepared,
  NO_EXPECTATION,
  prepareSlice,
  prepareSlices,
} from '../../../shared/transfers/reading/slice';
import type { TransferDependencies } from '../../../shared/transfers/runs/steps';
import { isStub, splitDocument } from '../../../shared/workspace/kept-tombstones';
import { overriding } from '../../support/overriding';
import { isCheckOf, leavingNoStub, without } from '../../faults/histories/protocol';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { aTenant } from '../support/tenant';
import { sliceSource } from './slice-source';

interface Case {
  readonly kind: RecordKind;
  readonly settings?: Partial<TenantSettings>;
  /** What the deletion targets. */
  readonly target: DeletionTarget;
  /** What may be stored before the slice, with something that a later record must not inherit. */
  readonly before: object;
  readonly row: object;
  /** Deleted before all, so that the flag is raised. */
  readonly other: DeletionTarget;
}

const item = (Sku: string) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 });
const variant = (Sku: string) => ({ VariantId: `v-${Sku}`, Sku });

const orders = {
  kind: 'orders',
  before: { OrderId: 'o', Currency: 'EUR', Email: 'ann@x.com', OrderItems: [item('old'), item('gone')] },
  row: { OrderId: 'o', Currency: 'USD', OrderDate: '2026-01-01', OrderItems: [item('gone'), item('new')] },
  other: { type: 'order', orderId: 'other' },
} as const;
const products = {
  kind: 'products',
  before: { ProductId: 'p', ProductName: 'old', ProductVariants: [variant('old'), variant('gone')] },
  row: { ProductId: 'p', ProductVariants: [variant('gone'), variant('new')] },
  other: { type: 'product', productId: 'other' },
} as const;
const bySku = { ...products, settings: { productIdentifier: 'sku' } } as const;
const customers = {
  kind: 'customers',
  before: { Email: 'ann@x.com', CustomerId: '1', EmailOptin: true, Phone: '1' },
  row: { Email: 'ann@x.com', CustomerId: '1', Name: 'new' },
  other: { type: 'customer', email: 'other@x.com', customerId: null },
} as const;

const CASES: Record<string, Case> = {
  'an order': { ...orders, target: { type: 'order', orderId: 'o' } },
  'an item': { ...orders, target: { type: 'orderItem', orderId: 'o', productId: null, sku: 'gone' } },
  'a product': { ...products, target: { type: 'product', productId: 'p' } },
  'a variant': { ...products, target: { type: 'variant', productId: 'p', variantId: 'v-gone' } },
  'a product by Sku': { ...bySku, target: { type: 'product', productId: 'p' } },
  'a product by Sku that the row takes over': {
    ...bySku,
    row: { ...bySku.row, ProductId: 'q' },
    target: { type: 'product', productId: 'p' },
  },
  'a customer by e-mail': { ...customers, target: { type: 'customer', email: 'ann@x.com', customerId: null } },
  'a customer by id': { ...customers, target: { type: 'customer', email: null, customerId: '1' } },
  'a customer whose other identifier the row changes': {
    ...customers,
    row: { Email: 'ann@x.com', CustomerId: '2' },
    target: { type: 'customer', email: null, customerId: '1' },
  },
  'a customer whose other identifier the row clears': {
    ...customers,
    row: { Email: 'ann@x.com', CustomerId: null },
    target: { type: 'customer', email: null, customerId: '1' },
  },
  'a customer by the identifier that the row gives it': {
    ...customers,
    row: { Email: 'ann@x.com', CustomerId: '2' },
    target: { type: 'customer', email: null, customerId: '2' },
  },
  'a customer by the identifier that the row does not name': {
    ...customers,
    row: { Email: 'ann@x.com', Name: 'new' },
    target: { type: 'customer', email: null, customerId: '1' },
  },
  'a customer by both identifiers': { ...customers, target: { type: 'customer', email: 'ann@x.com', customerId: '1' } },
  'a customer by both identifiers, whose other one the row changes': {
    ...customers,
    row: { Email: 'ann@x.com', CustomerId: '2' },
    target: { type: 'customer', email: 'ann@x.com', customerId: '2' },
  },
  'a customer whose identifier the row gives to another one': {
    ...customers,
    row: { Email: 'bob@x.com', CustomerId: '1' },
    target: { type: 'customer', email: null, customerId: '1' },
  },
  'a customer without the identifier with priority': {
    ...customers,
    before: { CustomerId: '1', EmailOptin: true, Phone: '1' },
    row: { CustomerId: '1', Name: 'new' },
    target: { type: 'customer', email: null, customerId: '1' },
  },
};

const MOMENTS = ['before the slice', 'while it is written', 'after it'] as const;
type Moment = (typeof MOMENTS)[number];

const ABSENT: Expectation = { records: 'absent', deletionFlag: 'unknown', tombstones: 'absent' };

interface Variation {
  readonly isStored: boolean;
  readonly isRaised: boolean;
  /** Whether the row says that it is newer than the deletion. */
  readonly isNewer: boolean;
  readonly expected: Expectation;
}

const BOTH = [false, true];
const VARIATIONS: Variation[] = BOTH.flatMap((isStored) =>
  BOTH.flatMap((isRaised) =>
    BOTH.flatMap((isNewer) => [NO_EXPECTATION, ABSENT].map((expected) => ({ isStored, isRaised, isNewer, expected }))),
  ),
);

/** The database as a service sees it that gets something wrong. */
type Mistake = (store: DocumentStore) => DocumentStore;

const NO_MISTAKE: Mistake = (store) => store;

function writingOverStubs(store: DocumentStore): DocumentStore {
  const passing = async (write: DocumentWrite): Promise<DocumentWrite> => {
    if (!('set' in write) || write.when !== 'absent') return write;
    const { when, ...unconditional } = write;
    const there = await store.get(write.set, AMPLE);
    return there && isStub(there.data) ? unconditional : { ...unconditional, when };
  };
  return overriding(store, {
    commit: async (writes, deadline) => store.commit(await Promise.all(writes.map(passing)), deadline),
  });
}

class Interleaving {
  private readonly lab: DeletionsLab;
  private uploadedAt = new Date(0);
  private slice: PreparedSlice | undefined;
  private applying: Promise<unknown> = Promise.resolve();
  private letWrite: () => void = () => undefined;

  constructor(
    private readonly tried: Case,
    private readonly variation: Variation,
    mistaken: Mistake,
  ) {
    this.lab = new DeletionsLab(aTenant({ customerIdentifier: 'email', ...tried.settings }));
    this.lab.store = mistaken(this.lab.memory);
  }

  async begin(): Promise<void> {
    const { lab, tried, variation } = this;
    if (variation.isStored) {
      this.uploadedAt = new Date(lab.clock.nowMs());
      await this.prepare(tried.before);
      await this.commit(tried.before);
    }
    lab.passMs(1_000);
    this.uploadedAt = new Date(lab.clock.nowMs());
    lab.passMs(1_000);
    if (variation.isRaised) await lab.accept(tried.other);
  }

  accept(): Promise<void> {
    return this.lab.accept(this.tried.target);
  }

  /** Reads what applying the deletion reads. It is written by `endApplying`. */
  async beginApplying(): Promise<void> {
    const { lab, tried } = this;
    let read: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => (read = resolve));
    const mayWrite = new Promise<void>((resolve) => (this.letWrite = resolve));
    const holding = overriding(lab.store, {
      commit: async (...call) => {
        read();
        await mayWrite;
        return lab.store.commit(...call);
      },
    });
    this.applying = drainDeletions(lab.tenant, tried.kind, AMPLE, lab.with(holding));
    await Promise.race([isRead, this.applying]); // where nothing is left to apply, nothing is written
  }

  async endApplying(): Promise<void> {
    this.letWrite();
    await this.applying;
  }

  async prepare(row: object = this.row, expected = NO_EXPECTATION): Promise<void> {
    const rows = [{ line: 1, record: row }];
    const [slice] = await prepareSlices([rows], this.source(), expected, [], AMPLE, this.dependencies());
    this.slice = slice && isPrepared(slice) ? slice : undefined;
  }

  /** Prepares the slice as others before it have told. */
  prepareAsExpected(): Promise<void> {
    return this.prepare(this.row, this.variation.expected);
  }

  /** After a conflict it is prepared anew. */
  async commit(row: object = this.row): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const slice =
        this.slice ?? (await prepareSlice([{ line: 1, record: row }], this.source(), AMPLE, this.dependencies()));
      this.slice = undefined;
      await applySlice(slice, []);
      if ((await this.lab.store.commit(slice.workspace.toWrites(), AMPLE)) !== 'conflict') return;
    }
    throw new Error('The slice was in conflict three times.');
  }

  /** What is stored once everything is applied. */
  async end(): Promise<string> {
    await this.lab.drain();
    const documents = await this.lab.documents(this.tried.kind);
    const shown = documents.map(({ data }) => {
      const { revision: _, partDeletions: __, ...rest } = splitDocument(data).record ?? {};
      return JSON.stringify(rest);
    });
    return shown.sort().join();
  }

  private get row(): object {
    // In a minute: later than all that is accepted.
    const UpdatedAt = new Date(this.uploadedAt.getTime() + 60_000).toISOString();
    return this.variation.isNewer ? { ...this.tried.row, UpdatedAt } : this.tried.row;
  }

  private source(): SliceSource {
    const { uploadedAt: updated } = this;
    const startedAt = new Date(updated.getTime() + 3_600_000); // `UpdatedAt` is in no future
    return sliceSource(this.lab.tenant, this.tried.kind, updated, startedAt);
  }

  private dependencies(): TransferDependencies {
    return this.lab as unknown as TransferDependencies;
  }
}

/** When a deletion is accepted, when applying it reads, and when it writes. */
type Moments = readonly [accepted: Moment, read: Moment, written: Moment];

/** What is left where the deletion comes at these moments of the slice. */
async function stateAfter(
  tried: Case,
  variation: Variation,
  [accepted, read, written]: Moments,
  mistaken: Mistake,
): Promise<string> {
  const interleaving = new Interleaving(tried, variation, mistaken);
  await interleaving.begin();
  const at = async (moment: Moment) => {
    if (accepted === moment) await interleaving.accept();
    if (read === moment) await interleaving.beginApplying();
    if (written === moment) await interleaving.endApplying();
  };
  await at('before the slice');
  await interleaving.prepareAsExpected();
  await at('while it is written');
  await interleaving.commit();
  await at('after it');
  return interleaving.end();
}

const ORDERS: readonly Moments[] = MOMENTS.flatMap((accepted, first) =>
  MOMENTS.slice(first).flatMap((read, second) =>
    MOMENTS.slice(first + second).map((written): Moments => [accepted, read, written]),
  ),
);

const all = (moment: Moment): Moments => [moment, moment, moment];

/** What is stored otherwise than it may be, of all combinations. */
async function wrongOf(tried: Case, mistaken: Mistake): Promise<{ readonly wrong: string[]; readonly count: number }> {
  const isPart = tried.target.type === 'orderItem' || tried.target.type === 'variant';
  const wrong: string[] = [];
  let count = 0;
  for (const variation of VARIATIONS) {
    const first = await stateAfter(tried, variation, all('before the slice'), NO_MISTAKE);
    const last = await stateAfter(tried, variation, all('after it'), NO_MISTAKE);
    for (const moments of ORDERS) {
      const [accepted] = moments;
      // An older row beside the deletion of a part: what else it has may be stored before or be stale after it.
      const isEither = isPart && !variation.isNewer && accepted === 'while it is written';
      const allowed = isEither ? [first, last] : [accepted === 'after it' ? last : first];
      const state = await stateAfter(tried, variation, moments, mistaken);
      count += 1;
      if (!allowed.includes(state)) wrong.push(JSON.stringify({ ...variation, moments, state, allowed }));
    }
  }
  return { wrong, count };
}

it.each(Object.keys(CASES))('%s', async (name) => {
  expect(await wrongOf(CASES[name]!, NO_MISTAKE)).toEqual({ wrong: [], count: 160 });
});

it.each<[string, Mistake]>([
  ['writes in place of a deleted order as if there had been none', writingOverStubs],
  ['leaves nothing of a deleted order', leavingNoStub],
])('is caught when it %s (R-300)', async (_, mistaken) => {
  expect((await wrongOf(CASES['an order']!, mistaken)).wrong).not.toEqual([]);
});

const BY_TOMBSTONES = [
  'a customer whose other identifier the row clears',
  'a customer by e-mail',
  'a customer by id',
  'a customer by the identifier that the row gives it',
];

it.each<[string, string, string]>([
  ...BY_TOMBSTONES.map(
    (name) => ['a row is stored although its tombstone is new', name, 'tombstones'] as [string, string, string],
  ),
  ['a deletion is applied although a row was stored since it has looked', 'a product', 'products'],
])('is caught when %s: %s (R-411)', async (_, name, collection) => {
  const withoutCheck: Mistake = (store) => without(store, isCheckOf(collection));
  expect((await wrongOf(CASES[name]!, withoutCheck)).wrong).not.toEqual([]);
});
