/**
 * Deletions that cannot be applied. One such must not hold up upserts and files that write the same record: it is moved,
 * with its reason, to where the operator sees it and puts it back when the cause is mended.
 */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, Version } from '../documents/document-store';
import { RequestInvalid } from '../documents/document-store';
import { allDocuments } from '../documents/pages';
import { deletionPath, idOf, setAsideDeletionPath, setAsideDeletionsPath } from '../documents/paths';
import { parseDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import type { RecordKind } from '../domain/identity';
import type { RecordDependencies } from '../records/record-dependencies';
import { settle } from '../records/settle';
import { findPendingDeletions } from './pending-deletions';

/** The deletion cannot be applied as it is; the message is for operators. */
export class InapplicableDeletion extends Error {
  override readonly name = 'InapplicableDeletion';
}

/** Most characters of a reason. */
const MAX_REASON_LENGTH = 500;

/** Whether an error comes again with each attempt; whatever else fails may pass. */
export function isLasting(error: unknown): error is Error {
  return [RequestInvalid, InapplicableDeletion, TypeError, RangeError].some((kind) => error instanceof kind);
}

/** Moves a deletion out of what is pending, unless it is applied by now. Repeating it is safe. @throws ContentionTimeout */
export async function setAside(
  tenantId: string,
  deletionId: string,
  error: Error,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  const { store, clock } = dependencies;
  await settle(
    [deletionId],
    async (open) => {
      const [pending] = await findPendingDeletions(tenantId, [deletionId], store, deadline);
      if (!pending) return [];
      const { acceptedAt, data: entry, version } = pending;
      const data = {
        entry: { ...entry, acceptedAt },
        reason: `${error.name}: ${error.message}`.slice(0, MAX_REASON_LENGTH),
        setAsideAt: new Date(clock.nowMs()),
      };
      // More than one may be set aside of one identity, each at its time.
      const id = `${deletionId}.${acceptedAt.getTime()}`;
      const outcome = await store.commit(
        [
          { delete: deletionPath(tenantId, deletionId), when: version },
          { set: setAsideDeletionPath(tenantId, id), data },
        ],
        deadline,
      );
      return outcome === 'conflict' ? open : [];
    },
    deadline,
    dependencies,
  );
}

/** A deletion that was set aside. */
export interface SetAsideDeletion {
  readonly path: string;
  readonly version: Version;
  readonly deletionId: string;
  readonly kind: RecordKind;
  /** What was pending. */
  readonly entry: DocumentData;
  readonly acceptedAt: Date;
  readonly setAsideAt: Date;
  readonly reason: string;
}

/** The writes that make a deletion pending again; in conflict while another one of its identity is. */
export function toReturned(tenantId: string, { path, version, deletionId, entry }: SetAsideDeletion): DocumentWrite[] {
  return [
    { delete: path, when: version },
    { set: deletionPath(tenantId, deletionId), data: { ...entry, isRetried: true }, when: 'absent' },
  ];
}

/** The deletions of a tenant that were set aside. */
export async function* listSetAsideDeletions(
  tenantId: string,
  store: DocumentStore,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<SetAsideDeletion> {
  for await (const { path, version, data } of allDocuments(store, setAsideDeletionsPath(tenantId), deadlineOfPage)) {
    const { entry, reason, setAsideAt } = data as unknown as Pick<SetAsideDeletion, 'entry' | 'reason' | 'setAsideAt'>;
    const [deletionId = ''] = idOf(path).split('.');
    const kind = parseDeletionId(deletionId)?.kind;
    const acceptedAt = entry.acceptedAt as Date;
    if (kind) yield { path, version, deletionId, kind, entry, acceptedAt, setAsideAt, reason };
  }
}
