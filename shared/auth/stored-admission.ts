import type { Deadline } from '../platform/deadline';
import { apiKeyPath, rateCounterPath } from '../documents/paths';
import type { Amounts, DocumentStore } from '../documents/document-store';
import type { ApiKey, ApiKeyHash } from '../domain/api-key';
import { CALL_TIMEOUT_MS } from '../limits/platform';
import { RATE_COUNTER_RETENTION_SECONDS } from '../limits/requests';
import type { Tenant, TenantId } from '../domain/tenant';
import type { AdmissionStore, CountedLease } from './admission-store';
import { findServedTenant } from './served-tenant';
import { fromKeyDocument } from './tenant-documents';

/** `AdmissionStore` on the document store. */
export class StoredAdmission implements AdmissionStore {
  constructor(private readonly store: DocumentStore) {}

  async findKey(hash: ApiKeyHash, deadline: Deadline): Promise<ApiKey | undefined> {
    const document = await this.store.get(apiKeyPath(hash), deadline);
    return document && fromKeyDocument(hash, document.data);
  }

  findTenant(tenantId: TenantId, deadline: Deadline): Promise<Tenant | undefined> {
    return findServedTenant(tenantId, this.store, deadline);
  }

  /** One write without a read: all instances add to the same document, and the answer is the exact count. */
  async countRequest(hash: ApiKeyHash, minute: number): Promise<number> {
    return (await this.add(hash, minute, { count: 1 })).count;
  }

  countLease(hash: ApiKeyHash, minute: number, requests: number, isFirst: boolean): Promise<CountedLease> {
    return this.add(hash, minute, { count: requests, instances: isFirst ? 1 : 0 });
  }

  async findCount(hash: ApiKeyHash, minute: number, deadline: Deadline): Promise<number> {
    const document = await this.store.get(rateCounterPath(hash, minute), deadline);
    return (document?.data.count as number | undefined) ?? 0;
  }

  private add<Field extends string>(hash: ApiKeyHash, minute: number, amounts: Amounts<Field>) {
    const expireAt = new Date((minute * 60 + RATE_COUNTER_RETENTION_SECONDS) * 1000);
    return this.store.increment(rateCounterPath(hash, minute), { expireAt }, amounts, CALL_TIMEOUT_MS);
  }
}
