/** Files through the transfer-runner: rows a second and memory, beside reading alone and beside the floor of writes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildProgram } from '../artifacts';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import type { ProtoDocument } from '../firestore-protocol';
import type { ReadAlone } from '../read-alone';
import { customerNumber } from '../sample-records';
import { median } from '../statistics';
import type { Bar, Suite, SuiteOptions } from '../suite';
import type { RowFormat } from '../transfer-files';
import type { TransferSample } from '../transfer-runs';
import { openTransferRuns } from '../transfer-runs';
import { storedDocuments } from '../upsert-scenarios';

const MIB = 1024 * 1024;
/**
 * A row of an export with a long text: 1 GiB of them fits the emulator, whose memory is the limit of what can be
 * stored.
 */
const NOTES_LENGTH = 10_000;
/** Documents of one commit of the floor, which has two under way at a time. */
const FLOOR_COMMIT = 500;
/** Documents that the floor writes at most: the query that reads them back has an end in time. */
const FLOOR_DOCUMENTS = 250_000;
const SMALL_FILE_ROUNDS = 3;
/** A file that is read before the first one that counts, for the emulator's compilers. */
const WARM_UP_BYTES = 2 * MIB;

interface FileShape {
  readonly rowSize: 'ordinary' | 'long';
  readonly mebibytes: number;
  readonly rounds: number;
}

interface FileRun extends TransferSample {
  readonly rows: number;
  readonly floorRowsPerSecond: number;
  readonly alone: ReadAlone;
}

interface FileSamples extends FileShape {
  readonly format: RowFormat;
  readonly runs: readonly FileRun[];
}

export const measureTransfers: Suite = async (options) => {
  const reader = buildProgram('read-alone.ts', 'read-alone');
  const measured: FileSamples[] = [];
  for (const format of ['ndjson', 'csv'] as const) {
    for (const shape of shapes(options)) {
      options.progress(`transfers: ${nameOf({ ...shape, format })}`);
      measured.push(await measureFile(shape, format, reader));
    }
  }
  return {
    suite: 'transfers',
    tables: [
      {
        title: 'A file of customers',
        columns: [
          'file',
          'rows',
          'rows/s',
          'of the floor of writes',
          'of reading alone',
          'CPU µs a row',
          'peak MiB',
          'peak MiB, reading alone',
        ],
        rows: measured.map((samples) => [
          nameOf(samples),
          median(samples.runs.map(({ rows }) => rows)),
          median(samples.runs.map(rowsPerSecond)),
          percent(shareOfFloor(samples)),
          percent(median(samples.runs.map((run) => rowsPerSecond(run) / rowsPerSecond(run.alone)))),
          median(samples.runs.map(({ cpuMs, rows }) => (cpuMs * 1000) / rows)),
          peakMebibytes(samples),
          median(samples.runs.map(({ alone }) => alone.peakBytes)) / MIB,
        ]),
      },
    ],
    bars: [...measured.filter(({ rowSize }) => rowSize === 'ordinary').map(speedBar), ...memoryBars(measured)],
    notes: [
      `Ordinary rows have some 230 bytes as JSON. Long rows have ${NOTES_LENGTH.toLocaleString('en')} characters more in a field that the ` +
        'service leaves out: 1 GiB of ordinary rows would be five million documents, more than the emulator can hold. Each ' +
        "run is a process of its own. The floor writes the run's own documents in the order of the file's rows, " +
        `${FLOOR_DOCUMENTS.toLocaleString('en')} at most, in commits of ${FLOOR_COMMIT}, two at a time; it reads nothing and keeps no place in a file. In the order of their ids, which no file has, the ` +
        'emulator takes them about 1.4 times as fast.',
    ],
    samples: measured,
  };
};

function shapes({ rounds, quick }: SuiteOptions): FileShape[] {
  const [small, medium, large] = quick ? [1, 2, 4] : [10, 100, 1_024];
  return [
    { rowSize: 'ordinary', mebibytes: small, rounds: Math.min(rounds, SMALL_FILE_ROUNDS) },
    { rowSize: 'ordinary', mebibytes: medium, rounds: 1 },
    ...[small, medium, large].map((mebibytes) => ({ rowSize: 'long', mebibytes, rounds: 1 }) as const),
  ];
}

async function measureFile(shape: FileShape, format: RowFormat, reader: string): Promise<FileSamples> {
  const runs: FileRun[] = [];
  for (let round = 0; round < shape.rounds; round += 1) {
    runs.push(await withBenchStack((stack) => measureRun(stack, shape, format, reader)));
  }
  return { ...shape, format, runs };
}

/** A run on emulators of its own: a query of theirs goes through all that they hold, and a run makes a few. */
async function measureRun(
  stack: BenchStack,
  { rowSize, mebibytes }: FileShape,
  format: RowFormat,
  reader: string,
): Promise<FileRun> {
  const transfers = await openTransferRuns(stack);
  try {
    await transfers.run(transfers.writeFile(format, WARM_UP_BYTES, 0));
    const file = transfers.writeFile(format, mebibytes * MIB, rowSize === 'long' ? NOTES_LENGTH : 0);
    const sample = await transfers.run(file);
    const floorRowsPerSecond = await measureFloor(stack, sample.tenantId, file.rows);
    const { stdout } = await promisify(execFile)(process.execPath, [reader, file.file, format]);
    return { ...sample, rows: file.rows, floorRowsPerSecond, alone: JSON.parse(stdout) as ReadAlone };
  } finally {
    await transfers.stop();
  }
}

/**
 * Rows a second when only documents of the run are written, to another tenant, in the order in which the file has them.
 */
async function measureFloor(stack: BenchStack, tenantId: string, rows: number): Promise<number> {
  const documents = (await storedDocuments(stack, 'customers', tenantId, Math.min(rows, FLOOR_DOCUMENTS))).sort(
    (one, other) => numberOf(one) - numberOf(other),
  );
  const commits = stack.floor.encode(documents, (await stack.createTenant()).tenantId, FLOOR_COMMIT);
  return (documents.length * 1000) / (await stack.floor.sendSeries(commits));
}

/** The place of a sample customer in its file. */
function numberOf({ fields }: ProtoDocument): number {
  return customerNumber(fields?.CustomerId?.stringValue ?? '');
}

function rowsPerSecond({ rows, elapsedMs }: Pick<FileRun, 'rows' | 'elapsedMs'>): number {
  return (rows * 1000) / elapsedMs;
}

function shareOfFloor({ runs }: FileSamples): number {
  return median(runs.map((run) => rowsPerSecond(run) / run.floorRowsPerSecond));
}

function peakMebibytes({ runs }: FileSamples): number {
  return median(runs.map(({ peakBytes }) => peakBytes)) / MIB;
}

function speedBar(samples: FileSamples): Bar {
  return {
    name: `${nameOf(samples)}: of the floor of writes`,
    value: shareOfFloor(samples),
    limit: 0.6,
    must: 'reach',
  };
}

/** Of each format, the largest file against the smallest one of the same rows. */
function memoryBars(measured: readonly FileSamples[]): Bar[] {
  return (['ndjson', 'csv'] as const).flatMap((format): Bar[] => {
    const long = measured.filter((samples) => samples.format === format && samples.rowSize === 'long');
    const [smallest] = long;
    const largest = long.at(-1);
    if (!smallest || !largest) return [];
    const name = `${nameOf(largest)}: × the memory of ${smallest.mebibytes} MiB`;
    return [{ name, value: peakMebibytes(largest) / peakMebibytes(smallest), limit: 1.2, must: 'stay at or below' }];
  });
}

function nameOf({ format, mebibytes, rowSize }: FileShape & { readonly format: RowFormat }): string {
  return `${format === 'csv' ? 'CSV' : 'NDJSON'}, ${mebibytes.toLocaleString('en')} MiB, ${rowSize} rows`;
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}
