import type { RowChunk } from '../../files/row';

/** The chunks of a file up to a number of rows. The last one is cut there, and nothing behind it is read. */
export async function* firstRows(chunks: AsyncIterable<RowChunk>, rows: number): AsyncGenerator<RowChunk> {
  let left = rows;
  if (left <= 0) return;
  for await (const chunk of chunks) {
    yield chunk.rows.length > left ? { ...chunk, rows: chunk.rows.slice(0, left) } : chunk;
    left -= chunk.rows.length;
    if (left <= 0) return;
  }
}
