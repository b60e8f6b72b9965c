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
import { FOUND_NOBODY_TIME, PART_DELETIONS, TOMBSTONE_TIME } from './record-documents';
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
 * Adds tombstones to the workspace for these identities. A tombstone with a later time keeps its time.
 * @param recordPartDeletions part deletions that the removed record kept; the tombstone keeps the later ones
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
  for (const path of paths) {
    const tombstone = workspace.get(path);
    const earlier = removedAtOf(tombstone);
    if (earlier && earlier >= deletedAt && recordPartDeletions.length === 0) continue;
    const last = earlier && earlier >= deletedAt ? earlier : deletedAt;
    const laterParts = deletedAfter(mergePartDeletions(partDeletionsOf(tombstone), recordPartDeletions), last);
    workspace.put(path, toTombstone(last, foundNobodyAtOf(tombstone), laterParts));
  }
}

/** Adds to the tombstones of these identities of customers that a deletion has found nobody. Later ones stay. */
export async function addUnmatchedTombstones(
  workspace: Workspace,
  tenantId: string,
  ids: readonly RecordId[],
  deletedAt: Date,
): Promise<void> {
  const paths = tombstonePaths(tenantId, 'customers', [...new Set(ids)]);
  await workspace.load(paths);
  for (const path of paths) {
    const tombstone = workspace.get(path);
    const earlier = deletedAtOf(tombstone);
    if (!earlier || earlier < deletedAt) workspace.put(path, { ...tombstone, [FOUND_NOBODY_TIME]: deletedAt });
  }
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
  if (parts.length > 0) workspace.put(path, toTombstone(removedAtOf(workspace.get(path)), undefined, parts));
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
  const removedAt = later(removedAtOf(kept), removedAtOf(other));
  const foundNobodyAt = later(foundNobodyAtOf(kept), foundNobodyAtOf(other));
  const all = mergePartDeletions(partDeletionsOf(kept), partDeletionsOf(other));
  const parts = all.filter((part) => !removedAt || part.deletedAt > removedAt);
  const isLast = (tombstone: DocumentData | undefined) => removedAtOf(tombstone)?.getTime() === removedAt?.getTime();
  const [deletedBy] = [kept, other].filter(isLast).flatMap((tombstone) => tombstone?.[DELETED_BY] ?? []);
  const isKnown =
    isLast(kept) &&
    deletedAtOf(kept)?.getTime() === later(removedAt, foundNobodyAt)?.getTime() &&
    deletedBy === kept?.[DELETED_BY] &&
    areSameParts(parts, partDeletionsOf(kept));
  if (isKnown) return undefined;
  const { [PART_DELETIONS]: _parts, [DELETED_BY]: _deletedBy, [FOUND_NOBODY_TIME]: _foundNobody, ...rest } = kept ?? {};
  return {
    ...rest,
    ...toTombstone(removedAt, foundNobodyAt, parts),
    ...(deletedBy !== undefined && { [DELETED_BY]: deletedBy }),
  };
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
 * When a record with one of these identities was last deleted, according to the loaded tombstones; undefined: never. A
 * commit that requires the kind's pending-deletions flag to be unchanged misses no later deletion.
 */
export function lastDeletedAt(
  workspace: Workspace,
  tenantId: string,
  kind: RecordKind,
  ids: readonly RecordId[],
): Date | undefined {
  const loaded = tombstonePaths(tenantId, kind, ids).filter((path) => workspace.isLoaded(path));
  return loaded.map((path) => deletedAtOf(workspace.get(path))).reduce(later, undefined);
}

/** The deletions that are later than a time; one at the same time is not (D-54). */
export function deletedAfter(parts: readonly PartDeletion[], time: Date): readonly PartDeletion[] {
  return parts.filter(({ deletedAt }) => deletedAt > time);
}

/** @param foundNobodyAt is left out where it is not later than the removal */
function toTombstone(
  removedAt: Date | undefined,
  foundNobodyAt: Date | undefined,
  parts: readonly PartDeletion[],
): DocumentData {
  const isLater = foundNobodyAt && !(removedAt && removedAt >= foundNobodyAt);
  return {
    ...(removedAt && { [TOMBSTONE_TIME]: removedAt }),
    ...(isLater && { [FOUND_NOBODY_TIME]: foundNobodyAt }),
    ...toPartDeletionsField(parts),
  };
}

/** The document field with these deletions; no field if there are none. */
export function toPartDeletionsField(parts: readonly PartDeletion[]): DocumentData {
  return parts.length === 0 ? {} : { [PART_DELETIONS]: parts as unknown as DocumentData[] };
}

/** The time of the last deletion of a tombstone, or of a Sku index entry; undefined: none. */
export function deletedAtOf(tombstone: DocumentData | undefined): Date | undefined {
  return later(removedAtOf(tombstone), foundNobodyAtOf(tombstone));
}

/** The time of the last deletion that found a record; undefined: none. */
export function removedAtOf(tombstone: DocumentData | undefined): Date | undefined {
  return tombstone?.[TOMBSTONE_TIME] as Date | undefined;
}

function foundNobodyAtOf(tombstone: DocumentData | undefined): Date | undefined {
  return tombstone?.[FOUND_NOBODY_TIME] as Date | undefined;
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
  if (row?.second !== second || row.at.getTime() !== at.getTime()) return false;
  return removedAtOf(tombstone)?.getTime() === at.getTime();
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
