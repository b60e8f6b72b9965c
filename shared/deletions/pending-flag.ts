/**
 * The pending-deletions flag. Each kind of record has one. It says whether deletions may be pending; while it is
 * lowered, upserts and files do not look for them. Deletions are few, so this saves most reads. The flag is written
 * when it changes, not by each deletion.
 *
 *   neverRaised, or no flag: as lowered, and no deletion of the kind was ever accepted
 *
 *   lowered ──▶ raised ──▶ lowering ──▶ lowered
 *                 ▲            │
 *                 └────────────┘  a deletion was accepted meanwhile
 *
 * The transaction that accepts a deletion reads the flag as raised. All deletions accepted under it are therefore
 * stored when the flag is set to `lowering`, and the look for pending ones after that sees them. A later acceptance
 * finds the flag not raised and raises it, and the write of `lowered` has a conflict.
 *
 * Most tenants delete customers by one identifier. The state names it from the first deletion on (`raised:email`), the
 * sole identifier, until a deletion comes that may leave a tombstone of another one: that removes the name first, for
 * good. Meanwhile no row of a file looks for tombstones of the other identifier, and the commit of a row, which checks
 * the flag, is in conflict with the removal. A release that knows only the bare states accepts nothing under
 * such a state, and removes the name, too.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentStore, StoredDocument, Version } from '../documents/document-store';
import { deletionFlagPath, raisedFlagPath, wideDeletionsPath } from '../documents/paths';
import type { RecordKind } from '../domain/identity';
import type { CustomerIdentifier } from '../domain/tenant';
import { FEW_PENDING_DELETIONS } from '../limits/deletions';
import type { DocumentData } from '../domain/records/document';
import { retryConflicts } from '../workspace/retry-conflicts';
import type { RecordDependencies } from '../workspace/record-dependencies';
import { NEVER_RAISED } from '../workspace/customer-keys';
import { newRevision } from '../workspace/record-documents';
import { expectsPending, listFewPendingDeletions, rememberFlag } from './few-pending-deletions';
import type { PendingDeletionRef } from './pending-deletions';
import { listPendingDeletions } from './pending-deletions';

/** A flag that is not lowered: deletions may be pending. */
export interface PendingFlag {
  readonly path: string;
  readonly version: Version;
  /** False: it is being lowered, and no deletion may be accepted under it. */
  readonly isRaised: boolean;
  /** Whether there may be wide deletions. */
  readonly hasWide: boolean;
  /** The only identifier of which customers have tombstones; undefined: they may have those of both. */
  readonly soleIdentifier: CustomerIdentifier | undefined;
}

/** What has to be true of a raised flag before a deletion is accepted. */
export interface FlagNeeds {
  /** Whether it is a wide deletion. */
  readonly isWide?: boolean;
  /** The identifier of the only tombstones that it leaves; absent: it may leave others. Never of a wide one. */
  readonly soleIdentifier?: CustomerIdentifier | undefined;
}

type State = 'raised' | 'lowering' | 'lowered';
const SOLE = ':';

/** Whether a flag says that deletions may be pending. Undefined: there is no flag. */
export function mayBePending(flag: DocumentData | undefined): boolean {
  return wasEverRaised(flag) && stateOf(flag) !== 'lowered';
}

/** Whether deletions were ever accepted, so that there may be tombstones. Undefined: there is no flag. */
export function wasEverRaised(flag: DocumentData | undefined): boolean {
  return flag !== undefined && flag.state !== NEVER_RAISED;
}

/** The only identifier of which customers have tombstones, by their flag; undefined: they may have those of both. */
export function soleIdentifierOf(flag: DocumentData | undefined): CustomerIdentifier | undefined {
  return partsOf(flag)[1] as CustomerIdentifier | undefined;
}

/** Whether deletions may be accepted under a flag. */
export function isRaised(flag: DocumentData | undefined): boolean {
  return stateOf(flag) === 'raised';
}

function stateOf(flag: DocumentData | undefined): string | undefined {
  return partsOf(flag)[0];
}

function partsOf(flag: DocumentData | undefined): readonly string[] {
  return (flag?.state as string | undefined)?.split(SOLE) ?? [];
}

function toState(state: State, soleIdentifier: CustomerIdentifier | undefined): string {
  return soleIdentifier === undefined ? state : `${state}${SOLE}${soleIdentifier}`;
}

/** The flag of a kind. Undefined: it is lowered, and no deletion of this kind is pending. */
export async function findPendingFlag(
  tenantId: string,
  kind: RecordKind,
  store: DocumentStore,
  deadline: Deadline,
): Promise<PendingFlag | undefined> {
  const flag = await store.get(deletionFlagPath(tenantId, kind), deadline);
  return flag && toPendingFlag(flag);
}

/** What a writer of a kind's records knows of its pending deletions. */
export interface PendingHint extends PendingFlag {
  /** All pending deletions, if many records are to be written and few deletions are pending. Undefined: not known. */
  readonly pending?: readonly PendingDeletionRef[];
}

/**
 * What a request has to know of pending deletions. Read after the whole request has arrived, it covers every deletion
 * that was accepted before. The list of what is pending does the same, so it need not be later than the flag: where
 * that was not lowered last time, both are read at once. Where it is lowered by now, the list ends unused.
 * @param records how many records the request writes
 * @returns undefined when no deletion is pending
 */
export async function findPendingHint(
  tenantId: string,
  kind: RecordKind,
  records: number,
  store: DocumentStore,
  deadline: Deadline,
): Promise<PendingHint | undefined> {
  const reading = findPendingFlag(tenantId, kind, store, deadline);
  if (records <= FEW_PENDING_DELETIONS) return reading;
  const ahead = expectsPending(tenantId, kind, store)
    ? listFewPendingDeletions(tenantId, kind, store, deadline, reading)
    : undefined;
  ahead?.catch(() => undefined); // nobody waits for it where the flag is lowered, or cannot be read
  const flag = await reading;
  rememberFlag(tenantId, kind, flag !== undefined, store);
  if (!flag) return undefined;
  const pending = await (ahead ?? listFewPendingDeletions(tenantId, kind, store, deadline));
  return pending ? { ...flag, pending } : flag;
}

/** The flag of a document. Undefined: it is lowered. */
export function toPendingFlag({ path, data, version }: StoredDocument): PendingFlag | undefined {
  if (!mayBePending(data)) return undefined;
  const soleIdentifier = soleIdentifierOf(data);
  return { path, version, isRaised: isRaised(data), hasWide: data.hasWide === true, soleIdentifier };
}

/**
 * Raises the flag. Writes nothing when it is raised already, and says what is needed. Repeating it is safe.
 * @throws ContentionTimeout
 */
export async function raiseFlag(
  tenantId: string,
  kind: RecordKind,
  { isWide = false, soleIdentifier }: FlagNeeds,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<PendingFlag> {
  const { store, random } = dependencies;
  const path = deletionFlagPath(tenantId, kind);
  let raised: PendingFlag | undefined;
  await retryConflicts(
    [path],
    async (open) => {
      const stored = await store.get(path, deadline);
      const flag = stored && toPendingFlag(stored);
      const isSole = flag?.soleIdentifier === undefined || flag.soleIdentifier === soleIdentifier;
      if (flag?.isRaised && (flag.hasWide || !isWide) && isSole) {
        raised = flag;
        return [];
      }
      const hasWide = isWide || flag?.hasWide === true;
      const isKept = hasNoOtherThan(stored?.data, soleIdentifier);
      const state = toState('raised', isKept ? soleIdentifier : undefined);
      const data = { ...stored?.data, state, hasWide, revision: newRevision(random) };
      const version = await store.commit(
        [
          { set: raisedFlagPath(tenantId, kind), data: {} },
          { set: path, data, when: stored?.version ?? 'absent' },
        ],
        deadline,
      );
      if (version === 'conflict') return open;
      raised = { path, version, isRaised: true, hasWide, soleIdentifier: soleIdentifierOf(data) };
      return [];
    },
    deadline,
    dependencies,
  );
  if (!raised) throw new Error('A flag was raised and is not.');
  return raised;
}

/** Whether a flag says that there are no tombstones but those of an identifier, or none at all. */
function hasNoOtherThan(flag: DocumentData | undefined, identifier: CustomerIdentifier | undefined): boolean {
  return !wasEverRaised(flag) || soleIdentifierOf(flag) === identifier;
}

/**
 * Lowers a flag if no deletion of its kind is pending. A deletion that is accepted meanwhile keeps it from being
 * lowered. Repeating it is safe.
 */
export async function lowerFlag(
  tenantId: string,
  kind: RecordKind,
  deadline: Deadline,
  { store, random }: Pick<RecordDependencies, 'store' | 'random'>,
): Promise<void> {
  const isAnyPending = async () => {
    const [pending, wide] = await Promise.all([
      listPendingDeletions(tenantId, kind, { limit: 1 }, store, deadline),
      kind === 'customers' ? store.list(wideDeletionsPath(tenantId), { limit: 1 }, deadline) : [],
    ]);
    return pending.length > 0 || wide.length > 0;
  };
  const path = deletionFlagPath(tenantId, kind);
  const flag = await store.get(path, deadline);
  if (!flag || !mayBePending(flag.data) || (await isAnyPending())) return;
  const soleIdentifier = soleIdentifierOf(flag.data);
  const lowering = {
    set: path,
    data: { ...flag.data, state: toState('lowering', soleIdentifier), revision: newRevision(random) },
    when: flag.version,
  };
  const version = await store.commit([lowering], deadline);
  if (version === 'conflict' || (await isAnyPending())) return;
  const state = toState('lowered', soleIdentifier);
  const lowered = { ...flag.data, state, hasWide: false, revision: newRevision(random) };
  await store.commit(
    [{ delete: raisedFlagPath(tenantId, kind) }, { set: path, data: lowered, when: version }],
    deadline,
  );
}
