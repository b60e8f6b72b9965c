import type { Clock } from '../../shared/clock';
import type { Deadline } from '../../shared/deadline';
import type { DocumentStore } from '../../shared/documents/document-store';
import { DELETIONS, idOf } from '../../shared/documents/paths';
import type { DeletionRequested, DeletionTarget } from '../../shared/domain/deletion';
import { DELETION_KIND } from '../../shared/domain/deletion';
import { DELETION_REPUBLISH_AFTER_SECONDS, SWEEP_PAGE } from '../../shared/domain/limits';
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
 * between) or went to the dead letters. One of each tenant and kind is enough, as its consumer applies all of them, so
 * that a tenant whose deletions fail hides no other. Repeating it is safe.
 */
export async function republishOverdueDeletions(deadline: Deadline, dependencies: SweepDependencies): Promise<void> {
  const { store, publisher, deletionsTopic, clock, logger } = dependencies;
  const latestSeconds = clock.nowMs() / 1000 - DELETION_REPUBLISH_AFTER_SECONDS;
  const published = new Set<string>();
  let count = 0;
  for (let after: string | undefined; ;) {
    const page = await store.listGroup(
      DELETIONS,
      { limit: SWEEP_PAGE, ...(after !== undefined && { after }) },
      deadline,
    );
    const overdue = page.filter(({ version }) => version.seconds <= latestSeconds);
    count += overdue.length;
    for (const { path, data } of overdue) {
      const event: DeletionRequested = { tenantId: path.split('/')[1] ?? '', deletionId: idOf(path) };
      const group = `${event.tenantId}/${DELETION_KIND[(data.target as unknown as DeletionTarget).type]}`;
      if (published.has(group)) continue;
      published.add(group);
      await publisher.publish(deletionsTopic, event);
    }
    after = page.at(-1)?.path;
    if (page.length < SWEEP_PAGE) break;
  }
  if (count > 0) logger.log('WARNING', 'Overdue deletions were published again.', { count });
}
