/** Reads files in tests: content in, rows out, in pieces of any size. */
import { DamagedFile } from '../../../shared/files/damaged-file';
import type { ReadOptions } from '../../../shared/files/read-rows';
import type { StoredBytes } from '../../../shared/files/packing/unzip';
import { readRows } from '../../../shared/files/read-rows';
import type { Row, RowChunk } from '../../../shared/files/row';

export interface Reading {
  readonly rows: readonly Row[];
  readonly chunks: readonly RowChunk[];
  /** The reason of a DamagedFile that ended it. */
  readonly damage?: string;
}

/** The bytes in pieces of these sizes, over and over. */
export async function* inPieces(content: Uint8Array | string, ...sizes: number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  let from = 0;
  for (let turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    await Promise.resolve();
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

/** A file that is read from any byte on. @param onRead told of each read */
export function stored(content: Uint8Array, onRead: (from: number) => void = () => {}): StoredBytes {
  return {
    size: content.length,
    read: (from) => {
      onRead(from);
      return inPieces(content.subarray(from), 1000);
    },
  };
}

/** All of a stream, and the reason if it ends with a DamagedFile. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<{ all: T[]; damage?: string }> {
  const all: T[] = [];
  try {
    for await (const element of stream) all.push(element);
    return { all };
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return { all, damage: error.reason };
  }
}

/** Reads a stream, or a file of Parquet, to its end. */
export async function read(bytes: AsyncIterable<Buffer> | StoredBytes, options: ReadOptions): Promise<Reading> {
  const { all: chunks, ...end } = await collect(readRows(bytes, options));
  return { rows: chunks.flatMap(({ rows }) => rows), chunks, ...end };
}

/**
 * Reads a whole file in one piece and byte by byte, which must be the same.
 * @returns its rows, as `[line, record]` or `[line, message]`, and the damage that ended it
 */
export async function readText(content: Uint8Array | string, options: ReadOptions) {
  const { rows, damage } = await read(inPieces(content), options);
  const byBytes = await read(inPieces(content, 1), options);
  expect({ rows: byBytes.rows, damage: byBytes.damage }).toStrictEqual({ rows, damage });
  return damage === undefined ? rows.map(brief) : [...rows.map(brief), damage];
}

/** A row as a pair that reads well in a test. */
function brief(row: Row): [number, unknown] {
  if ('record' in row) return [row.line, row.record];
  expect(Object.keys(row.messages)).toStrictEqual(['']);
  expect(row.messages['']).toHaveLength(1);
  return [row.line, `! ${row.messages['']?.[0] ?? ''}`];
}
