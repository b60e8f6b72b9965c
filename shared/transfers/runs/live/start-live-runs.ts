/** Starts the runs of live transfers for which uploads wait: called once a minute. */
import { findServedTenant } from '../../../auth/served-tenant';
import type { TransferTrigger } from '../../../domain/transfer';
import { recurringJobId } from '../../../domain/transfer';
import type { TenantId } from '../../../domain/tenant';
import { LIVE_STARTS_AT_ONCE, MIN_REMAINING_FOR_STARTS_MS } from '../../../limits/live';
import { inParallel } from '../../../platform/async/in-parallel';
import type { Deadline } from '../../../platform/deadline';
import { timedId } from '../run-id';
import type { TransferDependencies } from '../steps';
import type { LiveTransfer } from './live-transfers';
import { setLiveState, waitingTransfers } from './live-transfers';

export type LiveRunDependencies = Pick<
  TransferDependencies,
  'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic'
>;

/**
 * Starts a run for each tenant whose uploads wait. Repeating it is safe.
 * @param after the tenant behind which it begins; undefined: at the first
 * @returns the tenant behind which it has to go on, because the time is up; undefined: it has come to the end
 */
export async function startLiveRuns(
  after: TenantId | undefined,
  deadline: Deadline,
  dependencies: LiveRunDependencies,
): Promise<TenantId | undefined> {
  for await (const transfers of waitingTransfers(after, deadline, dependencies.store)) {
    await inParallel(transfers, LIVE_STARTS_AT_ONCE, (transfer) => startLiveRun(transfer, deadline, dependencies));
    if (deadline.remainingMs() < MIN_REMAINING_FOR_STARTS_MS) return transfers.at(-1)?.tenantId;
  }
  return undefined;
}

/**
 * Starts the run that reads what waits. While it is `starting`, further uploads are noted for the run after it, since
 * this one may have looked already. If this ends halfway, the next call publishes the same run again. The uploads of a
 * suspended tenant go on waiting.
 */
async function startLiveRun(
  transfer: LiveTransfer,
  deadline: Deadline,
  { store, publisher, clock, random, transfersTopic }: LiveRunDependencies,
): Promise<void> {
  const { tenantId, bucketName, folderPaths, state } = transfer;
  const tenant = await findServedTenant(tenantId, store, deadline);
  if (!tenant || tenant.suspendedSince) return;
  const newRunId = timedId(new Date(clock.nowMs()), `-live${random.bytes(6).toString('hex')}`);
  const runId = (state === 'starting' ? transfer.runId : undefined) ?? newRunId;
  const version = await setLiveState(transfer, { state: 'starting', runId }, deadline, store);
  if (version === 'conflict') return; // it was registered or unregistered meanwhile: the next call sees
  const jobId = recurringJobId('live', tenantId);
  const trigger: TransferTrigger = { jobId, kind: 'live', tenantId, bucketName, folderPaths, runId, ofUploads: true };
  await publisher.publish(transfersTopic, trigger);
  await setLiveState({ tenantId, version }, {}, deadline, store); // in conflict: another upload waits
}
