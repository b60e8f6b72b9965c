/**
 * Counts the requests that an instance answers, without a write for each: the instance adds up in memory, and
 * stores at most every USAGE_INTERVAL_MS what has changed since. Nobody waits for that.
 *
 * - Each document belongs to one instance and is written as a whole. So a lost answer is simply repeated, and instances
 *   do not wait for each other.
 * - It is stored when a request ends and the interval has passed, by a look from time to time (`storeIfDue`), and when
 *   the instance ends. Cloud Run gives an idle instance hardly any CPU: its last counts may come only at its end, which
 *   is some fifteen minutes later.
 * - An instance that is killed loses what it has not stored: requests of half a minute, or its last ones before it was
 *   idle. Its memory is bounded (MAX_USAGE_ENTRIES).
 */
import { findServedTenant } from '../auth/served-tenant';
import type { DocumentStore } from '../documents/document-store';
import type { Caller } from '../domain/api-key';
import type { TenantId } from '../domain/tenant';
import type { UsageCounts } from '../domain/usage';
import { addUsage, NO_USAGE, stepAt } from '../domain/usage';
import { MAX_USAGE_ENTRIES, UNCHECKED_USAGE_MS, USAGE_INTERVAL_MS, USAGE_WRITE_MS } from '../limits/usage';
import type { Clock } from '../platform/clock';
import type { Deadline } from '../platform/deadline';
import { deadlineIn } from '../platform/deadline';
import type { Logger } from '../platform/logger';
import { errorDetails } from '../platform/logger';
import type { Random } from '../platform/random';
import { KeyUses } from './key-uses';
import type { Usage } from './usage-documents';
import { toUsageWrite, usageDayOf } from './usage-documents';

export interface UsageDependencies {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A request that was answered. */
export interface CountedRequest {
  readonly key: Caller;
  /** The tenant of the key's organization that it was about; undefined: none is known. */
  readonly tenantId: TenantId | undefined;
  /** The operation's name. */
  readonly route: string;
  /** When it began, in milliseconds. */
  readonly begunMs: number;
  readonly counts: Partial<UsageCounts>;
}

/** A document of this instance. */
interface OwnDocument {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly day: string;
  readonly entries: Map<string, Usage>;
  /** When the first request began that is not stored; undefined: all are. */
  unstoredSinceMs: number | undefined;
}

/** The counters of one instance. */
export class UsageCounters {
  /** By tenant and day. */
  private readonly documents = new Map<string, OwnDocument>();
  private readonly keyUses = new KeyUses();
  private entryCount = 0;
  private uncounted = 0;
  /** Undefined: nothing has changed since the last write. */
  private dueAtMs: number | undefined;
  private storing: Promise<void> | undefined;

  constructor(private readonly dependencies: UsageDependencies) {}

  /** Counts a request, and begins a write if one is due. */
  count({ key, tenantId, ...request }: CountedRequest): void {
    const nowMs = this.dependencies.clock.nowMs();
    this.keyUses.add(key, nowMs);
    if (tenantId) this.add(tenantId, key.keyId, request, nowMs);
    this.dueAtMs ??= nowMs + USAGE_INTERVAL_MS;
    this.storeIfDue();
  }

  /** Begins a write unless one was begun within the interval. */
  storeIfDue(): void {
    const { clock } = this.dependencies;
    if (this.dueAtMs === undefined || this.dueAtMs > clock.nowMs() || this.storing) return;
    void this.store(deadlineIn(USAGE_WRITE_MS, clock));
  }

  /** Stores what is not stored yet. Never rejects: what cannot be stored is stored with the next write. */
  async store(deadline: Deadline): Promise<void> {
    while (this.storing) await this.storing;
    this.dueAtMs = undefined;
    this.storing = this.storeChanged(deadline).catch((error: unknown) => {
      const { clock, logger } = this.dependencies;
      logger.log('WARNING', 'Usage could not be stored; the next write tries again.', errorDetails(error));
      this.dueAtMs ??= clock.nowMs() + USAGE_INTERVAL_MS;
    });
    await this.storing.finally(() => (this.storing = undefined));
  }

  private add(
    tenantId: TenantId,
    keyId: string,
    { route, counts, begunMs }: Pick<CountedRequest, 'route' | 'counts' | 'begunMs'>,
    nowMs: number,
  ): void {
    const hourMs = stepAt(nowMs, 'hour');
    const day = usageDayOf(nowMs);
    const entryKey = `${hourMs} ${keyId} ${route}`;
    const known = this.documents.get(`${tenantId} ${day}`);
    const entry = known?.entries.get(entryKey);
    if (!entry && this.entryCount >= MAX_USAGE_ENTRIES) {
      this.uncounted += 1;
      return;
    }
    if (!entry) this.entryCount += 1;
    const document = known ?? this.newDocument(tenantId, day);
    const sum = addUsage(entry?.counts ?? NO_USAGE, counts);
    document.entries.set(entryKey, { hourMs, keyId, route, counts: sum });
    document.unstoredSinceMs = Math.min(document.unstoredSinceMs ?? begunMs, begunMs);
  }

  /** A new document has an id of its own: what was written of the same tenant and day before stays as it is. */
  private newDocument(tenantId: TenantId, day: string): OwnDocument {
    const id = this.dependencies.random.bytes(9).toString('hex');
    const document: OwnDocument = { id, tenantId, day, entries: new Map(), unstoredSinceMs: undefined };
    this.documents.set(`${tenantId} ${day}`, document);
    return document;
  }

  private async storeChanged(deadline: Deadline): Promise<void> {
    const { store, logger } = this.dependencies;
    if (this.uncounted > 0) {
      const details = { requests: this.uncounted };
      logger.log('WARNING', 'Requests were not counted: the instance has too many counters.', details);
      this.uncounted = 0;
    }
    const taken = [...this.documents.values()].flatMap((document) => {
      const { unstoredSinceMs, tenantId, id, entries } = document;
      if (unstoredSinceMs === undefined) return [];
      document.unstoredSinceMs = undefined;
      return { document, unstoredSinceMs, write: toUsageWrite(tenantId, id, [...entries.values()]) };
    });
    try {
      const gone = await this.findGone(taken, deadline);
      const writes = taken.flatMap(({ document, write }) => (gone.has(document.tenantId) ? [] : write));
      if (writes.length > 0) await store.writeEach(writes, deadline);
      this.makeRoom();
      await this.keyUses.store(store, deadline);
    } catch (error) {
      for (const { document, unstoredSinceMs } of taken) document.unstoredSinceMs = unstoredSinceMs;
      throw error;
    }
  }

  /** The tenants among those that must be looked up which do not exist any more. */
  private async findGone(
    taken: readonly { readonly document: OwnDocument; readonly unstoredSinceMs: number }[],
    deadline: Deadline,
  ): Promise<ReadonlySet<TenantId>> {
    const { store, clock } = this.dependencies;
    const late = taken.filter(({ unstoredSinceMs }) => clock.nowMs() - unstoredSinceMs > UNCHECKED_USAGE_MS);
    const gone = new Set<TenantId>();
    await Promise.all(
      late.map(async ({ document: { tenantId } }) => {
        if (!(await findServedTenant(tenantId, store, deadline))) gone.add(tenantId);
      }),
    );
    return gone;
  }

  /** Forgets documents that are stored: those of earlier days, and all of them where many counters are held. */
  private makeRoom(): void {
    const today = usageDayOf(this.dependencies.clock.nowMs());
    const isFull = this.entryCount > MAX_USAGE_ENTRIES / 2;
    for (const [key, { day, entries, unstoredSinceMs }] of this.documents) {
      if (unstoredSinceMs !== undefined || (day === today && !isFull)) continue;
      this.documents.delete(key);
      this.entryCount -= entries.size;
    }
  }
}
