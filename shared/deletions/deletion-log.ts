/**
 * Accepted deletions that are not applied yet. Accepting a deletion writes an entry here, so that it outlives its
 * message; the commit that removes the records also removes the entry. Upserts apply what is pending here before they
 * write (`applyPendingDeletions`), so that whatever is written after a deletion was accepted is written after its
 * effect: late, repeated and reordered messages find nothing left to do (D-41).
 *
 * Upserts are many and deletions few, so that a mark for each kind of record says whether the log is worth a look:
 * accepting a deletion raises it in the same commit, and whoever finds that all of them are applied takes it down.
 */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { deletionMarkPath, deletionPath, deletionReceiptPath, deletionsPath, idOf } from '../documents/paths';
import { pagesOf } from '../documents/pages';
import type { DeletionRequested, DeletionTarget, PendingDeletion } from '../domain/deletion';
import { DELETION_KIND } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import type { RecordKind } from '../domain/identity';
import { DELETION_RECEIPT_SECONDS } from '../domain/limits';
import type { CustomerIdentifier } from '../domain/tenant';
import type { EventPublisher } from '../events/event-publisher';
import type { Random } from '../random';

export interface DeletionLogDependencies {
  readonly store: DocumentStore;
  readonly random: Random;
  readonly publisher: EventPublisher;
  /** The topic of `deletion-consumer`. */
  readonly deletionsTopic: string;
}

/**
 * Accepts a deletion: resolves when it is durable, in the log and as a message. When it fails in between, the deletion
 * stays in the log and is applied; a repeat is safe.
 */
export async function acceptDeletion(
  tenantId: string,
  target: DeletionTarget,
  deadline: Deadline,
  dependencies: DeletionLogDependencies,
): Promise<void> {
  const deletionId = dependencies.random.bytes(15).toString('base64url');
  // Accepted once: where the answer is lost, the repeat finds the entry or, when it is applied already, its receipt. A
  // second acceptance would remove what was written since, or another customer.
  await dependencies.store.commit(
    [
      { set: deletionPath(tenantId, deletionId), data: { target }, when: 'absent' },
      { delete: deletionReceiptPath(tenantId, deletionId), when: 'absent' },
      { set: deletionMarkPath(tenantId, DELETION_KIND[target.type]), data: { isRaised: true, deletionId } },
    ],
    deadline,
  );
  const event: DeletionRequested = { tenantId, deletionId };
  await dependencies.publisher.publish(dependencies.deletionsTopic, event);
}

/** A deletion of the log with how far it is: `matchedBy` once a part of many matching customers is removed. */
export interface LoggedDeletion extends PendingDeletion {
  /** Of its entry, as it was read: what is done by it is done on the condition that the entry is still as it was. */
  readonly version: Version;
  /** The commit that accepted it. */
  readonly acceptedAt: Date;
  readonly matchedBy?: CustomerIdentifier;
}

/** A raised mark: deletions of its kind that were accepted before this version of it may be pending. */
export type RaisedMark = Pick<StoredDocument, 'path' | 'version'>;

/** The mark of a kind if it is raised; undefined: no deletion of this kind is pending. */
export async function findRaisedMark(
  tenantId: string,
  kind: RecordKind,
  store: DocumentStore,
  deadline: Deadline,
): Promise<RaisedMark | undefined> {
  const mark = await store.get(deletionMarkPath(tenantId, kind), deadline);
  return mark && isRaised(mark.data) ? mark : undefined;
}

/**
 * Whether a mark says that deletions may be pending. There is none (undefined) until the first deletion of its kind,
 * and one for good from then on.
 */
export function isRaised(mark: DocumentData | undefined): boolean {
  return mark?.isRaised === true;
}

/**
 * Takes a mark down, after all deletions that were in the log when it was found are applied; not if it was raised
 * again.
 */
export async function lowerMark(
  { path, version }: RaisedMark,
  store: DocumentStore,
  deadline: Deadline,
): Promise<void> {
  await store.commit([{ set: path, data: { isRaised: false }, when: version }], deadline);
}

/** All pending deletions of a tenant, in no order. */
export async function listPendingDeletions(
  tenantId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<LoggedDeletion[]> {
  const pending: LoggedDeletion[] = [];
  for await (const page of pagesOf(store, deletionsPath(tenantId), () => deadline)) pending.push(...page.map(toLogged));
  return pending;
}

/** Those of these deletions that are pending, in the order in which they were accepted. */
export async function findPendingDeletions(
  tenantId: string,
  deletionIds: readonly string[],
  store: DocumentStore,
  deadline: Deadline,
): Promise<LoggedDeletion[]> {
  const paths = deletionIds.map((deletionId) => deletionPath(tenantId, deletionId));
  const documents = await store.getAll(paths, deadline);
  return inOrderOfAcceptance(documents.map(toLogged));
}

/** By the time of the commit that accepted each; those of one moment stay as they are. */
export function inOrderOfAcceptance(deletions: readonly LoggedDeletion[]): LoggedDeletion[] {
  return deletions.toSorted((a, b) => a.acceptedAt.getTime() - b.acceptedAt.getTime());
}

/**
 * The writes that take an applied deletion out of the log, for the commit that applies it; in conflict when another has
 * gone on.
 */
export function toApplied(tenantId: string, { deletionId, version }: LoggedDeletion, now: Date): DocumentWrite[] {
  const expireAt = new Date(now.getTime() + DELETION_RECEIPT_SECONDS * 1000);
  return [
    { delete: deletionPath(tenantId, deletionId), when: version },
    { set: deletionReceiptPath(tenantId, deletionId), data: { expireAt } },
  ];
}

/** The write that notes how far a deletion is; in conflict when another has gone on. */
export function toHalfApplied(
  tenantId: string,
  { deletionId, version, target, acceptedAt, matchedBy }: LoggedDeletion,
): DocumentWrite {
  return { set: deletionPath(tenantId, deletionId), data: { target, acceptedAt, matchedBy }, when: version };
}

function toLogged({ path, data, version }: StoredDocument): LoggedDeletion {
  const { target, acceptedAt, matchedBy } = data as unknown as Partial<LoggedDeletion> & Pick<LoggedDeletion, 'target'>;
  return {
    deletionId: idOf(path),
    version,
    target,
    acceptedAt: acceptedAt ?? versionTime(version),
    ...(matchedBy && { matchedBy }),
  };
}
