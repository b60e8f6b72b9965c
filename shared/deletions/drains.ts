/**
 * Drains: messages by which all pending deletions of a kind are applied. When one is requested is noted beside the
 * raised flag, so that a tenant has one under way, however many deletions ask for it: each would work through the same
 * ones, and many would leave no place to the deletions of others.
 *
 * A drain that ends removes the note and looks once more. So a deletion that was accepted while the note was there is
 * seen by that look, and one that is accepted after it finds no note, and requests a drain of its own. After a crash
 * between a note and its message the sweep finds what was accepted while the note counted.
 */
import type { DrainRequested } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import type { DocumentStore, StoredDocument, Version } from '../documents/document-store';
import { raisedFlagPath, wideDeletionsPath } from '../documents/paths';
import type { EventPublisher } from '../events/event-publisher';
import { DRAIN_UNDER_WAY_SECONDS } from '../limits/deletions';
import { CALL_TIMEOUT_MS } from '../limits/platform';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import { deadlineIn } from '../platform/deadline';
import type { Random } from '../platform/random';
import { newRevision } from '../workspace/record-documents';
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
  await publishDrain({ tenantId, kind }, { publisher, deletionsTopic });
  return true;
}

/**
 * The same, where none is under way. For deletions that are stored already: it takes a time of its own. After an error
 * none is published, and a repeat requests it again.
 */
export async function requestDrainUnlessUnderWay(
  { tenantId, kind }: TenantKind,
  dependencies: DrainDependencies & { readonly random: Random },
): Promise<void> {
  const { store, clock } = dependencies;
  const path = raisedFlagPath(tenantId, kind);
  // Where nothing can be noted it is published: one drain too many does no harm.
  const outcome = await noteDrain(path, dependencies).catch((): Noted => ({ isRequested: true }));
  if (!outcome.isRequested) return;
  try {
    await publishDrain({ tenantId, kind }, dependencies);
  } catch (error) {
    const { note } = outcome;
    const unsaid = note && store.commit([{ set: path, data: {}, when: note }], deadlineIn(CALL_TIMEOUT_MS, clock));
    await unsaid?.catch(() => undefined);
    throw error;
  }
}

function publishDrain(
  { tenantId, kind }: TenantKind,
  { publisher, deletionsTopic }: Pick<DrainDependencies, 'publisher' | 'deletionsTopic'>,
): Promise<void> {
  const event: DrainRequested = { tenantId, drain: kind };
  return publisher.publish(deletionsTopic, event);
}

interface Noted {
  /** Whether it is to be published: no drain is under way. */
  readonly isRequested: boolean;
  /** The version that the note has given the document. */
  readonly note?: Version;
}

async function noteDrain(path: string, dependencies: DrainDependencies & { readonly random: Random }): Promise<Noted> {
  const { store, clock, random } = dependencies;
  const deadline = deadlineIn(CALL_TIMEOUT_MS, clock);
  const revision = newRevision(random);
  let outcome: Noted = { isRequested: false };
  await retryConflicts(
    [path],
    async (open) => {
      const flag = await store.get(path, deadline);
      if (flag?.data.revision === revision) {
        outcome = { isRequested: true, note: flag.version }; // the answer to an attempt was lost
        return [];
      }
      if (!flag || isDrainNoted(flag, DRAIN_UNDER_WAY_SECONDS, clock)) return [];
      const data = { drainedAt: new Date(clock.nowMs()), revision };
      const note = await store.commit([{ set: path, data, when: flag.version }], deadline);
      if (note === 'conflict') return open;
      outcome = { isRequested: true, note };
      return [];
    },
    deadline,
    dependencies,
  );
  return outcome;
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
  // After a conflict it looks, too: it may be the lost answer of the commit itself.
  if (flag?.data.drainedAt !== undefined) await store.commit([{ set: path, data: {}, when: flag.version }], deadline);
  return kind === 'customers' && (await store.listRefs(wideDeletionsPath(tenantId), { limit: 1 }, deadline)).length > 0;
}

/**
 * Whether a drain of a raised flag was requested within so many seconds, and has not ended. A time to come is that of a
 * process whose clock is wrong: it does not count, because one drain too many does no harm.
 */
export function isDrainNoted({ data }: Pick<StoredDocument, 'data'>, seconds: number, clock: Clock): boolean {
  if (!(data.drainedAt instanceof Date)) return false;
  const ageMs = clock.nowMs() - data.drainedAt.getTime();
  return ageMs >= 0 && ageMs < seconds * 1000;
}
