/**
 * The sweep over what consumers of deletions left behind. It looks at one deletion of each tenant and kind, the oldest:
 * its consumer applies all that are pending of the kind. So a tenant with very many, or whose deletions fail, keeps the
 * sweep from no other.
 */
import type { Clock } from '../../shared/clock';
import type { Deadline } from '../../shared/deadline';
import type { DocumentStore } from '../../shared/documents/document-store';
import { DELETIONS, deletionPath, idOf, SET_ASIDE_DELETIONS, tenantIdOf } from '../../shared/documents/paths';
import type { DeletionRequested } from '../../shared/domain/deletion';
import { parseDeletionId } from '../../shared/domain/deletion';
import type { RecordKind } from '../../shared/domain/identity';
import { DELETION_REPUBLISH_AFTER_SECONDS, MAX_REMINDERS, SWEEP_LEAVES_MS } from '../../shared/domain/limits';
import type { EventPublisher } from '../../shared/events/event-publisher';
import type { Logger } from '../../shared/logger';

export interface SweepDependencies {
  readonly store: DocumentStore;
  readonly publisher: EventPublisher;
  readonly deletionsTopic: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How far a sweep has come: the tenants and kinds up to this one are done. */
export interface SweepPlace {
  readonly tenantId: string;
  readonly kind: RecordKind;
}

/** The message that asks for a sweep, or for the rest of one. */
export interface SweepRequested {
  readonly sweep: true;
  readonly after?: SweepPlace;
}

/**
 * Publishes accepted deletions again that are pending for too long: their message was never published (a crash in
 * between) or went to the dead letters. One for each tenant and kind. When the time is short, another message asks for
 * the rest. Repeating it is safe.
 */
export async function republishOverdueDeletions(
  { after: start }: SweepRequested,
  deadline: Deadline,
  dependencies: SweepDependencies,
): Promise<void> {
  const { store, publisher, deletionsTopic, clock, logger } = dependencies;
  const latestSeconds = clock.nowMs() / 1000 - DELETION_REPUBLISH_AFTER_SECONDS;
  let count = 0;
  let after: string | undefined = start && endOf(start);
  for (;;) {
    const page = { limit: 1, ...(after !== undefined && { after }) };
    const [oldest] = await store.listGroup(DELETIONS, page, deadline);
    if (!oldest) break;
    const event: DeletionRequested = { tenantId: tenantIdOf(oldest.path), deletionId: idOf(oldest.path) };
    if (oldest.version.seconds <= latestSeconds) {
      count += 1;
      await publisher.publish(deletionsTopic, event);
    }
    const kind = parseDeletionId(event.deletionId)?.kind;
    after = kind ? endOf({ ...event, kind }) : oldest.path;
    if (kind && deadline.remainingMs() < SWEEP_LEAVES_MS) {
      const rest: SweepRequested = { sweep: true, after: { tenantId: event.tenantId, kind } };
      await publisher.publish(deletionsTopic, rest);
      break;
    }
  }
  if (count > 0) logger.log('WARNING', 'Overdue deletions were published again.', { count });
}

/** A path after all deletions of a tenant and kind, and before all others: `.` follows the `-` behind the kind. */
function endOf({ tenantId, kind }: SweepPlace): string {
  return deletionPath(tenantId, `${kind}.`);
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
