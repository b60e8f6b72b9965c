/**
 * Lists of the pending deletions of a kind, for writers of many records: where few deletions are pending, one list is
 * cheaper than asking for each record's own. An instance remembers of a tenant and kind when a list is of no use, and
 * when one will probably be needed.
 */
import type { Deadline } from '../platform/deadline';
import { atMost } from '../platform/deadline';
import type { DocumentStore } from '../documents/document-store';
import type { RecordKind } from '../domain/identity';
import { FEW_PENDING_DELETIONS, LISTS_SKIPPED, LONGEST_LIST_MS, SLOW_LIST_MS } from '../limits/deletions';
import { MAX_REMEMBERED_TENANTS } from '../limits/records';
import { BoundedMap } from '../platform/bounded-map';
import { maySucceedLater } from '../platform/retry';
import type { PendingDeletionRef } from './pending-deletions';
import { listPendingDeletions } from './pending-deletions';

/** What this instance remembers of the pending deletions of a tenant and kind. */
interface Remembered {
  /** How many lists are not made, after one that was full or slow. */
  listsToSkip: number;
  /** Whether deletions may be pending, by the flag as an upsert of many records read it last. */
  mayBePending: boolean;
  /** Of each list that is under way: whether it is slow by now. */
  readonly underWay: Set<() => boolean>;
}

const rememberedByStore = new WeakMap<DocumentStore, BoundedMap<string, Remembered>>();

/**
 * All pending deletions of a kind, if they are few. Where they are many, asking for each record's own is cheaper; a
 * list that finds so many, is slow or cannot be made is not made again for the next LISTS_SKIPPED times. One that takes
 * LONGEST_LIST_MS is given up, so that it does not take all of a request's time. While one is slow, no other begins: a
 * database that is slow with one list would be slower with many.
 * @param beside a read that was sent just before. Only what the list takes longer counts: the event loop may be held
 * @returns undefined when FEW_PENDING_DELETIONS or more are pending, when this list was given up or could not be made,
 * when one that is under way is slow, or when one of the last ones was full, slow or failed
 * @throws RetryLater and errors of the database when the deadline has passed
 */
export async function listFewPendingDeletions(
  tenantId: string,
  kind: RecordKind,
  store: DocumentStore,
  deadline: Deadline,
  beside?: Promise<unknown>,
): Promise<PendingDeletionRef[] | undefined> {
  const remembered = rememberedOf(tenantId, kind, store);
  if (remembered.listsToSkip > 0) {
    remembered.listsToSkip -= 1;
    return undefined;
  }
  if ([...remembered.underWay].some((isSlow) => isSlow())) return undefined;
  let countsFrom = beside ? undefined : deadline.remainingMs();
  const isSlow = () => countsFrom !== undefined && countsFrom - deadline.remainingMs() > SLOW_LIST_MS;
  remembered.underWay.add(isSlow);
  const page = { limit: FEW_PENDING_DELETIONS };
  const list = listPendingDeletions(tenantId, kind, page, store, atMost(LONGEST_LIST_MS, deadline)).finally(() =>
    remembered.underWay.delete(isSlow),
  );
  list.catch(() => undefined); // it may fail before the other read ends, and then the other one may fail, too
  if (beside) {
    await beside;
    countsFrom = deadline.remainingMs();
  }
  const pending = await list.catch((error: unknown) => {
    if (!maySucceedLater(error) || deadline.remainingMs() === 0) throw error;
    return undefined;
  });
  const isFull = pending?.length === FEW_PENDING_DELETIONS;
  if (isFull || !pending || isSlow()) remembered.listsToSkip = LISTS_SKIPPED;
  return isFull ? undefined : pending;
}

/** Whether a list will probably be needed: the flag is usually as an upsert of many records found it last. */
export function expectsPending(tenantId: string, kind: RecordKind, store: DocumentStore): boolean {
  return rememberedOf(tenantId, kind, store).mayBePending;
}

/** Remembers what the flag says. */
export function rememberFlag(tenantId: string, kind: RecordKind, mayBePending: boolean, store: DocumentStore): void {
  rememberedOf(tenantId, kind, store).mayBePending = mayBePending;
}

function rememberedOf(tenantId: string, kind: RecordKind, store: DocumentStore): Remembered {
  const ofStore = rememberedByStore.get(store) ?? new BoundedMap<string, Remembered>(MAX_REMEMBERED_TENANTS);
  rememberedByStore.set(store, ofStore);
  const name = `${tenantId}/${kind}`;
  const remembered = ofStore.get(name) ?? { listsToSkip: 0, mayBePending: false, underWay: new Set() };
  ofStore.set(name, remembered);
  return remembered;
}
