import type { TransferKind } from '../../../domain/transfer';
import { parseJobId } from '../../../domain/transfer';
import type { Run } from '../run';

/** What a run is, as tenants see it. */
export type RunKind = TransferKind | 'replay' | 'manual' | 'sweep';

/** Null: no job can have the run's job id. */
export function runKindOf(run: Run): RunKind | null {
  if (run.replayOf !== undefined) return 'replay';
  if (run.isManual) return 'manual';
  return isSweep(run) ? 'sweep' : (parseJobId(run.jobId)?.kind ?? null);
}

/** Whether a run of a live transfer lists its folders, and so finds the files of whose upload nothing has told. */
export function isSweep({ jobId, ofUploads, replayOf }: Run): boolean {
  return parseJobId(jobId)?.kind === 'live' && !ofUploads && replayOf === undefined;
}
