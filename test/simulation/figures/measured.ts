/** What was measured, read from docs/speed.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readSpeed = () => readFileSync(join(__dirname, '../../../docs/speed.md'), 'utf8');

/** What a request or a row takes of the processor, in milliseconds. */
export interface ProcessorTime {
  /** Of a request, whatever it holds, and of each of its records. */
  readonly requestMs: number;
  readonly recordMs: number;
  /** Of a row of a file. */
  readonly rowMs: number;
  /** Of a deletion that comes alone, in both of its functions. */
  readonly deletionMs: number;
}

/** @throws Error where the page does not say it any more */
export function processorTime(page = readSpeed()): ProcessorTime {
  const [small, smallMicros, large, largeMicros] = numbersIn(
    page,
    /CPU a record fall with the batch \((\d+) records: \d+ bytes and (\d+) µs each; ([\d,]+): \d+ bytes and (\d+) µs\)/,
  );
  const recordMs = (large! * largeMicros! - small! * smallMicros!) / (large! - small!) / 1_000;
  const [rowMicros] = numbersIn(page, /^\| NDJSON, 10 MiB, ordinary rows \|(?:[^|]*\|){3} ([\d,]+) \|/m);
  const [deletionMs] = numbersIn(page, /^\| its CPU in both functions, .*\| \*\*([\d.]+) ms\*\*/m);
  return {
    requestMs: (small! * smallMicros!) / 1_000 - small! * recordMs,
    recordMs,
    rowMs: rowMicros! / 1_000,
    deletionMs: deletionMs!,
  };
}

/** What a million records cost. */
export interface MillionCost {
  readonly reads: number;
  readonly writes: number;
  readonly cpuSeconds: number;
  readonly dollars: number;
}

/** A row of the table of what a million records cost, the upper ends where it has two. @throws Error without one */
export function millionCost(name: string, page = readSpeed()): MillionCost {
  const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`));
  const cells = row?.split('|').map((cell) =>
    Number(
      cell
        .replace(/.* to /, '')
        .replaceAll(',', '')
        .trim(),
    ),
  );
  if (!cells || cells.length < 8) throw new Error(`docs/speed.md has no costs of ${name}.`);
  return { reads: cells[2]!, writes: cells[3]!, cpuSeconds: cells[5]!, dollars: cells[6]! };
}

function numbersIn(page: string, pattern: RegExp): number[] {
  const match = pattern.exec(page.replace(/\n(?=[^\n|#])/g, ' '));
  if (!match) throw new Error(`docs/speed.md does not say ${pattern}.`);
  return match.slice(1).map((text) => Number(text.replaceAll(',', '')));
}
