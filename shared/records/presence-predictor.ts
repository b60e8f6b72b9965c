import { BoundedSet } from '../platform/bounded-set';
import { MAX_REMEMBERED_RECORDS, MAX_REMEMBERED_TENANTS } from '../limits/records';
import type { TenantId } from '../domain/tenant';

/** A record and what a write takes it for. */
export interface RecordPresence {
  readonly path: string;
  readonly presence: 'present' | 'absent';
}

/**
 * Guesses which records are stored, from what this instance has written: a record that it wrote is there; of any other,
 * that it is like the unknown ones in the tenant's last batch (a first import finds none, a nightly feed most). Only a
 * guess of which way to write is tried first: the conditions of the writes decide, and a wrong guess costs one more
 * round trip.
 */
export class PresencePredictor {
  /** Paths of records. */
  private readonly written = new BoundedSet<string>(MAX_REMEMBERED_RECORDS);
  /** Tenants whose unknown records were there. */
  private readonly filled = new BoundedSet<TenantId>(MAX_REMEMBERED_TENANTS);

  predict(tenantId: TenantId, path: string): RecordPresence['presence'] {
    return this.written.has(path) || this.filled.has(tenantId) ? 'present' : 'absent';
  }

  /** Learns what the records of a batch turned out to be. They are taken for written from now on. */
  learn(tenantId: TenantId, found: readonly RecordPresence[]): void {
    let surplus = 0;
    for (const { path, presence: assumed } of found) {
      if (!this.written.has(path)) surplus += assumed === 'present' ? 1 : -1;
      this.written.add(path);
    }
    if (surplus > 0) this.filled.add(tenantId);
    else if (surplus < 0) this.filled.delete(tenantId);
  }
}
