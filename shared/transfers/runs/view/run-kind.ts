import type { TransferKind } from '../../../domain/transfer';
import { parseJobId } from '../../../domain/transfer';
import type { Run } from '../run';

/** What a run is, as tenants see it. */
export type RunKind = TransferKind | 'replay' | 'manual';

/** Null: no job can have the run's job id. */
export function runKindOf({ replayOf, isManual, jobId }: Run): RunKind | null {
  if (replayOf !== undefined) return 'replay';
  return isManual ? 'manual' : (parseJobId(jobId)?.kind ?? null);
}
