/** A run of a transfer and its files with their progress, as they are stored. */
import { createHash } from 'node:crypto';
import type { StoredDocument } from '../../documents/document-store';
import type { DocumentData } from '../../domain/records/document';
import type { RecordKind } from '../../domain/identity';
import type { JobId } from '../../domain/transfer';
import type { Warnings } from '../../domain/warnings/warning';
import type { FileFormat } from '../../files/file-kind';
import type { Checkpoint } from '../../files/row';
import { parseTraceparent } from '../../platform/trace';
import type { ChangeCounts, RunChanges } from './changes';

export const RUN_STATUSES = ['running', 'succeeded', 'partial', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/**
 * Whether a run has ended before all of its files were read. Steps that were under way may store more, until they look:
 * each of them sums the run again.
 */
export function isStopped({ status }: { readonly status: RunStatus }): boolean {
  return status === 'cancelled' || status === 'failed';
}

export interface FileCounts {
  /** Objects in the folders. */
  readonly found: number;
  readonly finished: number;
  /** Their names tell no kind of records, or they were read before, or another run reads them. */
  readonly skipped: number;
  readonly failed: number;
}

/** Each row that was read counts as one of the others, so that `read` is their sum. */
export interface RowCounts {
  readonly read: number;
  readonly stored: number;
  readonly invalid: number;
  /** Something newer was stored or deleted (D-54). */
  readonly stale: number;
  /** Only deleted something. */
  readonly deleted: number;
}

export const NO_ROWS: RowCounts = { read: 0, stored: 0, invalid: 0, stale: 0, deleted: 0 };

export function addRows(a: RowCounts, b: RowCounts): RowCounts {
  return {
    read: a.read + b.read,
    stored: a.stored + b.stored,
    invalid: a.invalid + b.invalid,
    stale: a.stale + b.stale,
    deleted: a.deleted + b.deleted,
  };
}

/** Whether `read` is the sum of the others. If not, rows were lost or counted twice. */
export function rowsAddUp({ read, stored, invalid, stale, deleted }: RowCounts): boolean {
  return read === stored + invalid + stale + deleted;
}

/**
 * The step that ends a run, since no file is pending, or does what is left to do once it has ended, and until when no
 * other step does (`ended/settle-run.ts`). Its message is delivered until all is done.
 */
export interface RunEnding {
  readonly step: string;
  readonly until: Date;
}

export interface Run {
  readonly tenantId: string;
  readonly jobId: JobId;
  readonly bucketName: string;
  readonly folderPaths: readonly string[];
  /** A historical run, or a preview of one, also takes files that were read before (D-53). */
  readonly takesAll: boolean;
  /** The id of the run whose bad rows this run reads again; absent: it is no replay. */
  readonly replayOf?: string;
  /** It was started by a request, outside the schedule of its job; absent: it was not. */
  readonly isManual?: true;
  /** It reads the uploads that waited for it; absent: it lists its folders. */
  readonly ofUploads?: true;
  /** It decides what a historical run would do, and stores nothing of it among the tenant's data; absent: no. */
  readonly isPreview?: true;
  /** How many rows a preview reads of each file; absent: all. */
  readonly sampleRowsPerFile?: number;
  /** Its trace, and that of its replays, as `traceparent`; absent: a release before has started it. */
  readonly traceparent?: string;
  readonly status: RunStatus;
  /** When it began or, while it waits, begins. */
  readonly startedAt: Date;
  /** It waits for that moment (`waiting/begin-due-runs.ts`); absent: its first step is published. */
  readonly begins?: 'later';
  readonly finishedAt: Date | null;
  /** Whether all files are known. */
  readonly isPlanned: boolean;
  readonly error: string | null;
  /** When Firestore may remove the document (`expiry.ts`). */
  readonly expireAt: Date;
  /** Absent: nothing is left to do of its end, or the run has not come to it. */
  readonly ending?: RunEnding;
  /** Why the tenant could not be notified; absent: it was notified, or has no topic. */
  readonly notificationError?: string;
  /** The sums, once the run has ended; absent: `ending` says who makes them. */
  readonly files?: FileCounts;
  readonly rows?: RowCounts;
  /** Null or absent: a release that did not count changes has read some of the rows. */
  readonly changes?: RunChanges | null;
  /** Paths of fields that rows have and records do not, at most 20 (D-21). */
  readonly ignoredFields?: readonly string[];
  /** Absent: nothing to warn of. */
  readonly warnings?: Warnings;
}

/** `replaced`: this generation is gone, and this run or another one reads the generation that has replaced it. */
export type FileStatus = 'pending' | 'finished' | 'failed' | 'replaced';

export interface RunFile {
  readonly object: string;
  readonly generation: string;
  readonly updated: Date;
  readonly size: number;
  readonly kind: RecordKind;
  readonly format: FileFormat;
  readonly gzip: boolean;
  /** Absent: it is no ZIP archive. */
  readonly zip?: true;
  /** The unit that it is read in (`units/`); absent: alone, as a release before has planned it. */
  readonly unitId?: string;
  readonly status: FileStatus;
  readonly checkpoint: Checkpoint;
  /** How many rows after the checkpoint are stored. */
  readonly done: number;
  readonly rows: RowCounts;
  /** What these rows have changed; absent: nothing is counted yet. */
  readonly changes?: ChangeCounts;
  /** What these rows are warned of, by their lines; absent: nothing is counted yet. */
  readonly warnings?: Warnings;
  readonly error: string | null;
  readonly expireAt: Date;
  /**
   * The id of the file that has replaced this one, which is gone. It is read in the same unit.
   */
  readonly replacedBy?: string;
  /** Paths of fields that its rows have and records do not, at most 20 (D-21); absent: none. */
  readonly ignoredFields?: readonly string[];
  /** A replay reads only rows in some lines and later rows about their records (`replayed-rows.ts`); absent: all. */
  readonly replaysLines?: true;
  /** How many of these lines were in the rows so far; absent: none. */
  readonly linesMet?: number;
  /** Bytes of its bad rows in the run's report; absent: none. */
  readonly reportedBytes?: number;
  /** How many bad rows the report has no room for; absent: none. */
  readonly unreported?: number;
}

/** The id of one generation of an object, in a run and among the files that the tenant's runs have taken. */
export function fileIdOf(bucketName: string, object: string, generation: string): string {
  return createHash('sha256').update(`${bucketName}\0${object}\0${generation}`).digest('base64url');
}

/** The trace id of a run; null: a release before has started it. */
export function traceIdOf({ traceparent }: Pick<Run, 'traceparent'>): string | null {
  return parseTraceparent(traceparent)?.traceId ?? null;
}

/** What a run's document has beside the run, so that one field finds the runs of a tenant or job in one status. */
export function statusKey(owner: string, status: RunStatus): string {
  return `${status} ${owner}`;
}

// Runs and files are stored as they are, and read without a check: nobody else writes them.
export const toRunDocument = (run: Run): DocumentData =>
  ({
    ...run,
    statusOfTenant: statusKey(run.tenantId, run.status),
    statusOfJob: statusKey(run.jobId, run.status),
  }) as unknown as DocumentData;
export const fromRunDocument = ({ data }: StoredDocument): Run => data as unknown as Run;
export const toFileDocument = (file: RunFile): DocumentData => file as unknown as DocumentData;
export function fromFileDocument({ data }: StoredDocument): RunFile {
  const file = data as unknown as RunFile;
  return { ...file, rows: { ...NO_ROWS, ...file.rows } }; // older releases stored no `deleted`
}
