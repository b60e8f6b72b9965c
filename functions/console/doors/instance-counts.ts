import type { AdmissionStore, CountedLease } from '../../../shared/auth/admission-store';
import type { ApiKeyHash } from '../../../shared/domain/api-key';
import { MAX_REMEMBERED_ADDRESSES } from '../../../shared/limits/console';
import { BoundedMap } from '../../../shared/platform/bounded-map';

/** Counts requests in this instance alone, without a write: the part of an `AdmissionStore` that counts. */
export class InstanceCounts implements Pick<AdmissionStore, 'countRequest' | 'countLease' | 'findCount'> {
  private readonly counts = new BoundedMap<string, number>(MAX_REMEMBERED_ADDRESSES);

  countRequest(hash: ApiKeyHash, minute: number): Promise<number> {
    return Promise.resolve(this.add(hash, minute, 1));
  }

  countLease(hash: ApiKeyHash, minute: number, requests: number): Promise<CountedLease> {
    return Promise.resolve({ count: this.add(hash, minute, requests), instances: 1 });
  }

  findCount(hash: ApiKeyHash, minute: number): Promise<number> {
    return Promise.resolve(this.counts.get(`${hash}.${minute}`) ?? 0);
  }

  private add(hash: ApiKeyHash, minute: number, requests: number): number {
    const entry = `${hash}.${minute}`;
    const count = (this.counts.get(entry) ?? 0) + requests;
    this.counts.set(entry, count);
    return count;
  }
}
