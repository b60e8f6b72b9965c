import type { Clock } from '../../shared/clock';
import type { Deadline } from '../../shared/deadline';
import type { DocumentStore, StoredDocument } from '../../shared/documents/document-store';
import { DELETIONS, idOf } from '../../shared/documents/paths';
import type { DeletionRequested } from '../../shared/domain/deletion';
import { DELETION_REPUBLISH_AFTER_SECONDS, SWEEP_BATCH } from '../../shared/domain/limits';
import type { EventPublisher } from '../../shared/events/event-publisher';
import type { Logger } from '../../shared/logger';

export interface SweepDependencies {
  readonly store: DocumentStore;
  readonly publisher: EventPublisher;
  readonly deletionsTopic: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Publishes accepted deletions again that are pending for too long: their message was never published (a crash in
 * between) or went to the dead letters. Repeating it is safe.
 */
export async function republishOverdueDeletions(deadline: Deadline, dependencies: SweepDependencies): Promise<void> {
  const { store, publisher, deletionsTopic, clock, logger } = dependencies;
  const latestSeconds = clock.nowMs() / 1000 - DELETION_REPUBLISH_AFTER_SECONDS;
  const overdue: StoredDocument[] = [];
  for (let after: string | undefined; overdue.length < SWEEP_BATCH;) {
    const page = await store.listGroup(
      DELETIONS,
      { limit: SWEEP_BATCH, ...(after !== undefined && { after }) },
      deadline,
    );
    overdue.push(...page.filter(({ version }) => version.seconds <= latestSeconds));
    after = page.at(-1)?.path;
    if (page.length < SWEEP_BATCH) break;
  }
  for (const { path } of overdue) {
    const event: DeletionRequested = { tenantId: path.split('/')[1] ?? '', deletionId: idOf(path) };
    await publisher.publish(deletionsTopic, event);
  }
  if (overdue.length > 0) logger.log('WARNING', 'Overdue deletions were published again.', { count: overdue.length });
}
