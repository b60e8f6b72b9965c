/** Units: what one step of a run reads, one large file or some small ones after each other. */
import { createHash } from 'node:crypto';
import { PACKED_FILE_FACTOR, UNIT_BYTES, UNIT_FILES } from '../../../limits/transfers';
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
 * @param position how many files of the run come before them. Units wait in the order of their positions, so that runs
 * of a tenant take turns
 */
export function withUnits(
  runId: string,
  files: ReadonlyMap<string, RunFile>,
  position: number,
): ReadonlyMap<string, RunFile> {
  const units: [string, RunFile][][] = [];
  let bytes = 0;
  for (const [fileId, file] of files) {
    const unit = units.at(-1);
    const fileBytes = bytesInUnit(file);
    if (!unit || unit.length === UNIT_FILES || bytes + fileBytes > UNIT_BYTES) {
      units.push([[fileId, file]]);
      bytes = fileBytes;
    } else {
      unit.push([fileId, file]);
      bytes += fileBytes;
    }
  }
  const placed = new Map<string, RunFile>();
  for (const unit of units) {
    const fileIds = unit.map(([fileId]) => fileId);
    const unitId = toUnitId(runId, fileIds, position + placed.size);
    for (const [fileId, file] of unit) placed.set(fileId, { ...file, unitId });
  }
  return placed;
}

/** What a file counts in its unit: about what a step has to read of it. */
function bytesInUnit({ size, format, gzip, zip }: RunFile): number {
  if (format === 'parquet') return Infinity;
  return gzip || zip || format === 'avro' ? size * PACKED_FILE_FACTOR : size;
}

/** The units of a run that these files are in, with these files alone. */
export function unitsOf(runId: string, run: Run, files: Iterable<readonly [string, Pick<RunFile, 'unitId'>]>): Unit[] {
  const fileIdsOf = new Map<string, string[]>();
  for (const [fileId, { unitId = toUnitId(runId, [fileId], 0) }] of files) {
    const fileIds = fileIdsOf.get(unitId);
    if (fileIds) fileIds.push(fileId);
    else fileIdsOf.set(unitId, [fileId]);
  }
  const { traceparent } = run;
  const ofRun = { runId, ...(traceparent !== undefined && { traceparent }), expireAt: runPartExpiry(run) };
  return [...fileIdsOf].map(([unitId, fileIds]) => ({ ...ofRun, unitId, fileIds }));
}

/** Whether a file is all that its unit has to read. One that is being replaced is not: the other is in its unit too. */
export function isWholeUnit(fileId: string, { unitId, replacedBy }: Pick<RunFile, 'unitId' | 'replacedBy'>): boolean {
  return unitId === undefined || (unitId.endsWith(`.${fileId}`) && replacedBy === undefined);
}

/** Whether a unit can have this id. */
export function isUnitId(text: string): boolean {
  const [position = '', runId = '', digest = '', ...more] = text.split('.');
  return more.length === 0 && /^\d{10}$/.test(position) && isRunId(runId) && isFileId(digest);
}

/**
 * The id of a unit, by all of its files: a step of planning that is repeated may find another file beside them, which
 * then has a unit of its own.
 */
export function toUnitId(runId: string, fileIds: readonly string[], position: number): string {
  const [only = '', ...others] = fileIds;
  const digest = createHash('sha256').update(fileIds.join(' ')).digest('base64url');
  return `${String(position).padStart(POSITION_DIGITS, '0')}.${runId}.${others.length === 0 ? only : digest}`;
}
