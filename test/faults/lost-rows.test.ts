/**
 * Promise: no row of a file is lost in silence. Each is read or reported, whatever ends the lines, and nothing that
 * cannot be read ends as `succeeded`. And the comparison can fail: planted mistakes are caught.
 */
import { CsvDecoder } from '../../shared/files/csv/csv-decoder';
import { JsonDecoder } from '../../shared/files/json-decoder';
import { LineBreaks } from '../../shared/files/boundaries/line-breaks';
import type { RawRecord } from '../../shared/files/record-splitter';
import { SeededRandom } from '../support/seeded-random';
import { useTransferLab } from '../support/transfer-lab';
import { inPieces, read } from '../unit/files/reading';
import type { DrawnFile, Outcome } from './files/drawn-file';
import { BAD, drawFile, isBad } from './files/drawn-file';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(2_000, 100_000);
const RUNS = ofTier(6, 200);

afterEach(() => jest.restoreAllMocks());

/** Reads a file in pieces of a drawn size. */
async function outcomeOf({ content, format }: DrawnFile, pieceBytes: number): Promise<Outcome> {
  const { rows, damage } = await read(inPieces(content, pieceBytes), { kind: 'customers', format });
  const texts = rows.map((row) =>
    'record' in row
      ? `${row.line} ${String((row.record as { CustomerId: unknown }).CustomerId)}`
      : `${row.line} ${BAD}`,
  );
  return { rows: texts, isDamaged: damage !== undefined };
}

/** Reads drawn files until so many are not what they should be. */
async function readDrawn(cases: number, mostWrong: number): Promise<{ done: number; wrong: string[] }> {
  const random = new SeededRandom(`lost rows ${FAULTS_SEED}`);
  const wrong: string[] = [];
  let done = 0;
  for (; done < cases && wrong.length < mostWrong; done += 1) {
    const file = drawFile(random);
    const found = await outcomeOf(file, 1 + Math.floor(random.fraction() * 40));
    const { expected, format, content } = file;
    if (JSON.stringify(found) === JSON.stringify(expected)) continue;
    const shown = { format, content: content.toString('latin1'), expected, found };
    wrong.push(`${done}: ${JSON.stringify(shown)}`);
  }
  return { done, wrong };
}

it('every row of a file is read or reported, and what cannot be read fails (R-24, R-26)', async () => {
  const { done, wrong } = await readDrawn(CASES, 5);
  report('no row of a file is lost in silence', done, wrong.length);
  expect(wrong).toEqual([]);
});

/** A method of a class, to be called on any of its objects. */
function methodOf<T extends object, K extends keyof T>(prototype: T, name: K): T[K] {
  return prototype[name];
}

describe('a mistake is caught:', () => {
  const decode = methodOf(JsonDecoder.prototype, 'decode');
  const decodeCsv = methodOf(CsvDecoder.prototype, 'decode');
  const skipBlankLines = methodOf(LineBreaks.prototype, 'skipBlankLines');
  const LOST = '"CustomerId":"c7"';

  it.each<[mistake: string, plant: () => void]>([
    [
      'a decoder that passes over a row',
      () =>
        jest.spyOn(JsonDecoder.prototype, 'decode').mockImplementation(function (this: JsonDecoder, record: RawRecord) {
          const decoded = decode.call(this, record);
          return record.bytes?.includes(LOST) ? decoded.map(({ checkpoint }) => ({ checkpoint })) : decoded;
        }),
    ],
    [
      'a decoder that reports no bad row',
      () =>
        jest.spyOn(CsvDecoder.prototype, 'decode').mockImplementation(function (this: CsvDecoder, record: RawRecord) {
          const decoded = decodeCsv.call(this, record);
          return decoded.map(({ row, ...rest }) => (row && 'record' in row ? { row, ...rest } : rest));
        }),
    ],
    [
      'a boundary that takes a row for a blank line',
      () =>
        jest.spyOn(LineBreaks.prototype, 'skipBlankLines').mockImplementation(function (
          this: LineBreaks,
          bytes: Buffer,
          from: number,
        ) {
          const start = skipBlankLines.call(this, bytes, from);
          const end = bytes.indexOf('\n', start);
          if (end === -1 || !bytes.subarray(start, end).includes('c7')) return start;
          this.skippedLines += 1;
          return end + 1;
        }),
    ],
    [
      'a boundary that ends no line at CR',
      () =>
        jest.spyOn(LineBreaks.prototype, 'skipBreak').mockImplementation((bytes: Buffer, index: number) => {
          const newline = bytes.indexOf('\n', index);
          return newline === -1 ? bytes.length : newline + 1;
        }),
    ],
  ])('%s', async (mistake, plant) => {
    plant();
    const { done, wrong } = await readDrawn(CASES, 1);
    report(`${mistake} is caught`, done, wrong.length === 0 ? 1 : 0);
    expect(wrong).toHaveLength(1);
  });
});

describe('a run', () => {
  const lab = useTransferLab();

  it('succeeds only when every row of its file was read (R-24, R-26)', async () => {
    const random = new SeededRandom(`runs ${FAULTS_SEED}`);
    const wrong: string[] = [];
    for (let number = 0; number < RUNS; number += 1) {
      const { tenant, bucket } = await lab().openShop();
      const { format, content, expected } = drawFile(random);
      bucket.put(`customers.${format}`, content);
      const { status, files, rows } = await lab().run(tenant, bucket);
      const good = expected.rows.filter((row) => !isBad(row)).map((row) => row.split(' ')[1]);
      const invalid = expected.rows.length - good.length;
      const stored = (await lab().records(tenant, 'customers')) as { CustomerId: string }[];
      const found = {
        status,
        failed: files.failed,
        rows: { stored: rows.stored, invalid: rows.invalid },
        ids: stored.map(({ CustomerId }) => CustomerId).sort(),
      };
      const wanted = {
        status: expected.isDamaged || invalid > 0 ? 'partial' : 'succeeded',
        failed: expected.isDamaged ? 1 : 0,
        rows: { stored: good.length, invalid },
        ids: good.sort(),
      };
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        wrong.push(`${number}: ${JSON.stringify({ format, content: content.toString('latin1'), wanted, found })}`);
    }
    report('a run succeeds only when every row of its file was read', RUNS, wrong.length);
    expect(wrong).toEqual([]);
  });
});
