/** `ingest push`, `ingest delete` and `ingest check`: one way through a file. */
import { resolve } from 'node:path';
import type { RecordKind } from '../../../../shared/domain/identity';
import { readContent } from '../../../../shared/files/packing/content';
import { DamagedFile } from '../../../../shared/files/damaged-file';
import type { Checkpoint } from '../../../../shared/files/row';
import type { ValidationErrors } from '../../../../shared/validation/validation-failed';
import { CommandError } from '../command-error';
import type { Connection } from '../connection';
import type { Purpose } from '../input/operations';
import type { Source } from '../input/source';
import type { SourceRow } from '../input/source-rows';
import { readSource } from '../input/source-rows';
import type { Terminal, World } from '../output/terminal';
import type { ShownRow } from './account';
import { Account } from './account';
import { badRowsPath, BadRows } from './bad-rows';
import type { Counts, Progress } from './journal';
import { Journal } from './journal';
import { progressLine } from './progress-line';
import type { Sent } from './sender';
import { Sender } from './sender';

export interface PushOptions {
  readonly kind: RecordKind;
  readonly purpose: Purpose;
  readonly tenant: string;
  readonly source: Source;
  readonly validateOnly: boolean;
  readonly resumes: boolean;
  /** Where rejected rows go. Undefined: beside the file; of a check nowhere. */
  readonly badRows: string | undefined;
  /** Called for every rejected row in the order of the file. */
  readonly onRejected: (row: SourceRow, messages: ValidationErrors) => void;
  /** Resolves when whoever reads about rejected rows has room for more. */
  readonly untilPrinted: () => Promise<void>;
}

/** What a push has come to. */
export interface Outcome extends Counts, Omit<Sent, 'unread'> {
  /** The file with the rejected rows; null: there is none. */
  readonly badRows: string | null;
  /** The first rejected rows. */
  readonly shown: readonly ShownRow[];
  readonly uncopied: readonly number[];
  readonly seconds: number;
  /** Another push can go on from here. */
  readonly canResume: boolean;
}

/** How old a journal may be when the process is killed. What is sent twice for that does no harm. */
const JOURNAL_INTERVAL_MS = 1_000;

/** @throws CommandError when the push cannot begin */
export async function push(
  options: PushOptions,
  connection: Connection,
  world: World,
  terminal: Terminal,
): Promise<Outcome> {
  const { kind, purpose, tenant, source, validateOnly } = options;
  const { clock, signal } = world;
  const journal = validateOnly
    ? Journal.none()
    : Journal.of(source, { purpose, kind, tenant, url: connection.url }, (sentence) =>
        terminal.say(sentence, 'yellow'),
      );
  const before = journal.begin(options.resumes);
  const badRows = openBadRows(options, before);
  const account = new Account({ ...before, badRows: badRows?.progress ?? null }, badRows, options.onRejected);
  journal.save(account.resumable);
  const startedMs = clock.nowMs();
  const seconds = () => (clock.nowMs() - startedMs) / 1000;
  const bytes = source.fingerprint?.bytes;
  const shareOf = (fileBytes: number) => (bytes ? fileBytes / bytes : undefined);
  let shareBefore: number | undefined;
  let journalDueMs = startedMs + JOURNAL_INTERVAL_MS;
  const save = () => {
    badRows?.flush();
    journal.save(account.resumable);
    journalDueMs = clock.nowMs() + JOURNAL_INTERVAL_MS;
  };
  const close = () => source.close();
  signal.addEventListener('abort', close);
  const rows = readSource(readContent(source, { ...source.packing, format: source.format }, before.checkpoint.offset), {
    kind,
    format: source.format,
    from: before.checkpoint,
    groupsRows: purpose === 'push',
  });
  const bytesUpTo = ({ offset }: Checkpoint) => Math.min(offset, source.readBytes); // the offset is that of plain text
  const fileBytesAt = (checkpoint: Checkpoint) => {
    shareBefore ??= shareOf(bytesUpTo(before.checkpoint)); // what a continued push passes over is not its work
    return bytesUpTo(checkpoint);
  };
  const onProgress = () => {
    if (clock.nowMs() >= journalDueMs) save();
    terminal.showProgress(() =>
      progressLine({
        counts: account.current,
        rowsBefore: totalOf(before.counts),
        share: shareOf(account.settledBytes),
        shareBefore: options.resumes ? (shareBefore ?? 0) : 0,
        seconds: seconds(),
        hasBar: world.stderr.isTTY === true,
      }),
    );
  };
  const sender = new Sender({
    client: connection.client,
    tenant,
    kind,
    purpose,
    validateOnly,
    rows,
    fileBytesAt,
    account,
    untilPrinted: options.untilPrinted,
    now: new Date(startedMs),
    signal,
    onProgress,
  });
  try {
    const { unread, failure, ...sent } = await sender.run();
    const isUnfinished = failure ?? (unread && !(unread instanceof DamagedFile)); // mended, that is another file
    if (isUnfinished && totalOf(account.current) > 0) save();
    else journal.remove();
    const end = failure && signal.aborted ? new CommandError('Interrupted.') : (failure ?? unread);
    return {
      ...account.current,
      ...sent,
      failure: end,
      badRows: badRows && badRows.progress.bytes > 0 ? badRows.progress.file : null,
      shown: account.shown,
      uncopied: account.uncopied,
      seconds: seconds(),
      canResume: journal.isKept,
    };
  } finally {
    terminal.clear();
    signal.removeEventListener('abort', close);
    badRows?.close();
  }
}

export function totalOf({ stored, deleted, rejected }: Counts): number {
  return stored + deleted + rejected;
}

/** Undefined: nobody wants the rejected rows. @throws CommandError when they would replace what is pushed */
function openBadRows({ source, badRows, validateOnly }: PushOptions, before: Progress): BadRows | undefined {
  if (before.badRows) return new BadRows(before.badRows.file, source.format, before.badRows.bytes);
  if (badRows === undefined) {
    return validateOnly ? undefined : new BadRows(badRowsPath(source.name, source.format), source.format);
  }
  if (resolve(badRows) === resolve(source.name)) {
    throw new CommandError('--bad-rows must name another file than the one that is pushed.');
  }
  return new BadRows(badRows, source.format);
}
