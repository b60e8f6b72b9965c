/**
 * Counters as they are stored: a document has what an instance has counted of one tenant on one day of UTC, or what the
 * rows of one run came to. It is always written as a whole, so a repeated write counts nothing twice. The sum of all
 * documents of a day is what happened on it.
 */
import type { DocumentChange, StoredDocument } from '../documents/document-store';
import { idOf, usagePath } from '../documents/paths';
import type { DocumentData } from '../domain/records/document';
import type { UsageCounts } from '../domain/usage';
import { addUsage, DAY_MS, HOUR_MS, NO_USAGE, stepAt } from '../domain/usage';
import { USAGE_RETENTION_DAYS } from '../limits/usage';

/** What was counted in one hour, by one key on one route. */
export interface Usage {
  /** The beginning of the hour, in milliseconds. */
  readonly hourMs: number;
  /** The public name of the key; null: the rows of a run. */
  readonly keyId: string | null;
  /** The operation's name, or TRANSFERS_ROUTE. */
  readonly route: string;
  readonly counts: UsageCounts;
}

/** The day of a time, as the ids of its documents begin: `20260301`. */
export function usageDayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10).replaceAll('-', '');
}

/** The day that a document is of. */
export function usageDayOfDocument({ path }: Pick<StoredDocument, 'path'>): string {
  return idOf(path).slice(0, 8);
}

/**
 * The write of a document.
 * @param id of the instance's document, or of the run
 * @param usage of one day; not empty
 */
export function toUsageWrite(tenantId: string, id: string, usage: readonly Usage[]): DocumentChange {
  const dayMs = stepAt(usage[0]?.hourMs ?? 0, 'day');
  const data: DocumentData = {
    day: new Date(dayMs),
    expireAt: new Date(dayMs + (1 + USAGE_RETENTION_DAYS) * DAY_MS),
    entries: usage.map(({ hourMs, keyId, route, counts }) => {
      return { hour: (hourMs - dayMs) / HOUR_MS, keyId, route, ...withoutZeros(counts) };
    }),
  };
  return { set: `${usagePath(tenantId)}/${usageDayOf(dayMs)}.${id}`, data };
}

/** What a document has. It is read without a check, because only the service writes it. */
export function fromUsageDocument({ data }: StoredDocument): Usage[] {
  const { day, entries } = data as unknown as {
    readonly day: Date;
    readonly entries: readonly ({ hour: number; keyId: string | null; route: string } & Partial<UsageCounts>)[];
  };
  return entries.map(({ hour, keyId, route, ...counts }) => {
    return { hourMs: day.getTime() + hour * HOUR_MS, keyId, route, counts: addUsage(NO_USAGE, counts) };
  });
}

function withoutZeros(counts: UsageCounts): Partial<UsageCounts> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
