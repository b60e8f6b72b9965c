/**
 * Accepted deletions that are not applied yet. Accepting a deletion writes an entry here, so that it outlives its
 * message; the commit that removes the records also removes the entry. Upserts apply what is pending here before they
 * write (`applyPendingDeletions`), so that whatever is written after a deletion was accepted is written after its
 * effect: late, repeated and reordered messages find nothing left to do (D-41).
 *
 * Upserts are many and deletions few, so that a mark for each kind of record says whether the log is worth a look:
 * accepting a deletion raises it in the same commit, and whoever finds that all of them are applied takes it down.
 *
 * The mark also counts the deletions of its kind. Each takes the next number in the commit that accepts it, and its id
 * begins with that: the log is listed in the order of acceptance, page by page, however long it is.
 */
import type { Clock } from '../clock';
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../documents/document-store';
import { versionTime } from '../documents/document-store';
import { deletionMarkPath, deletionPath, deletionReceiptPath, deletionsPath, idOf } from '../documents/paths';
import type { DeletionRequested, DeletionTarget } from '../domain/deletion';
import { later } from '../domain/date-time';
import { DELETION_KIND, parseDeletionId, toDeletionId, toMatchable } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import type { RecordKind } from '../domain/identity';
import { DELETION_RECEIPT_SECONDS, PENDING_DELETIONS_PAGE } from '../domain/limits';
import type { CustomerIdentifier } from '../domain/tenant';
import type { EventPublisher } from '../events/event-publisher';
import type { Random } from '../random';
import { allOver } from '../in-parallel';
import { settle } from '../records/settle';

export interface DeletionLogDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly publisher: EventPublisher;
  /** The topic of `deletion-consumer`. */
  readonly deletionsTopic: string;
}

/**
 * Accepts a deletion: resolves when it is durable, in the log and as a message. When it fails in between, the deletion
 * stays in the log and is applied; a repeat is safe. One that no stored record can match leaves nothing behind.
 * @throws ContentionTimeout
 */
export async function acceptDeletion(
  tenantId: string,
  target: DeletionTarget,
  deadline: Deadline,
  dependencies: DeletionLogDependencies,
): Promise<void> {
  await acceptDeletions(tenantId, DELETION_KIND[target.type], [target], deadline, dependencies);
}

/** The same for deletions of one kind in their order; when it fails, all of them are to be repeated. */
export async function acceptDeletions(
  tenantId: string,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: DeletionLogDependencies,
): Promise<void> {
  const matchable = targets.flatMap((target) => toMatchable(target) ?? []);
  if (matchable.length === 0) return;
  const deletionIds = await enterIntoLog(tenantId, kind, matchable, deadline, dependencies);
  const { publisher, deletionsTopic } = dependencies;
  const events = deletionIds.map((deletionId): DeletionRequested => ({ tenantId, deletionId }));
  await allOver(events.map((event) => publisher.publish(deletionsTopic, event)));
}

/** Writes the entries at the end of their line. Of two that try for one place the other one tries for the next. */
async function enterIntoLog(
  tenantId: string,
  kind: RecordKind,
  targets: readonly DeletionTarget[],
  deadline: Deadline,
  dependencies: DeletionLogDependencies,
): Promise<readonly string[]> {
  const { store, random } = dependencies;
  const uniques = targets.map(() => random.bytes(15).toString('base64url'));
  let deletionIds: readonly string[] = [];
  await settle(
    [targets],
    async (open) => {
      const mark = await findMark(tenantId, kind, store, deadline);
      // Accepted once: where the answer is lost, the repeat is in conflict with itself, and finds an entry or, when it
      // is applied already, its receipt. A second acceptance would remove what was written since, or another customer.
      const [first] = deletionIds;
      if (first !== undefined && (await isAccepted(tenantId, first, store, deadline))) return [];
      deletionIds = uniques.map((unique, place) => toDeletionId({ kind, sequence: mark.sequence + 1 + place }, unique));
      const entries = targets.map((target, place): DocumentWrite => {
        return { set: deletionPath(tenantId, deletionIds[place] ?? ''), data: { target }, when: 'absent' };
      });
      const data = toMark(true, { sequence: mark.sequence + targets.length, latest: mark.latest });
      const outcome = await store.commit(
        [...entries, { set: mark.path, data, when: mark.version ?? 'absent' }],
        deadline,
      );
      return outcome === 'conflict' ? open : [];
    },
    deadline,
    dependencies,
  );
  return deletionIds;
}

async function isAccepted(tenantId: string, deletionId: string, store: DocumentStore, deadline: Deadline) {
  const paths = [deletionPath(tenantId, deletionId), deletionReceiptPath(tenantId, deletionId)];
  return (await store.getAll(paths, deadline)).length > 0;
}

/** A deletion of the log with how far it is: `matchedBy` once a part of many matching customers is removed. */
export interface LoggedDeletion {
  readonly deletionId: string;
  /** Of its entry, as it was read: what is done by it is done on the condition that the entry is still as it was. */
  readonly version: Version;
  /** The entry as it is stored. */
  readonly entry: DocumentData;
  /** Undefined: the entry tells none. */
  readonly target: DeletionTarget | undefined;
  /** The time of the commit that accepted it. */
  readonly acceptedAt: Date;
  readonly matchedBy?: CustomerIdentifier;
  /** The path up to which the matching customers were looked at, where some of them were spared. */
  readonly matchedUpTo?: string;
  /**
   * It was set aside or is of a file's row, and upserts did not wait for it: it spares records that are newer than it.
   */
  readonly sparesNewer: boolean;
}

/** What counts the deletions of a kind, and says whether any may be pending. */
export interface DeletionMark {
  readonly path: string;
  /** Undefined: there was no deletion of the kind yet. */
  readonly version: Version | undefined;
  /** The number of the last deletion that was accepted. */
  readonly sequence: number;
  /** The latest moment as of which a row of a file deleted something; undefined: none did. */
  readonly latest: Date | undefined;
}

/** A raised mark: deletions of its kind up to its number may be pending. */
export interface RaisedMark extends DeletionMark {
  readonly version: Version;
}

async function findMark(
  tenantId: string,
  kind: RecordKind,
  store: DocumentStore,
  deadline: Deadline,
): Promise<DeletionMark> {
  const path = deletionMarkPath(tenantId, kind);
  const mark = await store.get(path, deadline);
  return { path, version: mark?.version, ...fromMark(mark?.data) };
}

function fromMark(mark: DocumentData | undefined): Pick<DeletionMark, 'sequence' | 'latest'> {
  return { sequence: (mark?.sequence as number | undefined) ?? 0, latest: mark?.latest as Date | undefined };
}

function toMark(isRaised: boolean, { sequence, latest }: Pick<DeletionMark, 'sequence' | 'latest'>): DocumentData {
  return { isRaised, sequence, ...(latest && { latest }) };
}

/**
 * When the last deletion of the kind can have been, by its mark; undefined: there was none. Those through the API were
 * before the mark was last written, those of files as of the moment that it tells, where a clock was wrong.
 * @param writtenAt when the mark was last written
 */
export function lastDeletionBy(mark: DocumentData | undefined, writtenAt: Date | undefined): Date | undefined {
  return later(writtenAt, fromMark(mark).latest);
}

/**
 * The mark after a deletion as of a moment that is applied in the same commit: whoever relies on the mark as it was
 * before looks for tombstones anew.
 * @param cause see `toRaisedMark`
 */
export function withDeletionAsOf(mark: DocumentData | undefined, at: Date, cause: string): DocumentData {
  const { sequence, latest } = fromMark(mark);
  return { ...toMark(isRaised(mark), { sequence, latest: later(latest, at) }), cause };
}

/**
 * What accepts a deletion as of an earlier moment, for one commit: its entry at the end of the log, and the raised
 * mark. It spares what is newer (D-54). Whoever writes it sees to it that it is applied.
 * @param mark as it is before, on which the commit relies
 * @param unique see `toDeletionId`
 */
export function acceptedAsOf(
  { tenantId, kind }: { readonly tenantId: string; readonly kind: RecordKind },
  target: DeletionTarget,
  at: Date,
  mark: DocumentData | undefined,
  unique: string,
): { readonly path: string; readonly entry: DocumentData; readonly mark: DocumentData } {
  const { sequence: before, latest } = fromMark(mark);
  const sequence = before + 1;
  return {
    path: deletionPath(tenantId, toDeletionId({ kind, sequence }, unique)),
    entry: { target, acceptedAt: at, sparesNewer: true },
    mark: toMark(true, { sequence, latest: later(latest, at) }),
  };
}

/** The mark of a kind if it is raised; undefined: no deletion of this kind is pending. */
export async function findRaisedMark(
  tenantId: string,
  kind: RecordKind,
  store: DocumentStore,
  deadline: Deadline,
): Promise<RaisedMark | undefined> {
  const mark = await store.get(deletionMarkPath(tenantId, kind), deadline);
  if (!mark || !isRaised(mark.data)) return undefined;
  return { path: mark.path, version: mark.version, ...fromMark(mark.data) };
}

/**
 * Whether a mark says that deletions may be pending. There is none (undefined) until the first deletion of its kind,
 * and one for good from then on.
 */
export function isRaised(mark: DocumentData | undefined): boolean {
  return mark?.isRaised === true;
}

/**
 * The write that raises the mark of a kind: whoever goes by the mark looks for pending deletions and for tombstones
 * anew.
 * @param cause another text each time, for a write that changes nothing keeps the version
 */
export function toRaisedMark(tenantId: string, kind: RecordKind, cause: string): DocumentWrite {
  const data = { isRaised: true, cause };
  return { set: deletionMarkPath(tenantId, kind), data, fields: Object.keys(data) };
}

/**
 * Takes a mark down, after all deletions that were in the log when it was found are applied; not if it was raised
 * again.
 */
export async function lowerMark(
  { path, version, ...mark }: RaisedMark,
  store: DocumentStore,
  deadline: Deadline,
): Promise<void> {
  await store.commit([{ set: path, data: toMark(false, mark), when: version }], deadline);
}

/** A page of the pending deletions of a kind, in the order of acceptance; `after`: the last one of the page before. */
export async function listPendingDeletions(
  tenantId: string,
  kind: RecordKind,
  after: LoggedDeletion | undefined,
  store: DocumentStore,
  deadline: Deadline,
): Promise<LoggedDeletion[]> {
  // Every id of the kind comes after its bare prefix.
  const before = deletionPath(tenantId, after?.deletionId ?? `${kind}-`);
  const page = { limit: PENDING_DELETIONS_PAGE, after: before };
  const entries = await store.list(deletionsPath(tenantId), page, deadline);
  return entries.map(toLogged).filter(({ deletionId }) => parseDeletionId(deletionId)?.kind === kind);
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
  return documents.map(toLogged).sort((a, b) => (a.deletionId < b.deletionId ? -1 : 1));
}

/**
 * The writes that take a deletion out of the log, for the commit that applies it or sets it aside; in conflict when
 * another has gone on.
 */
export function toRemoved(
  tenantId: string,
  { deletionId, version }: Pick<LoggedDeletion, 'deletionId' | 'version'>,
  now: Date,
): DocumentWrite[] {
  const expireAt = new Date(now.getTime() + DELETION_RECEIPT_SECONDS * 1000);
  return [
    { delete: deletionPath(tenantId, deletionId), when: version },
    { set: deletionReceiptPath(tenantId, deletionId), data: { expireAt } },
  ];
}

/** The write that notes how far a deletion is; in conflict when another has gone on. */
export function toHalfApplied(
  tenantId: string,
  { deletionId, version, entry, acceptedAt, matchedBy, matchedUpTo }: LoggedDeletion,
): DocumentWrite {
  const data = { ...entry, acceptedAt, matchedBy, ...(matchedUpTo !== undefined && { matchedUpTo }) };
  return { set: deletionPath(tenantId, deletionId), data, when: version };
}

/**
 * The writes that put a deletion that was set aside back where it stood, and raise the mark.
 * @param cause see `toRaisedMark`
 */
export function toReturned(
  tenantId: string,
  deletionId: string,
  kind: RecordKind,
  entry: DocumentData,
  cause: string,
): DocumentWrite[] {
  return [
    { set: deletionPath(tenantId, deletionId), data: { ...entry, sparesNewer: true }, when: 'absent' },
    toRaisedMark(tenantId, kind, cause),
  ];
}

function toLogged({ path, data, version }: StoredDocument): LoggedDeletion {
  const { acceptedAt, matchedBy, matchedUpTo, sparesNewer } = data;
  return {
    deletionId: idOf(path),
    version,
    entry: data,
    target: readTarget(data.target),
    acceptedAt: acceptedAt instanceof Date ? acceptedAt : versionTime(version),
    ...(matchedBy !== undefined && { matchedBy: matchedBy as CustomerIdentifier }),
    ...(matchedUpTo !== undefined && { matchedUpTo: matchedUpTo as string }),
    sparesNewer: sparesNewer === true,
  };
}

/** The target of an entry; undefined when it is none. */
function readTarget(stored: unknown): DeletionTarget | undefined {
  const target = (stored ?? {}) as Readonly<Record<string, unknown>>;
  const isId = (name: string) => typeof target[name] === 'string';
  const isIdOrNull = (name: string) => target[name] === null || isId(name);
  const isTarget = {
    customer: () => isIdOrNull('customerId') && isIdOrNull('email'),
    product: () => isId('productId'),
    variant: () => isId('productId') && isId('variantId'),
    order: () => isId('orderId'),
    orderItem: () => isId('orderId') && isIdOrNull('productId') && isIdOrNull('sku'),
  } satisfies Record<DeletionTarget['type'], () => boolean>;
  const type = String(target.type);
  const isKnown = Object.hasOwn(isTarget, type) && isTarget[type as DeletionTarget['type']]();
  return isKnown ? (target as unknown as DeletionTarget) : undefined;
}
