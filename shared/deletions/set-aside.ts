/**
 * Setting deletions aside that cannot be applied. They must not hold up upserts and files that write the same records.
 * Such a deletion is moved, with the reason, to a list for the operator, who retries it once the cause is mended.
 */
import { statusOf } from '../platform/retry';
import type { Deadline } from '../platform/deadline';
import type { DocumentReads, DocumentWrite, Page, StoredDocument, Version } from '../documents/document-store';
import { RequestInvalid } from '../documents/document-store';
import { documentsAfter } from '../documents/pages';
import {
  deletionReceiptPath,
  idOf,
  setAsideDeletionPath,
  setAsideDeletionsPath,
  wideDeletionPath,
} from '../documents/paths';
import { parseDeletionId } from '../domain/deletion';
import type { DocumentData } from '../domain/records/document';
import type { RecordKind } from '../domain/identity';
import {
  DELETION_RECEIPT_SECONDS,
  DELETIONS_AT_ONCE,
  FEW_SET_ASIDE,
  SET_ASIDE_IN_MEMORY,
  SET_ASIDE_PAGE,
} from '../limits/deletions';
import { inParallel } from '../platform/async/in-parallel';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { RetryLater } from '../platform/retry-later';
import type { PendingDocument } from './pending-deletions';
import { acceptanceTimeOf } from './pending-deletions';

/** The deletion cannot be applied as it is; the message is for operators. */
export class InapplicableDeletion extends Error {
  override readonly name = 'InapplicableDeletion';
}

/** In characters. */
const MAX_REASON_LENGTH = 500;

/**
 * Whether an error would come again with each attempt: an error of the code itself, or a request that the database
 * never accepts. Errors of the network and the database have a status or the failed system call, and may pass.
 */
export function isPermanentError(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof RetryLater) return false;
  return error instanceof RequestInvalid || (statusOf(error) === undefined && !('syscall' in error));
}

/**
 * Moves a pending deletion to the set-aside ones. Repeating it is safe.
 * @param failed its document, as it could not be applied
 * @returns false when it is applied or has changed by now: then it has to be tried again
 */
export async function setAside(
  tenantId: string,
  failed: PendingDocument,
  error: Error,
  deadline: Deadline,
  { store, clock }: Pick<RecordDependencies, 'store' | 'clock'>,
): Promise<boolean> {
  const { path, data: entry, version } = failed;
  const acceptedAt = acceptanceTimeOf(failed);
  const data = {
    path,
    entry: { ...entry, acceptedAt },
    reason: `${error.name}: ${error.message}`.slice(0, MAX_REASON_LENGTH),
    setAsideAt: new Date(clock.nowMs()),
  };
  const suffix = isWide(tenantId, path) ? WIDE_SUFFIX : '';
  const writes = [
    { delete: path, when: version },
    { set: `${setAsidePrefix(tenantId, idOf(path))}${acceptedAt.getTime()}${suffix}`, data },
  ];
  return (await store.commit(writes, deadline)) !== 'conflict';
}

/**
 * Copies a deletion that was set aside in the earlier database into a restored one, whose snapshot is older than it.
 * Does nothing when it is set aside there already, or was retried there less than DELETION_RECEIPT_SECONDS ago. After
 * that time it is copied again, which spares records written since the restore.
 * @param restoredAt the end of the restore
 * @returns whether it was copied
 */
export async function restoreSetAsideDeletion(
  tenantId: string,
  { path: earlierPath, pendingPath, entry, reason, setAsideAt }: SetAsideDeletion,
  restoredAt: Date,
  deadline: Deadline,
  { store }: Pick<RecordDependencies, 'store'>,
): Promise<boolean> {
  const path = setAsideDeletionPath(tenantId, idOf(earlierPath));
  const data = { path: pendingPath, entry: { ...entry, restoredAt }, reason, setAsideAt };
  if (await store.get(retryReceiptPath(tenantId, path), deadline)) return false;
  return (await store.commit([{ set: path, data, when: 'absent' }], deadline)) !== 'conflict';
}

/** A deletion that was set aside. */
export interface SetAsideDeletion {
  readonly path: string;
  readonly version: Version;
  readonly deletionId: string;
  readonly kind: RecordKind;
  /** The path of its document while it was pending. */
  readonly pendingPath: string;
  /** That document. */
  readonly entry: DocumentData;
  readonly acceptedAt: Date;
  readonly setAsideAt: Date;
  readonly reason: string;
}

/** A deletion that was set aside as the document that it is when it is pending again. */
export function toRetried({ pendingPath, entry, version }: SetAsideDeletion): PendingDocument {
  return { path: pendingPath, data: { ...entry, isRetried: true }, version };
}

/** The writes that make a deletion pending again. They have a conflict while its identity has a pending deletion. */
export function toRetryWrites(tenantId: string, deletion: SetAsideDeletion, now: Date): DocumentWrite[] {
  const { path, version } = deletion;
  const retried = toRetried(deletion);
  const expireAt = new Date(now.getTime() + DELETION_RECEIPT_SECONDS * 1000);
  return [
    { delete: path, when: version },
    { set: retried.path, data: retried.data, when: 'absent' },
    { set: retryReceiptPath(tenantId, path), data: { expireAt } },
  ];
}

function retryReceiptPath(tenantId: string, path: string): string {
  return deletionReceiptPath(tenantId, idOf(path));
}

/** The deletions of a tenant that were set aside. */
export async function* listSetAsideDeletions(
  tenantId: string,
  store: DocumentReads,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<SetAsideDeletion> {
  const collection = setAsideDeletionsPath(tenantId);
  const list = (page: Page) => store.list(collection, page, deadlineOfPage());
  for await (const document of documentsAfter(undefined, SET_ASIDE_IN_MEMORY, list)) yield* toSetAside(document);
}

/** Those of these deletions that were set aside, each as often as it was. */
export async function findSetAsideDeletions(
  tenantId: string,
  deletionIds: readonly string[],
  store: DocumentReads,
  deadline: Deadline,
): Promise<SetAsideDeletion[]> {
  const collection = setAsideDeletionsPath(tenantId);
  const few = await listFew(collection, store, deadline);
  if (few?.length === 0) return []; // as of nearly all tenants
  const prefixes = deletionIds.map((deletionId) => setAsidePrefix(tenantId, deletionId));
  const paths = few ? startingWith(few, prefixes) : await pathsOfEach(collection, prefixes, store, deadline);
  return (await store.getAll(paths, deadline)).flatMap(toSetAside);
}

/** The paths of all that were set aside. Undefined: they are many. */
async function listFew(collection: string, store: DocumentReads, deadline: Deadline): Promise<string[] | undefined> {
  const refs = await store.listRefs(collection, { limit: FEW_SET_ASIDE }, deadline);
  return refs.length < FEW_SET_ASIDE ? refs.map(({ path }) => path) : undefined;
}

/** Those of the paths that begin with one of the prefixes, which all end with the same character. */
function startingWith(paths: readonly string[], prefixes: readonly string[]): string[] {
  const known = new Set(prefixes);
  return paths.filter((path) => known.has(path.slice(0, path.lastIndexOf(PREFIX_END) + 1)));
}

async function pathsOfEach(
  collection: string,
  prefixes: readonly string[],
  store: DocumentReads,
  deadline: Deadline,
): Promise<string[]> {
  const paths: string[] = [];
  await inParallel(prefixes, DELETIONS_AT_ONCE, async (prefix) => {
    for (let after: string | undefined = prefix; after !== undefined;) {
      const refs = await store.listRefs(collection, { limit: SET_ASIDE_PAGE, after }, deadline);
      const own = refs.map(({ path }) => path).filter((path) => path.startsWith(prefix));
      paths.push(...own);
      after = own.length === SET_ASIDE_PAGE ? own.at(-1) : undefined;
    }
  });
  return paths;
}

function toSetAside({ path, version, data }: StoredDocument): SetAsideDeletion[] {
  const { entry, reason, setAsideAt } = data as unknown as Pick<SetAsideDeletion, 'entry' | 'reason' | 'setAsideAt'>;
  const pendingPath = data.path as string;
  const deletionId = idOf(pendingPath);
  const kind = parseDeletionId(deletionId)?.kind;
  const acceptedAt = entry.acceptedAt as Date;
  return kind ? [{ path, version, deletionId, kind, pendingPath, entry, acceptedAt, setAsideAt, reason }] : [];
}

const PREFIX_END = '.';

/** One acceptance may write an entry and a wide deletion of the same identity. */
const WIDE_SUFFIX = '-wide';

/** Whether a pending deletion with this path is a wide one. */
export function isWide(tenantId: string, path: string): boolean {
  return path === wideDeletionPath(tenantId, idOf(path));
}

/** One identity may have several deletions set aside, accepted at different times: all of their ids begin with this. */
function setAsidePrefix(tenantId: string, deletionId: string): string {
  return setAsideDeletionPath(tenantId, `${deletionId}${PREFIX_END}`);
}
