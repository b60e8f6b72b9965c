/**
 * Accepted deletions that are not applied yet. A deletion is accepted by writing it here, so that it outlives its
 * message, and leaves in the same commit that removes what it addresses. Upserts apply what is pending here before they
 * write (`applyPendingDeletions`), so that whatever is written after a deletion was accepted is written after its effect:
 * late, repeated and reordered messages find nothing left to do (D-41).
 */
import type { Deadline } from '../deadline';
import type { DocumentStore, StoredDocument } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { deletionPath, deletionsPath, idOf } from '../documents/paths';
import type { DocumentData } from '../domain/document';
import type { DeletionRequested, DeletionTarget, PendingDeletion } from '../domain/deletion';
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

/** Documents of one page of the log. */
const PAGE = 300;

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
  // No condition: when the answer is lost, writing the same again changes nothing.
  await dependencies.store.commit([{ set: deletionPath(tenantId, deletionId), data: { target } }], deadline);
  const event: DeletionRequested = { tenantId, deletionId };
  await dependencies.publisher.publish(dependencies.deletionsTopic, event);
}

/** A deletion of the log with how far it is: `matchedBy` once a part of many matching customers is removed. */
export interface LoggedDeletion extends PendingDeletion {
  /** The commit that accepted it. */
  readonly acceptedAt: Date;
  readonly matchedBy?: CustomerIdentifier;
}

/** All pending deletions of a tenant, in no order. */
export async function listPendingDeletions(
  tenantId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<LoggedDeletion[]> {
  const pending: LoggedDeletion[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.list(
      deletionsPath(tenantId),
      { limit: PAGE, ...(after !== undefined && { after }) },
      deadline,
    );
    pending.push(...page.map(toLogged));
    after = page.at(-1)?.path;
    if (page.length < PAGE) return pending;
  }
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
  return documents.map(toLogged).sort((a, b) => a.acceptedAt.getTime() - b.acceptedAt.getTime());
}

/** The document of a deletion that is half applied. */
export function toDeletionDocument({ target, acceptedAt, matchedBy }: LoggedDeletion): DocumentData {
  return { target, acceptedAt, matchedBy };
}

function toLogged({ path, data, version }: StoredDocument): LoggedDeletion {
  const { target, acceptedAt, matchedBy } = data as unknown as Partial<LoggedDeletion> & Pick<LoggedDeletion, 'target'>;
  return {
    deletionId: idOf(path),
    target,
    acceptedAt: acceptedAt ?? versionTime(version),
    ...(matchedBy && { matchedBy }),
  };
}
