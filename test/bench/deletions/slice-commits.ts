/** The commits by which files are stored, from what the transfer-runner called. */
import type { FirestoreCall } from '../call-summary';

export interface SliceCommits {
  readonly stored: number;
  /** Rows of one that was stored. */
  readonly meanRows: number;
  /** Calls that Firestore aborted, because another one had the lock of what they read or write. */
  readonly aborted: number;
  /** Commits whose conditions did not hold, and transactions that were given up before they committed. */
  readonly inConflict: number;
}

const ABORTED = 10;

/** @param isRecord whether a path is that of a record */
export function sliceCommits(
  calls: readonly Pick<FirestoreCall, 'method' | 'status' | 'writesRecords' | 'written'>[],
  isRecord: (path: string) => boolean,
): SliceCommits {
  const commits = calls.filter(({ method, writesRecords }) => method === 'Commit' && writesRecords);
  const stored = commits.filter(({ status }) => status === 0);
  const rows = stored.reduce((sum, { written }) => sum + written.filter(isRecord).length, 0);
  const refused = commits.filter(({ status }) => status !== 0 && status !== ABORTED);
  return {
    stored: stored.length,
    meanRows: stored.length === 0 ? 0 : rows / stored.length,
    aborted: calls.filter(({ status }) => status === ABORTED).length,
    inConflict: refused.length + calls.filter(({ method }) => method === 'Rollback').length,
  };
}
