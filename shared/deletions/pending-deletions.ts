/**
 * Accepted deletions that are not applied yet. There is one document for each identity that they are about, keyed by
 * it: deletions about other records share none with it, and an upsert finds what it has to apply before it writes by
 * the identities of its own records (`apply-deletion.ts`). The commit that applies it removes it, so that it happens
 * once, whatever the delays, repeats and order of the messages (D-41).
 *
 * Of a product or an order it lists what was deleted, in the order of acceptance, as each may mean other parts after
 * the ones before it (D-44). Of customers it names the records that were meant, and stands itself for the identity
 * that is remembered as deleted.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentStore, StoredDocument, Version } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { deletionPath, deletionsPath, idOf } from '../documents/paths';
import type { DeletionTarget } from '../domain/deletion';
import { parseDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordId, RecordKind } from '../domain/identity';
import { DELETION_READ_BYTES } from '../limits/deletions';
import type { MatchedField } from '../workspace/record-documents';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../workspace/record-documents';

/** A record of a customer that a deletion means. */
export interface TargetedCustomer {
  readonly id: RecordId;
  /** The field by which it was found, and what that held: the record is removed if it still does. */
  readonly by: FoundBy;
}

interface FoundBy {
  readonly field: MatchedField;
  readonly identity: RecordId;
  /** The version that was found: the record goes unread if it is still that. Undefined: it is always read. */
  readonly version?: Version;
}

/** Whether a stored customer is still one whom a deletion means. */
export function isStillTargeted(customer: DocumentData, { by }: TargetedCustomer): boolean {
  return customer[by.field] === by.identity;
}

export type CompoundTarget = Exclude<DeletionTarget, { readonly type: 'customer' }>;

/** A deletion of a product or an order, or of a part of one. */
export interface AcceptedTarget {
  readonly target: CompoundTarget;
  readonly acceptedAt: Date;
}

/** What is pending for one identity. */
export interface PendingDeletion {
  readonly deletionId: string;
  readonly kind: RecordKind;
  readonly id: RecordId;
  /** As it was read: what is done by it is done on the condition that it is still so. */
  readonly version: Version;
  /** As it is stored. */
  readonly data: DocumentData;
  /** When the last of it was accepted. */
  readonly acceptedAt: Date;
  readonly customers: readonly TargetedCustomer[];
  readonly targets: readonly AcceptedTarget[];
  /** It was set aside, and upserts did not wait for it: it spares records that are newer than it. */
  readonly isRetried: boolean;
  /**
   * It was brought into a restored database, whose snapshot is older than the deletion: when the restore had ended.
   * What was last written until then is older than the deletion.
   */
  readonly restoredAt?: Date;
  /** What is stored is no deletion. */
  readonly isUnreadable: boolean;
}

/**
 * The document of pending deletions of a product or an order. The time of the last one is that of its commit.
 * @param revision another one each time: a write that changes nothing keeps the time
 */
export function toTargetsData(
  before: readonly AcceptedTarget[],
  added: readonly CompoundTarget[],
  revision: string,
): DocumentData {
  return { targets: [...before, ...added.map((target) => ({ target }))] as unknown as DocumentData[], revision };
}

/** The document of a pending deletion of customers, accepted by the commit that writes it. */
export function toCustomersData(customers: readonly TargetedCustomer[], revision: string): DocumentData {
  return { customers: customers as unknown as DocumentData[], revision };
}

/**
 * Those of these that are pending, as many as DELETION_READ_BYTES take and one at least: entries may be large.
 * `unread`: the ids of the rest, of which nothing is known.
 */
export async function findPendingDeletions(
  tenantId: string,
  deletionIds: readonly string[],
  store: DocumentStore,
  deadline: Deadline,
): Promise<{ readonly pending: readonly PendingDeletion[]; readonly unread: readonly string[] }> {
  if (deletionIds.length === 0) return { pending: [], unread: [] };
  const paths = deletionIds.map((deletionId) => deletionPath(tenantId, deletionId));
  const { documents, unread } = await store.getSome(paths, DELETION_READ_BYTES, deadline);
  return { pending: documents.flatMap((document) => toPending(document) ?? []), unread: unread.map(idOf) };
}

/**
 * Whether deletions that are accepted now can be added to what is pending. One that was set aside spares what they do
 * not, and is applied first; so is one that cannot be read, which is set aside then.
 */
export function canBeExtended({ isRetried, isUnreadable }: PendingDeletion): boolean {
  return !isRetried && !isUnreadable;
}

/** Which deletion is pending, and since when. */
export interface PendingDeletionRef {
  readonly deletionId: string;
  readonly id: RecordId;
  readonly version: Version;
}

/** A page of the pending deletions of a kind, without what they mean. @param after the last one of the page before */
export async function listPendingDeletions(
  tenantId: string,
  kind: RecordKind,
  { limit, after }: { readonly limit: number; readonly after?: PendingDeletionRef | undefined },
  store: DocumentStore,
  deadline: Deadline,
): Promise<PendingDeletionRef[]> {
  // Every id of the kind comes after its bare prefix.
  const page = { limit, after: deletionPath(tenantId, after?.deletionId ?? `${kind}-`) };
  const places = await store.listRefs(deletionsPath(tenantId), page, deadline);
  return places.flatMap(({ path, version }) => {
    const named = parseDeletionId(idOf(path));
    return named?.kind === kind ? [{ deletionId: idOf(path), id: named.id, version }] : [];
  });
}

/** When what is pending was accepted: by the commit that wrote it last, unless it says another time. */
export function acceptanceTimeOf({ data, version }: Pick<StoredDocument, 'data' | 'version'>): Date {
  return data.acceptedAt instanceof Date ? data.acceptedAt : versionTime(version);
}

function toPending({ path, data, version }: StoredDocument): PendingDeletion | undefined {
  const deletionId = idOf(path);
  const named = parseDeletionId(deletionId);
  if (!named) return undefined;
  const acceptedAt = acceptanceTimeOf({ data, version });
  const customers = readCustomers(data.customers);
  const targets = readTargets(data.targets, acceptedAt);
  return {
    deletionId,
    ...named,
    version,
    data,
    acceptedAt,
    customers: customers ?? [],
    targets: targets ?? [],
    isRetried: data.isRetried === true,
    ...(data.restoredAt instanceof Date && { restoredAt: data.restoredAt }),
    isUnreadable: (named.kind === 'customers' ? customers : targets) === undefined,
  };
}

function readCustomers(stored: unknown): TargetedCustomer[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const isMeant = ({ id, by }: Partial<TargetedCustomer>) =>
    typeof id === 'string' &&
    [MATCHING_EMAIL, MATCHING_CUSTOMER_ID].some((field) => field === by?.field) &&
    typeof by?.identity === 'string';
  return stored.every((each) => isMeant((each ?? {}) as Partial<TargetedCustomer>)) ? stored : undefined;
}

function readTargets(stored: unknown, acceptedAt: Date): AcceptedTarget[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const targets = stored.flatMap((each) => {
    const { target, acceptedAt: earlier } = (each ?? {}) as Partial<AcceptedTarget>;
    const known = readTarget(target);
    return known ? [{ target: known, acceptedAt: earlier instanceof Date ? earlier : acceptedAt }] : [];
  });
  return targets.length === stored.length ? targets : undefined;
}

/** Undefined when it is none. */
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
