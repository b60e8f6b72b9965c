import { BoundedSet } from '../platform/bounded-set';
import { MAX_REMEMBERED_RECORDS, MAX_REMEMBERED_TENANTS } from '../limits/records';
import type { TenantId } from '../domain/tenant';

/** A record, and whether it is stored: as predicted, or as a write found it. */
export interface RecordPresence {
  readonly path: string;
  readonly presence: 'present' | 'absent';
}

/**
 * Predicts which records are stored, from what this instance has written. A record that it wrote is predicted present.
 * Any other is predicted to be like most unknown records of the tenant's last batch: a first import finds none of them,
 * a nightly feed most. The prediction only selects which write is tried first. The write preconditions decide, and a
 * wrong prediction costs one more round trip.
 */
export class PresencePredictor {
  /** Paths of records that this instance knows to be stored. */
  private readonly written = new BoundedSet<string>(MAX_REMEMBERED_RECORDS);
  /** Tenants of whose last batch most unknown records were present. */
  private readonly populated = new BoundedSet<TenantId>(MAX_REMEMBERED_TENANTS);

  predict(tenantId: TenantId, path: string): RecordPresence['presence'] {
    return this.written.has(path) || this.populated.has(tenantId) ? 'present' : 'absent';
  }

  /**
   * Learns from the records of a batch.
   * @param found as the writes found them. After the writes all of them are present
   */
  learn(tenantId: TenantId, found: readonly RecordPresence[]): void {
    /** Unknown records that were present, minus those that were absent. */
    let surplus = 0;
    for (const { path, presence: assumed } of found) {
      if (!this.written.has(path)) surplus += assumed === 'present' ? 1 : -1;
      this.written.add(path);
    }
    if (surplus > 0) this.populated.add(tenantId);
    else if (surplus < 0) this.populated.delete(tenantId);
  }
}
