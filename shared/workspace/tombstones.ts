/**
 * Tombstones. A tombstone says when the record with an identity was last deleted. It outlives the record, so an older
 * file never brings the record back (D-54). It holds only ids, hashes and times. Tombstones are kept for good, because
 * a historical transfer reads files of any age. Those of orders are in the orders' own documents
 * (`kept-tombstones.ts`). What is here names a tombstone by its path, wherever it is.
 */
import { tombstonePath } from '../documents/paths';
import { later } from '../domain/values/date-time';
import type { PartTarget } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordId, RecordKind } from '../domain/identity';
import { MAX_PART_DELETIONS, MAX_PART_ID_LENGTH } from '../limits/records';
import { hasAtMost, toMatchingId } from '../domain/values/text';
import { PART_DELETIONS, REMOVAL_TIME, TOMBSTONE_TIME } from './record-documents';
import type { Workspace } from './workspace';

/** The field with the time of the deletion by which the record lost its consents. */
const WITHDRAWN_AT = 'withdrawnAt';

/** The field with the row of a file that deleted customers last by this identity, its first one of two. */
const DELETED_BY = 'deletedBy';

/** A row that deletes customers by two identifiers (D-43). */
export interface DeletingRow {
  readonly second: RecordId;
  readonly at: Date;
}

/**
 * A deletion of a part that was not stored. A stored product or order keeps it in its own document. If the record is
 * not stored either, the tombstone keeps it until a row creates the record.
 */
export interface PartDeletion {
  readonly target: PartTarget;
  readonly deletedAt: Date;
}

/**
 * Adds tombstones to the workspace for these identities, by which a deletion has found records. One with a later time
 * keeps its time.
 * @param recordPartDeletions part deletions that the removed product or order kept; the tombstone keeps the later ones
 */
export async function addTombstones(
  workspace: Workspace,
  tenantId: string,
  kind: RecordKind,
  ids: readonly RecordId[],
  deletedAt: Date,
  recordPartDeletions: readonly PartDeletion[] = [],
): Promise<void> {
  const paths = tombstonePaths(tenantId, kind, [...new Set(ids)]);
  await workspace.load(paths);
  if (kind === 'customers') {
    for (const path of paths) addTime(workspace, path, [TOMBSTONE_TIME, REMOVAL_TIME], deletedAt);
    return;
  }
  for (const path of paths) {
    const tombstone = workspace.get(path);
    const earlier = deletedAtOf(tombstone);
    if (earlier && earlier >= deletedAt && recordPartDeletions.length === 0) continue;
    const last = earlier && earlier >= deletedAt ? earlier : deletedAt;
    const laterParts = deletedAfter(mergePartDeletions(partDeletionsOf(tombstone), recordPartDeletions), last);
    workspace.put(path, toTombstone(last, laterParts));
  }
}

/** Adds tombstones for these identities of customers, by which a deletion has found nobody. Later ones stay. */
export async function addUnmatchedTombstones(
  workspace: Workspace,
  tenantId: string,
  ids: readonly RecordId[],
  deletedAt: Date,
): Promise<void> {
  const paths = tombstonePaths(tenantId, 'customers', [...new Set(ids)]);
  await workspace.load(paths);
  for (const path of paths) addTime(workspace, path, [TOMBSTONE_TIME], deletedAt);
}

/** Adds a time to these fields of a customer's tombstone, each of which keeps a later one. */
function addTime(workspace: Workspace, path: string, fields: readonly string[], time: Date): void {
  const tombstone: DocumentData = { [REMOVAL_TIME]: null, ...workspace.get(path) };
  const earlier = fields.filter((field) => ((tombstone[field] as Date | null | undefined) ?? new Date(0)) < time);
  if (earlier.length === 0) return;
  workspace.put(path, { ...tombstone, ...Object.fromEntries(earlier.map((field) => [field, time])) });
}

/** Adds deletions of parts to the tombstone of a record that is not stored. */
export async function addPartDeletions(
  workspace: Workspace,
  tenantId: string,
  kind: RecordKind,
  id: RecordId,
  deleted: readonly PartDeletion[],
): Promise<void> {
  const path = tombstonePath(tenantId, kind, id);
  await workspace.load([path]);
  const parts = mergePartDeletions(partDeletionsOf(workspace.get(path)), deleted);
  if (parts.length > 0) workspace.put(path, toTombstone(deletedAtOf(workspace.get(path)), parts));
}

/**
 * Merges two lists into the last deletion of each part, from the oldest to the newest: the newest MAX_PART_DELETIONS. A
 * deletion that no stored part can match is left out. Ids are kept in their matching form, without surrounding blanks:
 * a request may have thousands of them, and they would fill the document.
 */
export function mergePartDeletions(one: readonly PartDeletion[], other: readonly PartDeletion[]): PartDeletion[] {
  return lastOfEach([...one, ...other].sort((a, b) => a.deletedAt.getTime() - b.deletedAt.getTime()));
}

/** The last deletion of each part, in the order of the list: the last MAX_PART_DELETIONS. */
function lastOfEach(parts: readonly PartDeletion[]): PartDeletion[] {
  const last = new Map<string, PartDeletion>();
  for (const { target, deletedAt } of parts) {
    const deletion = { target: toMatchingTarget(target), deletedAt };
    const { recordId, partIds } = idsOf(deletion.target);
    if ([recordId, ...partIds].some((id) => id !== null && !hasAtMost(id, MAX_PART_ID_LENGTH))) continue;
    const key = JSON.stringify(partIds);
    last.delete(key); // so that `set` appends it
    last.set(key, deletion);
  }
  return [...last.values()].slice(-MAX_PART_DELETIONS);
}

/**
 * Merges the deletions of another tombstone, or Sku index entry, into the one that is kept. Undefined: that one has all
 * of them already.
 */
export function mergeTombstones(kept: DocumentData | undefined, other: DocumentData): DocumentData | undefined {
  const deletedAt = later(deletedAtOf(kept), deletedAtOf(other));
  const all = mergePartDeletions(partDeletionsOf(kept), partDeletionsOf(other));
  const parts = all.filter((part) => !deletedAt || part.deletedAt > deletedAt);
  const removal = lastRemoval(kept, other);
  const isKnown =
    deletedAt?.getTime() === deletedAtOf(kept)?.getTime() &&
    JSON.stringify(removal) === JSON.stringify(lastRemoval(kept, {})) &&
    areSameParts(parts, partDeletionsOf(kept));
  if (isKnown) return undefined;
  const { [PART_DELETIONS]: _parts, [DELETED_BY]: _deletedBy, ...rest } = kept ?? {};
  return { ...rest, ...toTombstone(deletedAt, parts), ...removal };
}

/**
 * What is known of the last deletion that found customers: its time, and the row of a file that it was. Of the same
 * time the other tombstone is the later one.
 */
function lastRemoval(kept: DocumentData | undefined, other: DocumentData): DocumentData {
  const timeOf = (tombstone: DocumentData) => removedAtOf(tombstone)?.getTime() ?? 0;
  const hasRow = (tombstone: DocumentData) => Number(tombstone[DELETED_BY] !== undefined);
  const [last] = [other, kept ?? {}]
    .filter((tombstone) => tombstone[REMOVAL_TIME] !== undefined)
    .sort((a, b) => timeOf(b) - timeOf(a) || hasRow(b) - hasRow(a));
  if (!last) return {};
  const { [REMOVAL_TIME]: time, [DELETED_BY]: row } = last;
  return { [REMOVAL_TIME]: time, ...(row !== undefined && { [DELETED_BY]: row }) };
}

/** Whether two lists hold the same deletions, in any order. */
function areSameParts(parts: readonly PartDeletion[], kept: readonly PartDeletion[]): boolean {
  return parts.length === kept.length && parts.every((part) => containsPartDeletion(kept, part));
}

/** Whether the list has a deletion of the same part at the same time or later. */
export function containsPartDeletion(parts: readonly PartDeletion[], { target, deletedAt }: PartDeletion): boolean {
  const { partIds } = idsOf(toMatchingTarget(target));
  return parts.some(
    (part) => part.deletedAt >= deletedAt && idsOf(part.target).partIds.every((id, index) => id === partIds[index]),
  );
}

/** The ids of a record and, inside it, of a part. The parts of one record are all variants or all items. */
function idsOf(target: PartTarget): { readonly recordId: string; readonly partIds: readonly (string | null)[] } {
  return target.type === 'variant'
    ? { recordId: target.productId, partIds: [target.variantId] }
    : { recordId: target.orderId, partIds: [target.productId, target.sku] };
}

function toMatchingTarget(target: PartTarget): PartTarget {
  if (target.type === 'variant') {
    return { ...target, productId: toMatchingId(target.productId), variantId: toMatchingId(target.variantId) };
  }
  const { orderId, productId, sku } = target;
  return {
    ...target,
    orderId: toMatchingId(orderId),
    productId: productId && toMatchingId(productId),
    sku: sku && toMatchingId(sku),
  };
}

/** The paths of the tombstones of these identities. */
export function tombstonePaths(tenantId: string, kind: RecordKind, ids: readonly RecordId[]): string[] {
  return ids.map((id) => tombstonePath(tenantId, kind, id));
}

/**
 * When a record with one of these tombstones was last deleted, as far as they are loaded; undefined: never. A commit
 * misses no later deletion if it requires that the kind's pending-deletions flag is unchanged and, while that is
 * raised, that the tombstones are.
 */
export function lastDeletedAt(workspace: Workspace, tombstones: readonly string[]): Date | undefined {
  const loaded = tombstones.filter((path) => workspace.isLoaded(path));
  return loaded.map((path) => deletedAtOf(workspace.get(path))).reduce(later, undefined);
}

/** The deletions that are later than a time; one at the same time is not (D-54). */
export function deletedAfter(parts: readonly PartDeletion[], time: Date): readonly PartDeletion[] {
  return parts.filter(({ deletedAt }) => deletedAt > time);
}

function toTombstone(deletedAt: Date | undefined, parts: readonly PartDeletion[]): DocumentData {
  return { ...(deletedAt && { [TOMBSTONE_TIME]: deletedAt }), ...toPartDeletionsField(parts) };
}

/** The document field with these deletions; no field if there are none. */
export function toPartDeletionsField(parts: readonly PartDeletion[]): DocumentData {
  return parts.length === 0 ? {} : { [PART_DELETIONS]: parts as unknown as DocumentData[] };
}

/** The time of deletion of a tombstone, or of a Sku index entry; undefined: none. */
export function deletedAtOf(tombstone: DocumentData | undefined): Date | undefined {
  return tombstone?.[TOMBSTONE_TIME] as Date | undefined;
}

/** The time of the last deletion that found a customer; undefined: none is known. */
export function removedAtOf(tombstone: DocumentData | undefined): Date | undefined {
  return (tombstone?.[REMOVAL_TIME] as Date | null | undefined) ?? undefined;
}

/**
 * Adds to the tombstone of an identity in the workspace by which row customers were deleted. The tombstone must be
 * loaded. One of a later deletion stays as it is.
 */
export function recordDeletingRow(workspace: Workspace, tenantId: string, first: RecordId, row: DeletingRow): void {
  const path = tombstonePath(tenantId, 'customers', first);
  const tombstone = workspace.get(path);
  if (removedAtOf(tombstone)?.getTime() !== row.at.getTime()) return;
  workspace.put(path, { ...tombstone, [DELETED_BY]: { ...row } });
}

/** Whether the last deletion that found customers by this identity, its first one of two, was by this row. */
export function wasDeletedBy(tombstone: DocumentData | undefined, { second, at }: DeletingRow): boolean {
  const row = tombstone?.[DELETED_BY] as unknown as DeletingRow | undefined;
  const times = [row?.at, removedAtOf(tombstone)].map((time) => time?.getTime());
  return row?.second === second && times.every((time) => time === at.getTime());
}

/** Whether nobody knows if the last deletion by an identity found a customer, and it was as of this very time. */
export function isUnknownRemovalAt(tombstone: DocumentData | undefined, at: Date): boolean {
  return tombstone?.[REMOVAL_TIME] === undefined && deletedAtOf(tombstone)?.getTime() === at.getTime();
}

/**
 * Adds to a customer's tombstone in the workspace that a replayed deletion (`deletions/replay-deletions`) withdrew the
 * record's consents. The tombstone must be loaded.
 */
export function recordConsentWithdrawal(workspace: Workspace, tenantId: string, key: RecordId, deletedAt: Date): void {
  const path = tombstonePath(tenantId, 'customers', key);
  workspace.put(path, { ...workspace.get(path), [WITHDRAWN_AT]: deletedAt });
}

/** Whether this deletion, or a later one, withdrew the record's consents. The tombstone must be loaded. */
export function isConsentWithdrawn(workspace: Workspace, tenantId: string, key: RecordId, deletedAt: Date): boolean {
  const withdrawnAt = workspace.get(tombstonePath(tenantId, 'customers', key))?.[WITHDRAWN_AT] as Date | undefined;
  return withdrawnAt !== undefined && withdrawnAt >= deletedAt;
}

/** The part deletions that the document of a record or a tombstone keeps. */
export function partDeletionsOf(data: DocumentData | undefined): readonly PartDeletion[] {
  return (data?.[PART_DELETIONS] ?? []) as unknown as readonly PartDeletion[];
}
