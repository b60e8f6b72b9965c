/** A stream of deletions of one tenant beside other work. */
import type { Tenant } from '../../../shared/domain/tenant';
import type { Answer } from '../http-client';
import type { CountedFunctions, DeletionServers } from './deletion-servers';
import { sendAtRate } from './request-load';

export const DELETIONS_PER_SECOND = 60;

/** The number of the first record that is there to be deleted. */
const FIRST_VICTIM = 10_000;

/** What happened while something was measured beside a stream. */
export interface BesideStream<T> {
  readonly result: T;
  readonly deletions: readonly Answer[];
  /** From the end of the work until all deletions were applied. */
  readonly appliedAfterMs: number;
  /** From the start of the work until all deletions were applied. */
  readonly seconds: number;
  /** Of the same time; only where calls are counted. */
  readonly calls: CountedFunctions;
}

/**
 * Stores the records that a stream deletes in so many seconds, and applies a first deletion: the stream is in its
 * middle. What it sends after that time deletes nothing.
 */
export async function prepareStream(servers: DeletionServers, tenant: Tenant, seconds: number): Promise<void> {
  await servers.fill(tenant, 1 + Math.ceil(seconds * DELETIONS_PER_SECOND), FIRST_VICTIM);
  await servers.delete(tenant, FIRST_VICTIM);
  await servers.untilApplied(tenant);
}

/** Works while records of a tenant are deleted. @param tenant undefined: no deletions are sent */
export async function besideDeletions<T>(
  servers: DeletionServers,
  tenant: Tenant | undefined,
  work: () => Promise<T>,
): Promise<BesideStream<T>> {
  await servers.takeCalls();
  const startMs = performance.now();
  const stream =
    tenant && sendAtRate(DELETIONS_PER_SECOND, (number) => servers.delete(tenant, FIRST_VICTIM + 1 + number));
  let result: T;
  let deletions: readonly Answer[] = [];
  try {
    result = await work();
  } finally {
    deletions = (await stream?.stop()) ?? [];
  }
  const workedMs = performance.now();
  if (tenant) await servers.untilApplied(tenant);
  const endMs = performance.now();
  return {
    result,
    deletions,
    appliedAfterMs: endMs - workedMs,
    seconds: (endMs - startMs) / 1000,
    calls: await servers.takeCalls(),
  };
}
