/** A run of a transfer as it is stored: the run, its files with their progress, and what its planning has seen. */
import { createHash } from 'node:crypto';
import type { StoredDocument } from '../../documents/document-store';
import type { DocumentData } from '../../domain/records/document';
import type { RecordKind } from '../../domain/identity';
import type { JobId } from '../../domain/transfer';
import type { FileFormat } from '../../files/file-kind';
import type { Checkpoint } from '../../files/row';

export type RunStatus = 'running' | 'succeeded' | 'partial' | 'failed';

export interface FileCounts {
  /** Objects in the folders. */
  readonly found: number;
  readonly finished: number;
  /** Hold no records by their name, or were read before, or another run reads them. */
  readonly skipped: number;
  readonly failed: number;
}

/** Each row is one of the others, so that `read` is their sum. */
export interface RowCounts {
  readonly read: number;
  readonly stored: number;
  readonly invalid: number;
  /** Yielded to something newer (D-54). */
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

/** Whether each row that was read is one of stored, invalid, stale and deleted: else rows are lost or counted twice. */
export function rowsAddUp({ read, stored, invalid, stale, deleted }: RowCounts): boolean {
  return read === stored + invalid + stale + deleted;
}

export interface Run {
  readonly tenantId: string;
  readonly jobId: JobId;
  readonly bucketName: string;
  readonly folderPaths: readonly string[];
  /** A historical run takes files that were read before, too (D-53). */
  readonly takesAll: boolean;
  /** Reads only the rows that were bad in this run. */
  readonly replayOf?: string;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  /** All files are known. */
  readonly isPlanned: boolean;
  readonly error: string | null;
  /** When Firestore may remove it (`expiry.ts`); the same of each file. */
  readonly expireAt: Date;
  /** The step that sums its files, since no file is pending, and until when it does so alone (`finish-run.ts`). */
  readonly summing?: { readonly step: string; readonly until: Date };
  /** The sums, once it has ended; absent: the step that ended it died before it had summed. */
  readonly files?: FileCounts;
  readonly rows?: RowCounts;
  /** Paths of fields that rows have and records do not, at most 20. */
  readonly ignoredFields?: readonly string[];
}

/** `replaced`: this generation is gone, and this run or another one reads the one that took its place. */
export type FileStatus = 'pending' | 'finished' | 'failed' | 'replaced';

export interface RunFile {
  readonly object: string;
  readonly generation: string;
  readonly updated: Date;
  readonly size: number;
  readonly kind: RecordKind;
  readonly format: FileFormat;
  readonly gzip: boolean;
  readonly status: FileStatus;
  /** Where to go on, and how many rows after that place are done already. */
  readonly checkpoint: Checkpoint;
  readonly done: number;
  readonly rows: RowCounts;
  readonly error: string | null;
  readonly expireAt: Date;
  /** The file that is read in place of this one, which is gone; noted before it is handed out. */
  readonly replacedBy?: string;
  /** Paths of fields that its rows have and records do not, at most 20; absent: none. */
  readonly ignoredFields?: readonly string[];
  /** A replay reads only rows in some lines, and later ones about their records (`replayed-rows.ts`); absent: all. */
  readonly replaysLines?: true;
  /** How many of the lines it has met so far; absent: none. */
  readonly linesMet?: number;
  /** Bytes of its bad rows in the run's report; absent: none. */
  readonly reportedBytes?: number;
  /** Bad rows for which the report has no room; absent: none. */
  readonly unreported?: number;
}

/** The id of one generation of an object, in a run and among the files that a tenant's runs have taken. */
export function fileIdOf(bucketName: string, object: string, generation: string): string {
  return createHash('sha256').update(`${bucketName}\0${object}\0${generation}`).digest('base64url');
}

/** Runs and files are stored as they are; what is read is taken as it was written. */
export const toRunDocument = (run: Run): DocumentData => run as unknown as DocumentData;
export const fromRunDocument = ({ data }: StoredDocument): Run => data as unknown as Run;
export const toFileDocument = (file: RunFile): DocumentData => file as unknown as DocumentData;
export function fromFileDocument({ data }: StoredDocument): RunFile {
  const file = data as unknown as RunFile;
  return { ...file, rows: { ...NO_ROWS, ...file.rows } }; // an older release has counted no deleted ones
}
