/**
 * Drains: messages by which all pending deletions of a kind are applied. When one is requested is noted beside the
 * raised flag, so that a tenant has one under way, however many deletions ask for it: each would work through the same
 * ones, and many would leave no place to the deletions of others.
 *
 * A drain that ends removes the note and looks once more. So a deletion that was accepted while the note was there is
 * seen by that look, and one that is accepted after it finds no note, and requests a drain of its own.
 */
import type { DrainRequested } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import type { DocumentStore, StoredDocument } from '../documents/document-store';
import { raisedFlagPath, wideDeletionsPath } from '../documents/paths';
import type { EventPublisher } from '../events/event-publisher';
import { DRAIN_UNDER_WAY_SECONDS } from '../limits/deletions';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import type { Random } from '../platform/random';
import { retryConflicts } from '../workspace/retry-conflicts';

export interface DrainDependencies {
  readonly store: DocumentStore;
  readonly publisher: EventPublisher;
  readonly deletionsTopic: string;
  readonly clock: Clock;
}

export interface TenantKind {
  readonly tenantId: string;
  readonly kind: RecordKind;
}

/**
 * Publishes that all pending deletions of a kind be applied.
 * @returns false when nothing is pending any more: nothing is published
 */
export async function requestDrain(
  { tenantId, kind }: TenantKind,
  deadline: Deadline,
  { store, publisher, deletionsTopic, clock }: DrainDependencies,
): Promise<boolean> {
  // A sweep may have lowered the flag, and removed the document with it: then there is nothing to drain.
  const noted = { set: raisedFlagPath(tenantId, kind), data: { drainedAt: new Date(clock.nowMs()) } };
  if ((await store.commit([{ ...noted, when: 'present' }], deadline)) === 'conflict') return false;
  const event: DrainRequested = { tenantId, drain: kind };
  await publisher.publish(deletionsTopic, event);
  return true;
}

/** The same, where none is under way. For deletions that are stored already. @throws ContentionTimeout */
export async function requestDrainUnlessUnderWay(
  { tenantId, kind }: TenantKind,
  deadline: Deadline,
  dependencies: DrainDependencies & { readonly random: Random },
): Promise<void> {
  const { store, publisher, deletionsTopic, clock } = dependencies;
  const path = raisedFlagPath(tenantId, kind);
  await retryConflicts(
    [path],
    async (open) => {
      const flag = await store.get(path, deadline);
      if (!flag || clock.nowMs() - notedMs(flag) < DRAIN_UNDER_WAY_SECONDS * 1000) return [];
      const noted = { set: path, data: { drainedAt: new Date(clock.nowMs()) }, when: flag.version };
      if ((await store.commit([noted], deadline)) === 'conflict') return open;
      const event: DrainRequested = { tenantId, drain: kind };
      await publisher.publish(deletionsTopic, event);
      return [];
    },
    deadline,
    dependencies,
  );
}

/**
 * Notes that a drain has ended.
 * @returns whether a wide deletion came meanwhile, for which nobody may have requested another drain
 */
export async function endDrain(
  { tenantId, kind }: TenantKind,
  deadline: Deadline,
  { store }: Pick<DrainDependencies, 'store'>,
): Promise<boolean> {
  const path = raisedFlagPath(tenantId, kind);
  const flag = await store.get(path, deadline);
  if (!flag || notedMs(flag) === 0) return false;
  const removed = await store.commit([{ set: path, data: {}, when: flag.version }], deadline);
  if (removed === 'conflict') return false; // whoever has noted another one has published it
  return kind === 'customers' && (await store.listRefs(wideDeletionsPath(tenantId), { limit: 1 }, deadline)).length > 0;
}

/** When the last drain of a raised flag was requested, in milliseconds; 0: none is under way. */
export function notedMs({ data }: Pick<StoredDocument, 'data'>): number {
  return data.drainedAt instanceof Date ? data.drainedAt.getTime() : 0;
}
