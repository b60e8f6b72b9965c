/**
 * Pending deletions: accepted and not applied yet. Each identity has at most one entry, a document keyed by it.
 * Deletions of different records share no document. An upsert gets the entries of its own records by their identities,
 * and applies them before it writes (`apply-deletion.ts`). The commit that applies an entry removes it, so it is
 * applied once, whatever the delays, repeats and order of the messages (D-41).
 *
 * The entry of a product or an order lists its deletions in the order of acceptance, because the parts that one
 * targets can depend on those before it (D-44). The entry of customers names the targeted records; its own identity
 * counts as deleted, too.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentReads, StoredDocument, Version } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { deletionPath, deletionsPath, idOf } from '../documents/paths';
import type { DeletionTarget } from '../domain/deletion';
import { deletionIdRange, parseDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordId, RecordKind } from '../domain/identity';
import { ENTRIES_READ_BYTES } from '../limits/deletions';
import type { MatchedField } from '../workspace/record-documents';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../workspace/record-documents';

/** A customer record that a deletion targets. It is stored in the entry. */
export interface TargetedCustomer {
  readonly id: RecordId;
  /** Why it is targeted: the record is removed only if the field still holds the identity. */
  readonly by: MatchedBy;
}

interface MatchedBy {
  readonly field: MatchedField;
  readonly identity: RecordId;
  /** Its version at the acceptance. A record of this version is removed unread. Undefined: it is always read. */
  readonly version?: Version;
}

/** Whether a stored customer still has the identifier by which a deletion targets it. */
export function isStillTargeted(customer: DocumentData, { by }: TargetedCustomer): boolean {
  return customer[by.field] === by.identity;
}

export type CompoundTarget = Exclude<DeletionTarget, { readonly type: 'customer' }>;

/** A deletion of a product or an order, or of a part of one. */
export interface AcceptedTarget {
  readonly target: CompoundTarget;
  readonly acceptedAt: Date;
}

/** A stored document of a pending deletion. */
export type PendingDocument = Pick<StoredDocument, 'path' | 'data' | 'version'>;

/** The pending deletions of one identity. */
export interface PendingDeletion {
  readonly deletionId: string;
  readonly kind: RecordKind;
  readonly id: RecordId;
  /** The version that was read: the write precondition of whatever is done by this entry. */
  readonly version: Version;
  /** The stored document. */
  readonly data: DocumentData;
  /** When the last of them was accepted. */
  readonly acceptedAt: Date;
  readonly customers: readonly TargetedCustomer[];
  readonly targets: readonly AcceptedTarget[];
  /** It had been set aside. Upserts did not wait for it, so it spares records that are newer than it. */
  readonly isRetried: boolean;
  /**
   * The end of the restore, for a deletion that was copied into a restored database with an older snapshot. Records
   * that were last written until then are older than the deletion.
   */
  readonly restoredAt?: Date;
  /** The document does not hold a valid deletion. */
  readonly isUnreadable: boolean;
}

/**
 * The entry of a product or an order. The added deletions have the time of the commit that writes it.
 * @param revision must be new: the database keeps the old time in a write that changes nothing
 */
export function toTargetsData(
  before: readonly AcceptedTarget[],
  added: readonly CompoundTarget[],
  revision: string,
): DocumentData {
  return { targets: [...before, ...added.map((target) => ({ target }))] as unknown as DocumentData[], revision };
}

/** The entry of customers. It has the time of the commit that writes it. */
export function toCustomersData(customers: readonly TargetedCustomer[], revision: string): DocumentData {
  return { customers: customers as unknown as DocumentData[], revision };
}

/** Entries that were read by their ids. */
export interface FoundDeletions {
  /** Those that exist. */
  readonly pending: readonly PendingDeletion[];
  /** The ids that were not read. */
  readonly unread: readonly string[];
}

/**
 * Reads the entries with these ids, as many as fit ENTRIES_READ_BYTES and at least one, because entries may be large.
 */
export async function findPendingDeletions(
  tenantId: string,
  deletionIds: readonly string[],
  store: DocumentReads,
  deadline: Deadline,
): Promise<FoundDeletions> {
  if (deletionIds.length === 0) return { pending: [], unread: [] };
  const paths = deletionIds.map((deletionId) => deletionPath(tenantId, deletionId));
  const { documents, unread } = await store.getSome(paths, ENTRIES_READ_BYTES, deadline);
  return { pending: documents.flatMap((document) => toPending(document) ?? []), unread: unread.map(idOf) };
}

/**
 * Whether newly accepted deletions can be added to an entry. One that had been set aside cannot: it spares newer
 * records, and they do not. An invalid one cannot either. Both are applied first; the invalid one is set aside by that.
 */
export function canBeExtended({ isRetried, isUnreadable }: PendingDeletion): boolean {
  return !isRetried && !isUnreadable;
}

/** A pending deletion without its content. */
export interface PendingDeletionRef {
  readonly deletionId: string;
  readonly id: RecordId;
  readonly version: Version;
}

/** A page of the pending deletions of a kind. @param after the last one of the page before */
export async function listPendingDeletions(
  tenantId: string,
  kind: RecordKind,
  { limit, after }: { readonly limit: number; readonly after?: PendingDeletionRef | undefined },
  store: Pick<DocumentReads, 'listRefs'>,
  deadline: Deadline,
): Promise<PendingDeletionRef[]> {
  const { start, end } = deletionIdRange(kind);
  const page = {
    limit,
    after: deletionPath(tenantId, after?.deletionId ?? start),
    before: deletionPath(tenantId, end),
  };
  const refs = await store.listRefs(deletionsPath(tenantId), page, deadline);
  return refs.flatMap(({ path, version }) => {
    const parsed = parseDeletionId(idOf(path));
    return parsed?.kind === kind ? [{ deletionId: idOf(path), id: parsed.id, version }] : [];
  });
}

/** When a pending deletion was accepted: at the time it holds, or else at the time of its last write. */
export function acceptanceTimeOf({ data, version }: Pick<StoredDocument, 'data' | 'version'>): Date {
  return data.acceptedAt instanceof Date ? data.acceptedAt : versionTime(version);
}

/** The pending deletions in a document. Undefined: its id is not that of a deletion. */
export function toPending({ path, data, version }: PendingDocument): PendingDeletion | undefined {
  const deletionId = idOf(path);
  const parsed = parseDeletionId(deletionId);
  if (!parsed) return undefined;
  const acceptedAt = acceptanceTimeOf({ data, version });
  const customers = readCustomers(data.customers);
  const targets = readTargets(data.targets, acceptedAt);
  return {
    deletionId,
    ...parsed,
    version,
    data,
    acceptedAt,
    customers: customers ?? [],
    targets: targets ?? [],
    isRetried: data.isRetried === true,
    ...(data.restoredAt instanceof Date && { restoredAt: data.restoredAt }),
    isUnreadable: (parsed.kind === 'customers' ? customers : targets) === undefined,
  };
}

/** Undefined when it is no list of targeted customers. */
function readCustomers(stored: unknown): TargetedCustomer[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const isTargeted = ({ id, by }: Partial<TargetedCustomer>) =>
    typeof id === 'string' &&
    [MATCHING_EMAIL, MATCHING_CUSTOMER_ID].some((field) => field === by?.field) &&
    typeof by?.identity === 'string';
  return stored.every((each) => isTargeted((each ?? {}) as Partial<TargetedCustomer>)) ? stored : undefined;
}

/** Undefined when it is no list of targets. */
function readTargets(stored: unknown, acceptedAt: Date): AcceptedTarget[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const targets = stored.flatMap((each) => {
    const accepted = (each ?? {}) as Partial<AcceptedTarget>;
    const target = readTarget(accepted.target);
    return target
      ? [{ target, acceptedAt: accepted.acceptedAt instanceof Date ? accepted.acceptedAt : acceptedAt }]
      : [];
  });
  return targets.length === stored.length ? targets : undefined;
}

/** Undefined when it is no target. */
function readTarget(stored: unknown): CompoundTarget | undefined {
  const target = (stored ?? {}) as Readonly<Record<string, unknown>>;
  const isId = (name: string) => typeof target[name] === 'string';
  const isIdOrNull = (name: string) => target[name] === null || isId(name);
  const isTarget = {
    product: () => isId('productId'),
    variant: () => isId('productId') && isId('variantId'),
    order: () => isId('orderId'),
    orderItem: () => isId('orderId') && isIdOrNull('productId') && isIdOrNull('sku'),
  } satisfies Record<CompoundTarget['type'], () => boolean>;
  const type = String(target.type);
  const isKnown = Object.hasOwn(isTarget, type) && isTarget[type as CompoundTarget['type']]();
  return isKnown ? (target as unknown as CompoundTarget) : undefined;
}
