/** Says beside a file how much of it is acknowledged, so that an interrupted push is continued. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Checkpoint } from '../../../../shared/files/row';
import { FILE_START } from '../../../../shared/files/row';
import type { RecordKind } from '../../../../shared/domain/identity';
import { CommandError } from '../command-error';
import type { Purpose } from '../input/operations';
import type { Fingerprint, Source } from '../input/source';

/** What a push is of: another one must not continue it. */
export interface Target {
  readonly purpose: Purpose;
  readonly kind: RecordKind;
  readonly tenant: string;
  readonly url: string;
}

export interface Counts {
  /** Rows that were stored. */
  readonly stored: number;
  /** Rows that deleted something and stored nothing. */
  readonly deleted: number;
  readonly rejected: number;
}

/** All rows before the checkpoint are acknowledged and counted, and the rejected ones are in the file of bad rows. */
export interface Progress {
  readonly checkpoint: Checkpoint;
  readonly counts: Counts;
  /** Null: nothing is acknowledged yet. */
  readonly badRows: { readonly file: string; readonly bytes: number } | null;
}

interface JournalEntry extends Progress {
  readonly version: 1;
  readonly target: Target;
  readonly file: Fingerprint;
}

const START: Progress = { checkpoint: FILE_START, counts: { stored: 0, deleted: 0, rejected: 0 }, badRows: null };

export function journalPath(file: string): string {
  return `${file}.ingest-journal`;
}

/** The journal of one push. A stream has none, because it can be read only once. */
export class Journal {
  private constructor(
    private path: string | undefined,
    private readonly identity: Omit<JournalEntry, keyof Progress> | undefined,
    private readonly say: (sentence: string) => void,
  ) {}

  static none(): Journal {
    return new Journal(undefined, undefined, () => undefined);
  }

  static of({ name, fingerprint }: Source, target: Target, say: (sentence: string) => void): Journal {
    const identity = fingerprint && ({ version: 1, target, file: fingerprint } as const);
    return new Journal(fingerprint && journalPath(name), identity, say);
  }

  /** Whether another push can go on from here. */
  get isKept(): boolean {
    return this.path !== undefined;
  }

  /** Where the push begins. @throws CommandError when it cannot go on from where it was interrupted */
  begin(resumes: boolean): Progress {
    if (!this.path || !this.identity) {
      if (resumes) throw new CommandError('A stream cannot be resumed, because it is read once. Push a file.');
      return START;
    }
    if (resumes) {
      const entry = readJournal(this.path, this.identity);
      if (!entry) this.say('There is no journal beside the file: the push begins at its start.');
      return entry ?? START;
    }
    if (existsSync(this.path))
      this.say('An earlier push was interrupted. This one begins at the start: --resume goes on.');
    return START;
  }

  /** Replaces the journal in one step: a push that is killed here leaves the one before. */
  save({ checkpoint, counts, badRows }: Progress): void {
    if (!this.path || !this.identity) return;
    try {
      writeDurably(this.path, `${JSON.stringify({ ...this.identity, checkpoint, counts, badRows })}\n`);
    } catch (error) {
      this.path = undefined;
      this.say(`This push cannot be resumed, because no journal can be written: ${(error as Error).message}`);
    }
  }

  remove(): void {
    if (this.path) rmSync(this.path, { force: true });
    this.path = undefined;
  }
}

/** Undefined: there is none. @throws CommandError when it cannot be read, or is about another file or target */
function readJournal(path: string, { target, file }: Omit<JournalEntry, keyof Progress>): JournalEntry | undefined {
  if (!existsSync(path)) return undefined;
  const entry = parseEntry(path);
  if (!entry) throw new CommandError(`${path} is no journal of this version. Push without --resume.`);
  for (const [name, value] of Object.entries(target)) {
    const before = entry.target[name as keyof Target];
    if (before !== value) {
      throw new CommandError(`The journal is of another push: its ${name} is ${before}, not ${value}.`);
    }
  }
  const { bytes, modifiedMs, ends } = entry.file;
  if (bytes === file.bytes && modifiedMs === file.modifiedMs && ends === file.ends) return entry;
  throw new CommandError(
    'The file has changed since its push was interrupted. Push it from its start, without --resume.',
  );
}

function parseEntry(path: string): JournalEntry | undefined {
  try {
    const entry = JSON.parse(readFileSync(path, 'utf8')) as JournalEntry;
    return (entry as { version?: unknown } | null)?.version === 1 ? entry : undefined;
  } catch {
    return undefined;
  }
}

function writeDurably(path: string, text: string): void {
  const next = `${path}.new`;
  const descriptor = openSync(next, 'w', 0o600); // a checkpoint may hold fields of a record
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(next, path);
}
