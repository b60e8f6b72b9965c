/** The sweep over the raised pending-deletions flags: it lowers them, and publishes lost deletions again. */
import type { Clock } from '../../shared/platform/clock';
import type { Deadline } from '../../shared/platform/deadline';
import { deadlineIn } from '../../shared/platform/deadline';
import { isDrainNoted, requestDrain } from '../../shared/deletions/drains';
import { listPendingDeletions } from '../../shared/deletions/pending-deletions';
import { lowerFlag } from '../../shared/deletions/pending-flag';
import type { DocumentRef, DocumentStore, StoredDocument } from '../../shared/documents/document-store';
import {
  idOf,
  RAISED_FLAGS,
  raisedFlagPath,
  SET_ASIDE_DELETIONS,
  tenantIdOf,
  wideDeletionsPath,
} from '../../shared/documents/paths';
import type { RecordKind } from '../../shared/domain/identity';
import { RECORD_KINDS } from '../../shared/domain/identity';
import {
  DELETION_REPUBLISH_AFTER_SECONDS,
  FLAG_LOWERED_AFTER_SECONDS,
  FLAGS_SWEPT_AT_ONCE,
  MAX_REMINDERS,
  MIN_REMAINING_FOR_SWEEP_MS,
  SWEEP_OF_FLAG_MS,
  SWEPT_DELETIONS,
} from '../../shared/limits/deletions';
import type { EventPublisher } from '../../shared/events/event-publisher';
import { waitForAll } from '../../shared/platform/async/in-parallel';
import type { Logger } from '../../shared/platform/logger';
import { errorDetails } from '../../shared/platform/logger';
import type { Random } from '../../shared/platform/random';
import { maySucceedLater } from '../../shared/platform/retry';

export interface SweepDependencies {
  readonly store: DocumentStore;
  readonly publisher: EventPublisher;
  readonly deletionsTopic: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** How far a sweep has come: it has done the tenants and kinds up to this one. */
export interface SweepCursor {
  readonly tenantId: string;
  readonly kind: RecordKind;
}

/** The event that asks for a sweep, or for the rest of one. */
export interface SweepRequested {
  readonly sweep: true;
  readonly after?: SweepCursor;
}

/**
 * Sweeps the raised flags. Lowers a flag without pending deletions. Where a deletion is overdue it publishes a drain of
 * the kind: the deletion's event was never published, because of a crash, or went to the dead letters. When time runs
 * out, publishes another event for the rest. Repeating it is safe.
 */
export async function sweepFlags(
  { after: start }: SweepRequested,
  deadline: Deadline,
  dependencies: SweepDependencies,
): Promise<void> {
  const { store, publisher, deletionsTopic, logger } = dependencies;
  let count = 0;
  let after = start && raisedFlagPath(start.tenantId, start.kind);
  for (;;) {
    const page = { limit: FLAGS_SWEPT_AT_ONCE, ...(after !== undefined && { after }) };
    const flags = await store.listGroup(RAISED_FLAGS, page, deadline);
    const published = await waitForAll(flags.map((flag) => trySweepFlag(flag, deadline, dependencies)));
    count += published.filter(Boolean).length;
    const last = flags.at(-1);
    if (!last || flags.length < FLAGS_SWEPT_AT_ONCE) break;
    after = last.path;
    const cursor = cursorOf(last);
    if (cursor && deadline.remainingMs() < MIN_REMAINING_FOR_SWEEP_MS) {
      const rest: SweepRequested = { sweep: true, after: cursor };
      await publisher.publish(deletionsTopic, rest);
      break;
    }
  }
  if (count > 0) logger.log('WARNING', 'Overdue deletions were published again.', { count });
}

/** Undefined when the flag is of no known kind. */
function cursorOf({ path }: StoredDocument): SweepCursor | undefined {
  const kind = RECORD_KINDS.find((candidate) => candidate === idOf(path));
  return kind && { tenantId: tenantIdOf(path), kind };
}

/**
 * Sweeps a flag in a short time of its own. One that cannot be swept now is left to the next sweep: no tenant keeps it
 * from those behind. @returns whether an event was published
 */
async function trySweepFlag(
  flag: StoredDocument,
  deadline: Deadline,
  dependencies: SweepDependencies,
): Promise<boolean> {
  const { clock, logger } = dependencies;
  const ownDeadline = deadlineIn(Math.min(SWEEP_OF_FLAG_MS, deadline.remainingMs()), clock);
  try {
    return await sweepFlag(flag, ownDeadline, dependencies);
  } catch (error) {
    if (!maySucceedLater(error)) throw error;
    const details = { ...cursorOf(flag), ...errorDetails(error) };
    logger.log('WARNING', 'A pending-deletions flag could not be swept; the next sweep tries again.', details);
    return false;
  }
}

/** @returns whether an event was published */
async function sweepFlag(
  flag: StoredDocument,
  deadline: Deadline,
  { store, publisher, deletionsTopic, clock, random }: SweepDependencies,
): Promise<boolean> {
  const cursor = cursorOf(flag);
  if (!cursor) return false;
  const { tenantId, kind } = cursor;
  const { version } = flag;
  const ageSeconds = clock.nowMs() / 1000 - version.seconds;
  if (ageSeconds < FLAG_LOWERED_AFTER_SECONDS) return false;
  if (!(await isAnyOverdue(tenantId, kind, deadline, { store, clock }))) {
    await lowerFlag(tenantId, kind, deadline, { store, random });
    return false;
  }
  // A drain publishes the event for its own rest. It is published here only if that event must have been lost.
  if (isDrainNoted(flag, DELETION_REPUBLISH_AFTER_SECONDS, clock)) return false;
  return requestDrain({ tenantId, kind }, deadline, { store, publisher, deletionsTopic, clock });
}

/** Whether one of the first pending deletions is overdue, or more are pending than a sweep looks at: of each sort. */
async function isAnyOverdue(
  tenantId: string,
  kind: RecordKind,
  deadline: Deadline,
  { store, clock }: Pick<SweepDependencies, 'store' | 'clock'>,
): Promise<boolean> {
  const overdueSinceMs = clock.nowMs() - DELETION_REPUBLISH_AFTER_SECONDS * 1000;
  const page = { limit: SWEPT_DELETIONS };
  const isOverdue = (pending: readonly Pick<DocumentRef, 'version'>[]) =>
    pending.length === SWEPT_DELETIONS || pending.some(({ version }) => version.seconds * 1000 <= overdueSinceMs);
  if (isOverdue(await listPendingDeletions(tenantId, kind, page, store, deadline))) return true;
  return kind === 'customers' && isOverdue(await store.listRefs(wideDeletionsPath(tenantId), page, deadline));
}

/**
 * Reminds the operator of the deletions that are set aside, in each sweep until they are retried. One is read at once,
 * because each may be nearly as large as a document can be, and as many as there is time for.
 */
export async function remindOfSetAside(
  deadline: Deadline,
  { store, logger }: Pick<SweepDependencies, 'store' | 'logger'>,
): Promise<void> {
  let after: string | undefined;
  for (let count = 0; count < MAX_REMINDERS && deadline.remainingMs() > MIN_REMAINING_FOR_SWEEP_MS; count += 1) {
    const page = { limit: 1, ...(after !== undefined && { after }) };
    const [next] = await store.listGroup(SET_ASIDE_DELETIONS, page, deadline);
    if (!next) return;
    after = next.path;
    const details = { tenantId: tenantIdOf(after), deletionId: idOf(after) };
    logger.log('ERROR', 'A deletion cannot be applied and was set aside.', details);
  }
}
