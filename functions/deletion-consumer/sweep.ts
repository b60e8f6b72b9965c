/** The sweep over what consumers of deletions left behind, by the flags that are raised. */
import type { Clock } from '../../shared/platform/clock';
import type { Deadline } from '../../shared/platform/deadline';
import { listPendingDeletions } from '../../shared/deletions/pending-deletions';
import { lowerFlag } from '../../shared/deletions/pending-flag';
import { listWideDeletions } from '../../shared/deletions/wide-deletions';
import type { DocumentStore, StoredDocument } from '../../shared/documents/document-store';
import { idOf, RAISED_FLAGS, raisedFlagPath, SET_ASIDE_DELETIONS, tenantIdOf } from '../../shared/documents/paths';
import type { DrainRequested } from '../../shared/domain/deletion';
import type { RecordKind } from '../../shared/domain/identity';
import { RECORD_KINDS } from '../../shared/domain/identity';
import {
  DELETION_REPUBLISH_AFTER_SECONDS,
  FLAG_LOWERED_AFTER_SECONDS,
  MAX_REMINDERS,
  MIN_REMAINING_FOR_SWEEP_MS,
  SWEPT_DELETIONS,
} from '../../shared/limits/deletions';
import type { EventPublisher } from '../../shared/events/event-publisher';
import type { Logger } from '../../shared/platform/logger';
import type { Random } from '../../shared/platform/random';

export interface SweepDependencies {
  readonly store: DocumentStore;
  readonly publisher: EventPublisher;
  readonly deletionsTopic: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** How far a sweep has come: the tenants and kinds up to this one are done. */
export interface SweepCursor {
  readonly tenantId: string;
  readonly kind: RecordKind;
}

/** The message that asks for a sweep, or for the rest of one. */
export interface SweepRequested {
  readonly sweep: true;
  readonly after?: SweepCursor;
}

/**
 * Looks at each raised flag. Where nothing is pending any more it is lowered; where something is overdue, all of the
 * kind is asked for again: its message was never published (a crash in between) or went to the dead letters. When the
 * time is short, another message asks for the rest. Repeating it is safe.
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
    const page = { limit: 1, ...(after !== undefined && { after }) };
    const [flag] = await store.listGroup(RAISED_FLAGS, page, deadline);
    if (!flag) break;
    after = flag.path;
    const index = placeOf(flag);
    if (!index) continue;
    count += await sweepFlag(index, flag, deadline, dependencies);
    if (deadline.remainingMs() < MIN_REMAINING_FOR_SWEEP_MS) {
      const rest: SweepRequested = { sweep: true, after: index };
      await publisher.publish(deletionsTopic, rest);
      break;
    }
  }
  if (count > 0) logger.log('WARNING', 'Overdue deletions were published again.', { count });
}

function placeOf({ path }: StoredDocument): SweepCursor | undefined {
  const kind = RECORD_KINDS.find((one) => one === idOf(path));
  return kind && { tenantId: tenantIdOf(path), kind };
}

/** @returns how many messages were published */
async function sweepFlag(
  { tenantId, kind }: SweepCursor,
  { data, version }: StoredDocument,
  deadline: Deadline,
  { store, publisher, deletionsTopic, clock, random }: SweepDependencies,
): Promise<number> {
  const ageSeconds = clock.nowMs() / 1000 - version.seconds;
  if (ageSeconds < FLAG_LOWERED_AFTER_SECONDS) return 0;
  if (!(await isAnyOverdue(tenantId, kind, deadline, { store, clock }))) {
    await lowerFlag(tenantId, kind, deadline, { store, random });
    return 0;
  }
  // Whoever works on it asks for the rest by itself: it is asked for again only when that must have been lost.
  const drainedAt = data.drainedAt instanceof Date ? data.drainedAt.getTime() : 0;
  if (clock.nowMs() - drainedAt < DELETION_REPUBLISH_AFTER_SECONDS * 1000) return 0;
  await store.commit([{ set: raisedFlagPath(tenantId, kind), data: { drainedAt: new Date(clock.nowMs()) } }], deadline);
  const event: DrainRequested = { tenantId, drain: kind };
  await publisher.publish(deletionsTopic, event);
  return 1;
}

/** Whether one of the first pending deletions is overdue, or there are more than are looked at. */
async function isAnyOverdue(
  tenantId: string,
  kind: RecordKind,
  deadline: Deadline,
  { store, clock }: Pick<SweepDependencies, 'store' | 'clock'>,
): Promise<boolean> {
  const latest = clock.nowMs() - DELETION_REPUBLISH_AFTER_SECONDS * 1000;
  const pending = await listPendingDeletions(tenantId, kind, { limit: SWEPT_DELETIONS }, store, deadline);
  if (pending.length === SWEPT_DELETIONS) return true;
  if (pending.some(({ version }) => version.seconds * 1000 <= latest)) return true;
  const wide = kind === 'customers' ? await listWideDeletions(tenantId, store, deadline) : [];
  return wide.some(({ version }) => version.seconds * 1000 <= latest);
}

/** Reminds the operator of deletions that were set aside: each sweep again, until somebody has seen to them. */
export async function remindOfSetAside(
  deadline: Deadline,
  { store, logger }: Pick<SweepDependencies, 'store' | 'logger'>,
): Promise<void> {
  for (const { path } of await store.listGroup(SET_ASIDE_DELETIONS, { limit: MAX_REMINDERS }, deadline)) {
    const details = { tenantId: tenantIdOf(path), deletionId: idOf(path) };
    logger.log('ERROR', 'A deletion cannot be applied and was set aside.', details);
  }
}
