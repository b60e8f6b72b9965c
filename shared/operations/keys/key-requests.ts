/** How much the keys of an organization are used. */
import { fromTenantDocument } from '../../auth/tenant-documents';
import { idOf, TENANTS } from '../../documents/paths';
import type { UsageRange } from '../../domain/usage';
import { DAY_MS, stepAt } from '../../domain/usage';
import {
  KEY_USAGE_READS_AT_ONCE,
  MAX_KEY_USAGE_TENANTS,
  MAX_USAGE_DOCUMENTS,
  MAX_USAGE_KEYS,
} from '../../limits/usage';
import { ConcurrencyLimit } from '../../platform/async/concurrency-limit';
import { waitForAll } from '../../platform/async/in-parallel';
import { findUsage, TooManyCounters } from '../../usage/find-usage';
import { UsageSum } from '../../usage/usage-sum';
import type { KeyKeeper } from '../operator';
import { InvalidInput } from '../operator-error';
import { requireReadable } from './list-keys';

/** Requests of an organization's keys on a day of UTC, so far. */
export interface KeyRequests {
  /** The beginning of the day. */
  readonly since: string;
  /** Those with any, the most first. Only requests about a tenant are counted. */
  readonly keys: readonly { readonly keyId: string; readonly requests: number }[];
  /** Tenants whose counters were looked at. */
  readonly tenants: number;
  /** False: there are more tenants or counters, so that keys may have more requests than this. */
  readonly isWhole: boolean;
}

/** Limits what the counters of all answers take in the memory of this process. */
const reads = new ConcurrencyLimit(KEY_USAGE_READS_AT_ONCE);

/**
 * Sums what the keys of an organization have asked for today. Counters are stored by tenant, so it looks at those of
 * each tenant, up to a bound. @throws OperatorError
 */
export async function sumKeyRequests(organization: string | undefined, keeper: KeyKeeper): Promise<KeyRequests> {
  const organizationId = requireReadable(organization, keeper);
  if (organizationId === undefined) throw new InvalidInput('organization', 'must be given');
  const { store, deadline, clock } = keeper;
  const range = dayOf(clock.nowMs());
  const page = { limit: MAX_KEY_USAGE_TENANTS + 1 };
  const found = await store.findWhere(TENANTS, 'organizationId', organizationId, page, deadline());
  const tenants = found
    .slice(0, MAX_KEY_USAGE_TENANTS)
    .map(({ path, data }) => fromTenantDocument(idOf(path), data))
    .filter(({ erasingSince }) => erasingSince === undefined);
  const mostDocuments = Math.floor(MAX_USAGE_DOCUMENTS / Math.max(tenants.length, 1));
  const sum = new UsageSum(range);
  let isWhole = found.length <= MAX_KEY_USAGE_TENANTS;
  const add = async (tenantId: string) => {
    try {
      sum.addAll(await findUsage(tenantId, range, store, deadline, mostDocuments));
    } catch (error) {
      if (!(error instanceof TooManyCounters)) throw error;
      isWhole = false;
    }
  };
  await waitForAll(tenants.map(({ tenantId }) => reads.run(() => add(tenantId))));
  const keys = sum.toShown().keys.map(({ keyId, requests }) => ({ keyId, requests }));
  const since = range.from.toISOString();
  return { since, keys, tenants: tenants.length, isWhole: isWhole && keys.length < MAX_USAGE_KEYS };
}

function dayOf(timeMs: number): UsageRange {
  const fromMs = stepAt(timeMs, 'day');
  return { from: new Date(fromMs), to: new Date(fromMs + DAY_MS), step: 'hour' };
}
