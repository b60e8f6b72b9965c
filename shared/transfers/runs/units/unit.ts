/** Units: what one step of a run reads, one large file or some small ones after each other. */
import { UNIT_BYTES, UNIT_FILES } from '../../../limits/transfers';
import { runPartExpiry } from '../expiry';
import type { Run, RunFile } from '../run';
import { isFileId, isRunId } from '../run-id';

export interface Unit {
  readonly unitId: string;
  readonly runId: string;
  /** In the order in which they are read. */
  readonly fileIds: readonly string[];
  /** The trace of its run (`Run.traceparent`), which its step carries, whoever hands it out. */
  readonly traceparent?: string;
  /** When Firestore may remove what is stored of it. */
  readonly expireAt: Date;
}

/** Digits of a position in an id, so that ids sort by it. */
const POSITION_DIGITS = 10;

/**
 * The files of a run with the units that they are read in: small ones that follow each other share one.
 * @param position how many files of the run come before them, about. Units wait in the order of their positions, so
 * that runs of a tenant take turns
 */
export function withUnits(
  runId: string,
  files: ReadonlyMap<string, RunFile>,
  position: number,
): ReadonlyMap<string, RunFile> {
  let [unitId, bytes, count] = ['', 0, 0];
  const toPlaced = ([fileId, file]: [string, RunFile], index: number): [string, RunFile] => {
    if (count === 0 || count === UNIT_FILES || bytes + file.size > UNIT_BYTES) {
      [unitId, bytes, count] = [toUnitId(runId, fileId, position + index), 0, 0];
    }
    bytes += file.size;
    count += 1;
    return [fileId, { ...file, unitId }];
  };
  return new Map([...files].map(toPlaced));
}

/** The units of a run that these files are in, with these files alone. */
export function unitsOf(runId: string, run: Run, files: Iterable<readonly [string, RunFile]>): Unit[] {
  const fileIdsOf = new Map<string, string[]>();
  for (const [fileId, { unitId = toUnitId(runId, fileId, 0) }] of files) {
    const fileIds = fileIdsOf.get(unitId);
    if (fileIds) fileIds.push(fileId);
    else fileIdsOf.set(unitId, [fileId]);
  }
  const { traceparent } = run;
  const ofRun = { runId, ...(traceparent !== undefined && { traceparent }), expireAt: runPartExpiry(run) };
  return [...fileIdsOf].map(([unitId, fileIds]) => ({ ...ofRun, unitId, fileIds }));
}

/** Whether a unit can have this id. */
export function isUnitId(text: string): boolean {
  const [position = '', runId = '', fileId = '', ...more] = text.split('.');
  return more.length === 0 && /^\d{10}$/.test(position) && isRunId(runId) && isFileId(fileId);
}

/** The id of a unit, by its first file. */
function toUnitId(runId: string, fileId: string, position: number): string {
  return `${String(position).padStart(POSITION_DIGITS, '0')}.${runId}.${fileId}`;
}
