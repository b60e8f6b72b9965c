/** Checks or sends a file of records, as the command `ingest` does: by the same readers, feed and account. */
import type { IngestionClient, Warning } from '../../../../../client/src/index';
import { readSource } from '../../../../../client/src/command/input/source-rows';
import { Account } from '../../../../../client/src/command/push/account';
import { Sender } from '../../../../../client/src/command/push/sender';
import type { RecordKind } from '../../../../../shared/domain/identity';
import type { FileFormat } from '../../../../../shared/files/file-kind';
import { FILE_START } from '../../../../../shared/files/row';
import { systemClock } from '../../../../../shared/platform/clock';
import { bytesOf, storedBytesOf } from './file-bytes';

export interface PassOptions {
  readonly client: IngestionClient;
  readonly tenant: string;
  readonly kind: RecordKind;
  readonly format: FileFormat;
  readonly content: Blob;
  /** Whether it is only checked: nothing is stored. */
  readonly validateOnly: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PassProgress) => void;
}

export interface PassProgress {
  readonly rows: number;
  readonly rejected: number;
}

export interface BadRow {
  readonly line: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

export interface Passed {
  /** Rows that are stored, or would be. */
  readonly stored: number;
  /** Rows that delete something and store nothing. */
  readonly deleted: number;
  readonly rejected: number;
  /** The first of the rejected rows. */
  readonly badRows: readonly BadRow[];
  readonly ignoredFields: readonly string[];
  readonly warnings: readonly Warning[];
  /** Some rows have an `UpdatedAt`, which means nothing here. */
  readonly hasUpdatedAt: boolean;
  /** Why the rest of the file could not be read; undefined: it was read to its end. */
  readonly unread: Error | undefined;
  /** Why it ended early. What is counted is done. */
  readonly failure: Error | undefined;
}

/** Rejected rows that are shown; all are counted. */
const MAX_SHOWN_ROWS = 1_000;

const NO_ROWS = { stored: 0, deleted: 0, rejected: 0 };

export async function pass(options: PassOptions): Promise<Passed> {
  const { client, tenant, kind, format, content, validateOnly, signal, onProgress } = options;
  const badRows: BadRow[] = [];
  const account = new Account(
    { checkpoint: FILE_START, counts: NO_ROWS, badRows: null },
    undefined,
    ({ line }, errors) => {
      if (badRows.length < MAX_SHOWN_ROWS) badRows.push({ line, errors });
    },
  );
  const sender = new Sender({
    client,
    tenant,
    kind,
    purpose: 'push',
    validateOnly,
    rows: readSource(format === 'parquet' ? storedBytesOf(content) : bytesOf(content), {
      kind,
      format,
      groupsRows: true,
    }),
    fileBytesAt: () => 0,
    account,
    untilPrinted: () => Promise.resolve(),
    now: new Date(systemClock.nowMs()),
    signal,
    onProgress: () => {
      const { stored, deleted, rejected } = account.current;
      onProgress({ rows: stored + deleted + rejected, rejected });
    },
  });
  const sent = await sender.run();
  return { ...account.current, ...sent, badRows };
}
