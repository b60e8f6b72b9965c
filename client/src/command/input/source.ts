/** The file, or the stream, that a command reads. */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { FileFormat, FileKind } from '../../../../shared/files/file-kind';
import { FILE_FORMATS, parseFileForm } from '../../../../shared/files/file-kind';
import type { StoredBytes } from '../../../../shared/files/packing/unzip';
import { CommandError } from '../command-error';

/** Tells a file that is still the same. */
export interface Fingerprint {
  readonly bytes: number;
  readonly modifiedMs: number;
  /** SHA-256 of its first and its last bytes. */
  readonly ends: string;
}

export interface Source extends StoredBytes {
  /** As the caller named it. */
  readonly name: string;
  readonly format: FileFormat;
  /** Whether it may be compressed, as its bytes say, or is a ZIP archive by its name. */
  readonly packing: Pick<FileKind, 'gzip' | 'zip'>;
  /** Undefined: it is a stream, which can be read once. */
  readonly fingerprint: Fingerprint | undefined;
  /** Bytes of it that were read, as they are stored. */
  readonly readBytes: number;
  /** Ends the reading at once. */
  close(): void;
}

const HASHED_BYTES = 64 * 1024;

/** @param name `-`: stdin @throws CommandError */
export function openSource(name: string, format: string | undefined, stdin: Readable): Source {
  const known = parseFormat(name, format);
  const fingerprint = name === '-' ? undefined : fingerprintOf(name);
  const zip = name.toLowerCase().endsWith('.zip') && { zip: true as const };
  const readFromEnd = known === 'parquet' ? 'A Parquet file' : zip && 'A ZIP archive';
  if (readFromEnd && !fingerprint)
    throw new CommandError(`${readFromEnd} is read from its end: it must be a file, no stream.`);
  if (name === '-') return new OpenedSource('stdin', known, { gzip: true }, undefined, () => stdin);
  return new OpenedSource(name, known, { gzip: true, ...zip }, fingerprint, (start) =>
    createReadStream(name, { start }),
  );
}

class OpenedSource implements Source {
  readBytes = 0;
  private stream: Readable | undefined;

  constructor(
    readonly name: string,
    readonly format: FileFormat,
    readonly packing: Pick<FileKind, 'gzip' | 'zip'>,
    readonly fingerprint: Fingerprint | undefined,
    private readonly openStream: (start: number) => Readable,
  ) {}

  get size(): number {
    return this.fingerprint?.bytes ?? 0;
  }

  async *read(from: number): AsyncGenerator<Buffer, void, undefined> {
    this.stream = this.openStream(from);
    for await (const piece of this.stream) {
      const bytes = piece as Buffer;
      this.readBytes += bytes.length;
      yield bytes;
    }
  }

  close(): void {
    this.stream?.destroy();
  }
}

function parseFormat(name: string, given: string | undefined): FileFormat {
  const format = given ?? parseFileForm(basename(name))?.format;
  const known = FILE_FORMATS.find((one) => one === format);
  if (known) return known;
  const formats = FILE_FORMATS.join(', ');
  if (given !== undefined) throw new CommandError(`--format must be one of ${formats}, not ${given}.`);
  const what = name === '-' ? 'stdin' : name;
  throw new CommandError(
    `Say the format of ${what} with --format: ${formats}. Names tell it by .csv, .ndjson, .json, .avro or .parquet.`,
  );
}

/** Undefined: the file is a stream, such as a pipe. */
function fingerprintOf(file: string): Fingerprint | undefined {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandError(`${file} is a folder. Name a file.`);
    if (!stats.isFile()) return undefined;
    return { bytes: stats.size, modifiedMs: stats.mtimeMs, ends: hashEnds(file, stats.size) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The file cannot be read: ${(error as Error).message}`);
  }
}

function hashEnds(file: string, size: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const hash = createHash('sha256');
    for (const start of [0, Math.max(0, size - HASHED_BYTES)]) {
      const bytes = Buffer.alloc(HASHED_BYTES);
      hash.update(bytes.subarray(0, readSync(descriptor, bytes, 0, HASHED_BYTES, start)));
    }
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}
