/**
 * Removes what smoke tests have made: keys are revoked; records, jobs and the bucket go at once. A tenant is
 * only marked as erased then. Requests and steps that were under way, and instances that store what they have counted,
 * may write for it until STALE_TENANT_MS later, also when their callers have long got their answers. So the erasure is
 * ended after that: by a later smoke test, or by `tenants erase`.
 */
import { STALE_TENANT_MS } from '../../shared/limits/tenants';
import { releaseOwnedBucket } from '../../shared/operations/buckets';
import { eraseTenant } from '../../shared/operations/erasure/erase';
import { revokeKey } from '../../shared/operations/keys';
import { listKeys } from '../../shared/operations/keys/list-keys';
import type { Operator } from '../../shared/operations/operator';
import { OperatorError } from '../../shared/operations/operator-error';
import { findTenants } from '../../shared/operations/tenants/find-tenants';
import type { ShopBucket } from '../demo/bucket';
import { bucketNameOf, makerOf, organizationsOf, SMOKE } from './smoke-names';

/** What became of a removal. */
export interface Removal {
  /** What could not be removed, and why. */
  readonly problems: readonly string[];
  /** The tenants whose erasure has begun and is to be ended later. */
  readonly erasing: readonly string[];
}

export interface RemovalMeans {
  readonly operator: Operator;
  readonly bucketOf: (name: string) => ShopBucket;
}

/** A tenant of some hundred records takes a second or two. */
const ERASURE_STEP_MS = 10_000;

/** Removes all that a smoke test has made, as far as it can go now. A repeat is safe, also after a kill. */
export async function removeAll(name: string, { operator, bucketOf }: RemovalMeans): Promise<Removal> {
  const problems: string[] = [];
  const erasing: string[] = [];
  const bucket = bucketOf(bucketNameOf(name, operator.config));
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
    }
  };
  const tenants = async () => {
    const found = (await findTenants(name, operator)).filter((tenant) => makerOf(tenant)?.name === name);
    await Promise.all(
      found.map(async ({ tenantId }) => {
        const options = { yes: true, stepMs: ERASURE_STEP_MS };
        const { state } = await eraseTenant(tenantId, options, operator);
        if (state === 'beingErased') erasing.push(tenantId);
      }),
    );
  };
  await attempt('its keys', () => revokeKeys(name, operator));
  await attempt('its tenants', tenants);
  await attempt(`its bucket ${bucket.name}`, () => bucket.remove());
  await attempt(`the registration of its bucket ${bucket.name}`, () => release(bucket.name, operator));
  return { problems, erasing };
}

/**
 * Removes what earlier smoke tests have left: erasures that are not ended yet, and everything of those that were
 * killed. Nothing of those of the last STALE_TENANT_MS: one may be running, and no erasure of theirs can be ended.
 * @param endMs when it begins with no further one
 */
export async function removeEarlier(means: RemovalMeans, endMs: number): Promise<Removal> {
  const { clock } = means.operator;
  const beforeMs = clock.nowMs() - STALE_TENANT_MS;
  const makers = (await findTenants(SMOKE, means.operator)).map(makerOf).filter((maker) => maker !== undefined);
  const names = new Set(makers.filter(({ beganMs }) => beganMs < beforeMs).map(({ name }) => name));
  const removals: Removal[] = [];
  for (const name of names) if (clock.nowMs() < endMs) removals.push(await removeAll(name, means));
  return {
    problems: removals.flatMap(({ problems }) => problems),
    erasing: removals.flatMap(({ erasing }) => erasing),
  };
}

async function revokeKeys(name: string, operator: Operator): Promise<void> {
  for (const organization of organizationsOf(name)) {
    for await (const { keyId, revokedAt } of listKeys({ organization }, operator)) {
      if (revokedAt === null) await revokeKey(keyId, operator);
    }
  }
}

/** A transfer registers its bucket for the organization. */
async function release(bucketName: string, operator: Operator): Promise<void> {
  try {
    await releaseOwnedBucket(bucketName, operator);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error; // nobody has registered it
  }
}
