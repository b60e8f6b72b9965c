import type { Deadline } from '../../../platform/deadline';
import { UPLOAD_GRACE_SECONDS } from '../../../limits/live';
import type { Run, RunFile } from '../run';
import type { TransferDependencies } from '../steps';
import { isSweep } from '../view/run-kind';
import { findLiveTransfer } from './live-transfers';

/**
 * Those of the files that a sweep has taken of whose upload nothing had told: they were uploaded since the live
 * transfer was registered, and long enough ago. Of any other run none.
 */
export async function findMissed(
  run: Run,
  files: readonly RunFile[],
  deadline: Deadline,
  { store }: Pick<TransferDependencies, 'store'>,
): Promise<readonly RunFile[]> {
  if (files.length === 0 || !isSweep(run)) return [];
  const { since } = (await findLiveTransfer(run.tenantId, deadline, store)) ?? {};
  const until = run.startedAt.getTime() - UPLOAD_GRACE_SECONDS * 1_000;
  return since ? files.filter(({ updated }) => updated >= since && updated.getTime() < until) : [];
}
