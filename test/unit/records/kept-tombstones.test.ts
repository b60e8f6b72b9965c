/** The tombstone of an order, which is a part of the order's own document. */
import { documentBytes } from '../../../shared/domain/records/document';
import type { DocumentData } from '../../../shared/domain/records/document';
import { deletionFlagPath, recordPath, tombstonePath } from '../../../shared/documents/paths';
import { orderRecordId } from '../../../shared/domain/identity';
import { MAX_TOMBSTONE_BESIDE_BYTES } from '../../../shared/limits/records';
import { joinDocument, splitDocument } from '../../../shared/workspace/kept-tombstones';
import { addTombstones } from '../../../shared/workspace/tombstones';
import { Workspace } from '../../../shared/workspace/workspace';
import { locateRow } from '../../../shared/transfers/reading/rows/located-row';
import { RowApplier } from '../../../shared/transfers/reading/rows/row-applier';
import { NO_EXPECTATION } from '../../../shared/transfers/reading/slice';
import { FixedClock } from '../../support/fixed-clock';
import { SeededRandom } from '../../support/seeded-random';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { AMPLE, DeletionsLab } from '../deletions/deletions-lab';
import { SlicesInMemory } from '../transfers/slices-in-memory';
import { aTenant, TENANT_ID } from '../support/tenant';

const ID = orderRecordId('o');
const ORDER = recordPath(TENANT_ID, 'orders', ID);
const TOMBSTONE = tombstonePath(TENANT_ID, 'orders', ID);
const NOON = new Date('2026-03-01T12:00:00Z');
const LATER = new Date('2026-03-02T12:00:00Z');
const deletedPart = (sku: string, deletedAt: Date) =>
  ({ target: { type: 'orderItem', orderId: 'o', productId: null, sku }, deletedAt }) as unknown as DocumentData;

async function loaded(stored?: DocumentData) {
  const store = new MemoryDocumentStore();
  if (stored) await store.commit([{ set: ORDER, data: stored }]);
  const observed = new ObservedDocumentStore(store);
  const workspace = new Workspace(observed, AMPLE);
  await workspace.load([ORDER, TOMBSTONE]);
  return { store, observed, workspace };
}

describe('in a workspace (R-300)', () => {
  it('is read with its order, in one document', async () => {
    const { observed, workspace } = await loaded({ OrderId: 'o', revision: 'r', tombstone: { deletedAt: NOON } });
    expect(observed.reads.flatMap(({ paths }) => paths)).toEqual([ORDER]);
    expect(workspace.get(ORDER)).toEqual({ OrderId: 'o', revision: 'r' });
    expect(workspace.get(TOMBSTONE)).toEqual({ deletedAt: NOON });
  });

  it('is all that is left of a deleted order, none of whose fields stay', async () => {
    const { store, workspace } = await loaded({ OrderId: 'o', Email: 'a@x.com', revision: 'r' });
    workspace.put(ORDER, undefined);
    await addTombstones(workspace, TENANT_ID, 'orders', [ID], NOON);
    expect(await store.commit(workspace.toWrites())).not.toBe('conflict');
    expect((await store.get(ORDER))?.data).toEqual({ state: 'deleted', tombstone: { deletedAt: NOON } });
  });

  it('alone is no order: its document takes one in the version that was read', async () => {
    const { store, workspace } = await loaded({ state: 'deleted', tombstone: { deletedAt: NOON } });
    expect([workspace.has(ORDER), workspace.get(ORDER), workspace.asOf(ORDER), workspace.writtenAt(ORDER)]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ]);
    expect([...workspace.changes()]).toEqual([]);
    workspace.put(ORDER, { OrderId: 'o', revision: 'r' });
    expect([...workspace.changes()]).toEqual([
      { path: ORDER, before: undefined, after: { OrderId: 'o', revision: 'r' } },
    ]);
    expect(await store.commit(workspace.toWrites())).not.toBe('conflict');
    const data = { OrderId: 'o', revision: 'r', tombstone: { deletedAt: NOON } };
    expect((await store.get(ORDER))?.data).toEqual(data);
  });

  it('is in the way of an order that was taken for new', async () => {
    const { store } = await loaded({ state: 'deleted', tombstone: { deletedAt: NOON } });
    const workspace = new Workspace(store, AMPLE);
    workspace.assumeAbsent([ORDER]);
    expect(workspace.isLoaded(TOMBSTONE)).toBe(true);
    workspace.put(ORDER, { OrderId: 'o', revision: 'r' });
    expect(await store.commit(workspace.toWrites())).toBe('conflict');
  });

  it('is checked with its document, and counts in the bytes of the commit', async () => {
    const { workspace } = await loaded();
    workspace.requireUnchanged(TOMBSTONE);
    expect(workspace.toWrites()).toEqual([{ check: ORDER, when: 'absent' }]);
    const partDeletions = [deletedPart('x'.repeat(90), NOON)];
    workspace.put(TOMBSTONE, { partDeletions });
    expect(workspace.changedBytes()).toBe(ORDER.length + documentBytes({ partDeletions }));
    workspace.put(ORDER, { OrderId: 'o' });
    expect(workspace.changedBytes()).toBe(
      ORDER.length + documentBytes({ partDeletions }) + documentBytes({ OrderId: 'o' }),
    );
  });

  it('is rolled back with its order', async () => {
    const { workspace } = await loaded({ OrderId: 'o', revision: 'r' });
    const before = workspace.changedBytes();
    workspace.setSavepoint();
    workspace.put(ORDER, undefined);
    await addTombstones(workspace, TENANT_ID, 'orders', [ID], NOON);
    workspace.rollBackToSavepoint();
    expect([workspace.has(ORDER), workspace.has(TOMBSTONE), workspace.changedBytes()]).toEqual([true, false, before]);
    expect(workspace.toWrites()).toEqual([]);
  });
});

describe('beside an order (R-300)', () => {
  it('keeps its deleted parts while they are few', () => {
    const tombstone = { deletedAt: NOON, partDeletions: [deletedPart('a', LATER)] };
    expect(splitDocument(joinDocument({ record: { OrderId: 'o' }, tombstone }))).toEqual({
      record: { OrderId: 'o' },
      tombstone,
    });
  });

  it('counts as deleted by the last of its parts where these would fill its document', () => {
    const partDeletions = Array.from({ length: 60 }, (_, n) => deletedPart(`${'x'.repeat(80)}${n}`, n ? NOON : LATER));
    expect(documentBytes({ partDeletions })).toBeGreaterThan(MAX_TOMBSTONE_BESIDE_BYTES);
    const joined = joinDocument({ record: { OrderId: 'o' }, tombstone: { partDeletions } });
    expect(joined).toEqual({ OrderId: 'o', tombstone: { deletedAt: LATER } });
    expect(splitDocument(joinDocument({ record: undefined, tombstone: { partDeletions } })).tombstone).toEqual({
      partDeletions,
    });
  });

  it('stays when the order is sent again, and again after that', async () => {
    const lab = new DeletionsLab();
    await lab.upsertOrder({ OrderId: 'o', Currency: 'EUR', Email: 'a@x.com' });
    await lab.accept({ type: 'order', orderId: 'o' });
    await lab.drain();
    const path = recordPath(lab.tenant.tenantId, 'orders', ID);
    const { tombstone } = splitDocument((await lab.memory.get(path))?.data);
    expect(tombstone?.deletedAt).toBeInstanceOf(Date);
    await lab.upsertOrder({ OrderId: 'o', Currency: 'EUR' });
    await lab.upsertOrder({ OrderId: 'o', Currency: 'USD' });
    const stored = splitDocument((await lab.memory.get(path))?.data);
    expect(stored.tombstone).toEqual(tombstone);
    expect(stored.record).toMatchObject({ Currency: 'USD' });
    expect(stored.record).not.toHaveProperty('Email', 'a@x.com');
  });
});

it('has the slices after it expect documents, not an absence that would be in conflict (R-300)', async () => {
  const { store } = await loaded({ state: 'deleted', tombstone: { deletedAt: NOON } });
  const expectationOf = (OrderId: string) => {
    const clock = new FixedClock(LATER.getTime());
    const context = { tenant: aTenant(), kind: 'orders', revision: 'r', uploadedAt: LATER, now: LATER } as const;
    const workspace = new Workspace(store, AMPLE);
    const applier = new RowApplier(workspace, context, { store, clock, random: new SeededRandom() }, AMPLE);
    return applier.load([locateRow({ dto: { OrderId, Currency: 'EUR' }, at: LATER }, context)], NO_EXPECTATION);
  };
  expect(await expectationOf('o')).toMatchObject({ records: 'unknown' });
  expect(await expectationOf('new')).toMatchObject({ records: 'absent' });
});

it('costs the rows of new orders no look beside pending deletions: only the flag is checked (R-300)', async () => {
  const slices = new SlicesInMemory('orders');
  await slices.put(deletionFlagPath(slices.tenant.tenantId, 'orders'), { state: 'raised' });
  const rows = Array.from({ length: 50 }, (_, n) => ({ OrderId: `o${n}`, Currency: 'EUR', OrderDate: '2026-01-01' }));
  const { writes, counts } = await slices.apply(rows, 1_000);
  expect(counts.stored).toBe(50);
  expect(writes.filter((write) => 'check' in write)).toHaveLength(1);
});
