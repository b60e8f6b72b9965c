/**
 * Reads and parses a file of customers with the service's own reader and does nothing with the rows; a process of its
 * own.
 */
import { createReadStream } from 'node:fs';
import type { FileFormat } from '../../shared/files/file-kind';
import { readRows } from '../../shared/files/read-rows';
import { peakBytes } from './peak-memory';

/** What the process prints, as JSON. */
export interface ReadAlone {
  readonly rows: number;
  readonly elapsedMs: number;
  readonly peakBytes: number;
}

void readAlone();

async function readAlone(): Promise<void> {
  const [, , file = '', format] = process.argv;
  const startMs = performance.now();
  let rows = 0;
  const bytes = createReadStream(file) as AsyncIterable<Buffer>;
  for await (const chunk of readRows(bytes, { kind: 'customers', format: format as FileFormat })) {
    rows += chunk.rows.length;
  }
  const result: ReadAlone = {
    rows,
    elapsedMs: performance.now() - startMs,
    peakBytes: peakBytes(),
  };
  process.stdout.write(JSON.stringify(result));
}
