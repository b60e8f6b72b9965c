import type { JobId } from '../../domain/transfer';

/** What is stored of a tenant and would be removed, or what this call has removed. */
export interface ErasureReport {
  readonly tenantId: string;
  /** Null where there is no such tenant. */
  readonly organizationId: string | null;
  /** `stored`: nothing was changed. `beingErased`: more is left. `absent`: there is no such tenant, or no longer. */
  readonly state: 'stored' | 'beingErased' | 'erased' | 'absent';
  readonly note: string;
  /** Numbers of documents by the id of their collection. */
  readonly documents: Readonly<Record<string, number>>;
  readonly jobs: readonly JobId[];
  readonly reportObjects: number;
  /** Buckets that are released, because this is the last tenant of their organization. */
  readonly buckets: readonly string[];
  /** Buckets that the organization keeps, because it has other tenants. */
  readonly bucketsKept: readonly string[];
}

/** Counts what an erasure finds or removes, and makes the report. */
export class ErasureTally {
  readonly jobs = new Set<JobId>();
  readonly buckets: string[] = [];
  readonly bucketsKept: string[] = [];
  reportObjects = 0;
  private readonly documents: Record<string, number> = {};

  add(collectionId: string, count = 1): void {
    if (count > 0) this.documents[collectionId] = (this.documents[collectionId] ?? 0) + count;
  }

  get total(): number {
    return Object.values(this.documents).reduce((sum, count) => sum + count, 0);
  }

  report(
    { tenantId, organizationId }: Pick<ErasureReport, 'tenantId' | 'organizationId'>,
    state: ErasureReport['state'],
    note: string,
  ): ErasureReport {
    const { documents, reportObjects, buckets, bucketsKept } = this;
    return {
      tenantId,
      organizationId,
      state,
      note,
      documents,
      jobs: [...this.jobs],
      reportObjects,
      buckets,
      bucketsKept,
    };
  }
}
