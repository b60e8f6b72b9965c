/** How fast a run is, and how long it will take: by what was seen of it while the page was open. */
import type { Run, RunFile } from '../../../../client/src/index';

export interface Sample {
  readonly atMs: number;
  readonly rows: number;
  /** How much of the run is done, from 0 to 1; undefined: that is not known. */
  readonly share: number | undefined;
}

export interface Pace {
  /** Undefined: too little was seen. */
  readonly rowsPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
}

/** What is older says little of how fast it is now. */
const WINDOW_MS = 30_000;

/** The samples with a new one, without those that are too old. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
}

export function paceOf(samples: readonly Sample[]): Pace {
  const [first] = samples;
  const last = samples.at(-1);
  const seconds = first && last ? (last.atMs - first.atMs) / 1000 : 0;
  if (!first || !last || seconds <= 0) return { rowsPerSecond: undefined, secondsLeft: undefined };
  return {
    rowsPerSecond: (last.rows - first.rows) / seconds,
    secondsLeft: secondsLeft(first.share, last.share, seconds),
  };
}

/** Undefined: nothing was gained, or it is not known what. */
function secondsLeft(before: number | undefined, now: number | undefined, seconds: number): number | undefined {
  if (before === undefined || now === undefined || now <= before) return undefined;
  return ((1 - now) * seconds) / (now - before);
}

/**
 * How much of a run is done: by the bytes of its files where all are given, else by their number.
 * @param files undefined: there are too many to look at
 */
export function shareOf(
  { Files: counts }: Pick<Run, 'Files'>,
  files: readonly RunFile[] | undefined,
): number | undefined {
  if (files) return shareOfBytes(files);
  if (!counts) return undefined;
  const read = counts.Found - counts.Skipped;
  return read > 0 ? (counts.Finished + counts.Failed) / read : undefined;
}

function shareOfBytes(files: readonly RunFile[]): number | undefined {
  const read = files.filter(({ Status }) => Status !== 'skipped');
  const all = read.reduce((sum, { Size }) => sum + Size, 0);
  const rowsPerByte = densityOf(read);
  const done = read.map((file) => doneBytes(file, rowsPerByte));
  if (all === 0 || done.includes(undefined)) return undefined;
  return done.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) / all;
}

/** Rows in a byte of the files that were read to their end, as they are stored; undefined: there is none. */
function densityOf(files: readonly RunFile[]): number | undefined {
  const finished = files.filter(({ Status }) => Status === 'finished');
  const bytes = finished.reduce((sum, { Size }) => sum + Size, 0);
  return bytes > 0 ? finished.reduce((sum, { Rows }) => sum + Rows.Read, 0) / bytes : undefined;
}

/** `ReadBytes` are inflated: of a compressed file the rows tell how far it is. */
function doneBytes(file: RunFile, rowsPerByte: number | undefined): number | undefined {
  const { Status, Size, ReadBytes, Rows } = file;
  if (Status === 'waiting') return 0;
  if (Status !== 'running') return Size;
  if (!isCompressed(file)) return Math.min(ReadBytes ?? 0, Size);
  return rowsPerByte ? Math.min(Rows.Read / rowsPerByte, Size) : undefined;
}

function isCompressed({ Object: name, Size, ReadBytes }: RunFile): boolean {
  return /\.(gz|zip)$/i.test(name) || (ReadBytes ?? 0) > Size;
}
