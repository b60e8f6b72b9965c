/**
 * Tombstones: when what has an identity was last deleted. They outlive the record, so that an older file never brings
 * it back (D-54), and hold only ids, hashes and times. They are kept for good: a historical transfer reads files of any
 * age.
 */
import { tombstonePath } from '../documents/paths';
import { later } from '../domain/values/date-time';
import type { PartTarget } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordId } from '../domain/identity';
import { MAX_PART_DELETIONS, MAX_PART_ID_LENGTH } from '../limits/records';
import { hasAtMost, toMatchingId } from '../domain/values/text';
import { PART_DELETIONS } from './record-documents';
import type { Workspace } from './workspace';

/** The field of a tombstone with the time of the last deletion. */
export const TOMBSTONE_TIME = 'deletedAt';

/** The field of a tombstone with the deletion by which the record of its identity lost its consents. */
const WITHDRAWN_AT = 'withdrawnAt';

/**
 * A deletion of a variant or an item that was not stored. A product or order that is stored remembers it itself; else
 * the tombstone does, until a row brings the record in.
 */
export interface PartDeletion {
  readonly target: PartTarget;
  readonly deletedAt: Date;
}

/**
 * Notes in the workspace that what has these identities was deleted at a time, unless it was again later.
 * @param remembered deletions of parts that the record remembered: those that are later stay remembered
 */
export async function addTombstones(
  workspace: Workspace,
  tenantId: string,
  ids: readonly RecordId[],
  deletedAt: Date,
  remembered: readonly PartDeletion[] = [],
): Promise<void> {
  const paths = [...new Set(ids)].map((id) => tombstonePath(tenantId, id));
  await workspace.load(paths);
  for (const path of paths) {
    const earlier = deletedAtOf(workspace.get(path));
    if (earlier && earlier >= deletedAt && remembered.length === 0) continue;
    const last = earlier && earlier >= deletedAt ? earlier : deletedAt;
    const laterParts = deletedAfter(mergePartDeletions(partDeletionsOf(workspace.get(path)), remembered), last);
    workspace.put(path, toTombstone(last, laterParts));
  }
}

/** Notes in the workspace that parts of a record that is not stored were deleted. */
export async function addPartDeletions(
  workspace: Workspace,
  tenantId: string,
  id: RecordId,
  deleted: readonly PartDeletion[],
): Promise<void> {
  const path = tombstonePath(tenantId, id);
  await workspace.load([path]);
  const parts = mergePartDeletions(partDeletionsOf(workspace.get(path)), deleted);
  if (parts.length > 0) workspace.put(path, toTombstone(deletedAtOf(workspace.get(path)), parts));
}

/**
 * All these deletions, the last of each part, from the oldest to the newest; of too many the newest. One that no stored
 * part can match is left out. Ids are kept in their matching form: blanks around them, of which a request may have
 * thousands, would fill the document.
 */
export function mergePartDeletions(one: readonly PartDeletion[], other: readonly PartDeletion[]): PartDeletion[] {
  return lastOfEach([...one, ...other].sort((a, b) => a.deletedAt.getTime() - b.deletedAt.getTime()));
}

/** The last deletion of each part, in their order; of too many the last ones. */
function lastOfEach(parts: readonly PartDeletion[]): PartDeletion[] {
  const last = new Map<string, PartDeletion>();
  for (const { target, deletedAt } of parts) {
    const buried = { target: toMatchingTarget(target), deletedAt };
    const { recordId, partIds } = idsOf(buried.target);
    if ([recordId, ...partIds].some((id) => id !== null && !hasAtMost(id, MAX_PART_ID_LENGTH))) continue;
    const key = JSON.stringify(partIds);
    last.delete(key); // it comes at the end
    last.set(key, buried);
  }
  return [...last.values()].slice(-MAX_PART_DELETIONS);
}

/**
 * A tombstone, or an entry of the index by `Sku`, that knows what another one knows, too; undefined: it does already.
 */
export function mergeTombstones(kept: DocumentData | undefined, other: DocumentData): DocumentData | undefined {
  const deletedAt = later(deletedAtOf(kept), deletedAtOf(other));
  const all = mergePartDeletions(partDeletionsOf(kept), partDeletionsOf(other));
  const parts = all.filter((part) => !deletedAt || part.deletedAt > deletedAt);
  const isKnown = deletedAt?.getTime() === deletedAtOf(kept)?.getTime() && areSameParts(parts, partDeletionsOf(kept));
  if (isKnown) return undefined;
  const { [PART_DELETIONS]: _, ...rest } = kept ?? {};
  return { ...rest, ...toTombstone(deletedAt, parts) };
}

/** Whether all of these deletions are remembered already, in whatever order. */
function areSameParts(parts: readonly PartDeletion[], kept: readonly PartDeletion[]): boolean {
  return parts.length === kept.length && parts.every((part) => containsPartDeletion(kept, part));
}

/** Whether a deletion of a part is among these, at its time or later. */
export function containsPartDeletion(parts: readonly PartDeletion[], { target, deletedAt }: PartDeletion): boolean {
  const { partIds } = idsOf(toMatchingTarget(target));
  return parts.some(
    (part) => part.deletedAt >= deletedAt && idsOf(part.target).partIds.every((id, index) => id === partIds[index]),
  );
}

/** What addresses a record and, inside it, a part: the parts of one record are all variants or all items. */
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
export function tombstonePaths(tenantId: string, ids: readonly RecordId[]): string[] {
  return ids.map((id) => tombstonePath(tenantId, id));
}

/**
 * When what has one of these identities was last deleted, by the tombstones that are loaded; undefined: never. No later
 * deletion is missed by a commit that relies on the flag of the kind.
 */
export function lastDeletedAt(workspace: Workspace, tenantId: string, ids: readonly RecordId[]): Date | undefined {
  const loaded = tombstonePaths(tenantId, ids).filter((path) => workspace.isLoaded(path));
  return loaded.map((path) => deletedAtOf(workspace.get(path))).reduce(later, undefined);
}

/** Those of the remembered deletions that are later than a time: an equal one is not (D-54). */
export function deletedAfter(parts: readonly PartDeletion[], time: Date): readonly PartDeletion[] {
  return parts.filter(({ deletedAt }) => deletedAt > time);
}

function toTombstone(deletedAt: Date | undefined, parts: readonly PartDeletion[]): DocumentData {
  return { ...(deletedAt && { [TOMBSTONE_TIME]: deletedAt }), ...toPartDeletionsField(parts) };
}

/** The field of a document that remembers these deletions; no field for none. */
export function toPartDeletionsField(parts: readonly PartDeletion[]): DocumentData {
  return parts.length === 0 ? {} : { [PART_DELETIONS]: parts as unknown as DocumentData[] };
}

/** When what a tombstone, or an entry of the index by Sku, stands for was deleted; undefined: it was not. */
export function deletedAtOf(tombstone: DocumentData | undefined): Date | undefined {
  return tombstone?.[TOMBSTONE_TIME] as Date | undefined;
}

/**
 * Notes in the workspace that the record of a customer lost its consents by a replayed deletion (replay-deletions). Its
 * tombstone must be loaded.
 */
export function recordConsentWithdrawal(workspace: Workspace, tenantId: string, key: RecordId, deletedAt: Date): void {
  const path = tombstonePath(tenantId, key);
  workspace.put(path, { ...workspace.get(path), [WITHDRAWN_AT]: deletedAt });
}

/** Whether that was noted for a deletion, or for a later one. The tombstone must be loaded. */
export function isConsentWithdrawn(workspace: Workspace, tenantId: string, key: RecordId, deletedAt: Date): boolean {
  const noted = workspace.get(tombstonePath(tenantId, key))?.[WITHDRAWN_AT] as Date | undefined;
  return noted !== undefined && noted >= deletedAt;
}

/** What a record or a tombstone remembers. */
export function partDeletionsOf(data: DocumentData | undefined): readonly PartDeletion[] {
  return (data?.[PART_DELETIONS] ?? []) as unknown as readonly PartDeletion[];
}
