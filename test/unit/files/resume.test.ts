/** Chunks, and going on from their checkpoints: the same rows however a file is cut. */
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { RecordKind } from '../../../shared/domain/identity';
import { FILE_EMPTY_CHUNK_FACTOR } from '../../../shared/limits/transfers';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import type { FileFormat } from '../../../shared/files/file-kind';
import { inflate, skipBytes } from '../../../shared/files/packing/inflate';
import type { ReadOptions } from '../../../shared/files/read-rows';
import { readRows } from '../../../shared/files/read-rows';
import type { Checkpoint, RowChunk } from '../../../shared/files/row';
import { collect, inPieces, read } from './reading';

const customers = (format: FileFormat, more: Partial<ReadOptions> = {}): ReadOptions => ({
  kind: 'customers',
  format,
  ...more,
});

/** What a checkpoint becomes when it is stored and loaded. */
const stored = (checkpoint: Checkpoint) => JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;

/** Reads only the next chunk of a stream. */
async function nextChunk(bytes: AsyncIterable<Buffer>, options: ReadOptions): Promise<RowChunk | undefined> {
  for await (const chunk of readRows(bytes, options)) return chunk;
  return undefined;
}

describe('chunks', () => {
  it('hold at most so many rows, and give the checkpoint after them', async () => {
    const { chunks } = await read(
      inPieces('{"Name":0}\n\n{"Name":0}\n{"Name":0}', 2),
      customers('ndjson', { maxRows: 2 }),
    );
    expect(chunks).toStrictEqual([
      {
        rows: [
          { line: 1, record: { Name: 0 } },
          { line: 3, record: { Name: 0 } },
        ],
        checkpoint: { offset: 23, line: 4, form: { of: 'lines' } },
      },
      { rows: [{ line: 4, record: { Name: 0 } }], checkpoint: { offset: 33, line: 5, form: { of: 'lines' } } },
    ]);
  });

  it('end with the record that reaches so many bytes', async () => {
    const { chunks } = await read(
      inPieces('{"Name":0}\n{"Name":0}\n{"Name":0}\n{"Name":0}\n{"Name":0}\n'),
      customers('ndjson', { maxBytes: 22 }),
    );
    expect(chunks.map(({ rows, checkpoint }) => [rows.length, checkpoint.offset])).toStrictEqual([
      [2, 22],
      [2, 44],
      [1, 55],
    ]);
  });

  it('say how far the reader came where there are no rows', async () => {
    const blanks = '\n'.repeat(2.5 * FILE_EMPTY_CHUNK_FACTOR);
    for (const form of ['ndjson', 'json', 'csv'] as const) {
      const start = { ndjson: '{"Name":0}\n', json: '[', csv: 'Email\n' }[form];
      const { chunks } = await read(inPieces(`${start}${blanks}`, 8), customers(form, { maxBytes: 1 }));
      const empty = chunks.filter(({ rows }) => rows.length === 0);
      expect(empty).toHaveLength(2);
      for (const { checkpoint } of empty) {
        expect(checkpoint.line).toBe(form === 'json' ? 1 : 1 + checkpoint.offset - start.length + 1);
      }
    }
  });

  it('of an array count its brackets and commas', async () => {
    const { chunks } = await read(inPieces(' [{"Name":0} ,{"Name":0}] '), customers('json', { maxRows: 1 }));
    expect(chunks.map(({ checkpoint }) => checkpoint)).toStrictEqual([
      { offset: 14, line: 2, form: { of: 'array', next: 'element' } },
      { offset: 25, line: 3, form: { of: 'array', next: 'end' } },
    ]);
  });

  it('of CSV end between groups, and carry the header row', async () => {
    const content = 'ProductId,ProductVariants.Sku\np1,a\np1,b\n\np2,c\n';
    const { chunks } = await read(inPieces(content), { kind: 'products', format: 'csv', maxRows: 1 });
    const form = { of: 'csv', columns: ['ProductId', 'ProductVariants.Sku'] };
    expect(chunks.map(({ checkpoint }) => checkpoint)).toStrictEqual([
      { offset: 40, line: 4, form },
      { offset: 46, line: 6, form },
    ]);
  });

  it.each([
    ['short', ''],
    ['too long', 'n'.repeat(70_000)],
  ])(
    'of a CSV group that a bad row cuts can be resumed at every checkpoint, its own fields being %s',
    async (_, note) => {
      const content = `OrderId,Currency,Email,OrderItems.Sku\no1,EUR,${note},a\no1\n\no1,,,b\no1,,,c\no1\no1,,,d\no2,,,e\n`;
      const options = { kind: 'orders', format: 'csv' } as const;
      const whole = await read(inPieces(content), { ...options, maxBytes: 1 });
      expect(whole.rows.map(({ line }) => line)).toStrictEqual(note === '' ? [2, 3, 5, 7, 8, 9] : [2, 3, 5, 7, 9]);
      let done = 0;
      for (const { rows, checkpoint } of whole.chunks) {
        done += rows.length;
        const rest = inPieces(content.slice(checkpoint.offset));
        const resumed = await read(rest, { ...options, from: stored(checkpoint) });
        expect(resumed.rows).toStrictEqual(whole.rows.slice(done));
      }
    },
  );

  it('hold the rows before a damage, and the damage is found again from each of their checkpoints', async () => {
    for (const [format, content, damage] of [
      ['json', '[{"Name":0},{', 'The array is not closed; the file ends in element 2.'],
      ['json', '[{"Name":0},', 'The array is not closed; the file ends in element 2.'],
      ['json', '[{"Name":0},{"Name":0}]x', 'The file goes on after the end of its array.'],
      ['json', '[{"Name":0},{]},{"Name":0}]', 'The brackets of the array do not match from element 2.'],
      ['csv', 'Email\na\n"b', 'A quoted cell is never closed; its row begins in line 3.'],
    ] as const) {
      const whole = await read(inPieces(content), customers(format, { maxRows: 1 }));
      expect(whole.damage).toBe(damage);
      for (const { checkpoint } of whole.chunks) {
        const rest = inPieces(content.slice(checkpoint.offset));
        expect((await read(rest, customers(format, { from: stored(checkpoint) }))).damage).toBe(damage);
      }
    }
  });

  it('before the header row of a CSV file do not make its byte-order mark one', async () => {
    const blanks = '\n'.repeat(FILE_EMPTY_CHUNK_FACTOR);
    const content = `${blanks}\uFEFF"Email"\na\n`;
    const damage =
      'The header row cannot be read. A cell that holds a quotation mark must be quoted, and the mark doubled.';
    const whole = await read(inPieces(content, blanks.length), customers('csv', { maxBytes: 1 }));
    expect(whole.damage).toBe(damage);
    const checkpoint = whole.chunks.at(-1)?.checkpoint;
    expect(checkpoint).toStrictEqual({ offset: blanks.length, line: blanks.length + 1, form: { of: 'start' } });
    const resumed = await read(inPieces(content.slice(blanks.length)), customers('csv', { from: stored(checkpoint!) }));
    expect(resumed.damage).toBe(damage);
  });

  it('hold the complete records before the end of gzip that is cut off, not the one that it cuts', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `{"Email":"${(index * 7919) % 10_007}@b.c"}\n`).join('');
    const gzip = gzipSync(lines);
    const { rows, damage } = await read(inflate(inPieces(gzip.subarray(0, gzip.length / 2))), customers('ndjson'));
    expect(damage).toBe('The gzip data is cut off.');
    expect(rows.length).toBeGreaterThan(1000);
    expect(rows.every((row) => 'record' in row)).toBe(true);
  });

  it('hold no group that an error cuts off', async () => {
    async function* failing() {
      yield* inPieces('ProductId\np1\np2\np2\n');
      throw new RangeError('network');
    }
    const chunks: RowChunk[] = [];
    const reading = (async () => {
      for await (const chunk of readRows(failing(), { kind: 'products', format: 'csv' })) chunks.push(chunk);
    })();
    await expect(reading).rejects.toThrow(new RangeError('network'));
    expect(chunks.flatMap(({ rows }) => rows)).toStrictEqual([
      { line: 2, record: { ProductId: 'p1', ProductVariants: [] } },
    ]);
  });

  it.each(['ndjson', 'json', 'csv'] as const)('close the source when reading is left (%s)', async (format) => {
    let isClosed = false;
    async function* source() {
      try {
        yield* inPieces(format === 'csv' ? 'Email\na\nb\n' : '{"Name":0}\n{"Name":0}\n{"Name":0}\n', 3);
      } finally {
        isClosed = true;
      }
    }
    await nextChunk(source(), customers(format, { maxRows: 1 }));
    expect(isClosed).toBe(true);
  });

  it('close the source when the file cannot be opened', async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield* inPieces(Buffer.from([0xff, 0xfe, 0, 0]), 1);
      } finally {
        isClosed = true;
      }
    }
    await collect(readRows(source(), customers('csv')));
    expect(isClosed).toBe(true);
  });
});

// --- Properties: random records, written in each format, cut and interrupted at random -------------------------------

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.stringMatching(/^[",\r\n\\[\]{}| éç漢😀a]{1,12}$/u),
);
/** A text that a CSV cell can hold: an empty cell means omitted. */
const cellText = text.filter((value) => value !== '');

interface Sample {
  readonly kind: RecordKind;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

const customer = fc.record(
  { Email: cellText, Name: cellText, GdprOptin: fc.boolean() },
  { requiredKeys: ['GdprOptin'] }, // a JSON object without any field is no record
);
const amount = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
const variant = fc.record(
  { VariantId: cellText, Stock: fc.integer(), SalePrice: amount },
  { requiredKeys: ['VariantId'] },
);
const item = fc.record(
  { ProductId: cellText, Quantity: fc.integer(), IsGift: fc.boolean() },
  { requiredKeys: ['ProductId'] },
);
const word = fc.stringMatching(/^[a-z, "\n]{1,5}$/);

/** The place in the file makes identifiers of neighbours differ, as in an export. */
const sample: fc.Arbitrary<Sample> = fc.oneof(
  fc.array(customer, { maxLength: 12 }).map((records) => ({ kind: 'customers' as const, records })),
  fc
    .array(
      fc.record(
        {
          ProductName: cellText,
          Taxonomy: fc.array(word, { minLength: 1, maxLength: 3 }),
          ProductVariants: fc.array(variant, { maxLength: 4 }),
        },
        { requiredKeys: ['ProductVariants'] },
      ),
      { maxLength: 8 },
    )
    .map((records) => ({
      kind: 'products' as const,
      records: records.map((record, index) => ({ ProductId: `p${index}`, ...record })),
    })),
  fc
    .array(
      fc.record(
        { TotalRevenue: amount, OrderItems: fc.array(item, { minLength: 1, maxLength: 4 }) },
        { requiredKeys: [] },
      ),
      { maxLength: 8 },
    )
    .map((records) => ({
      kind: 'orders' as const,
      records: records.map((record, index) => ({ OrderId: `o${index}`, Currency: 'EUR', ...record })),
    })),
);

const COLUMNS: Readonly<Record<RecordKind, readonly string[]>> = {
  customers: ['Email', 'Name', 'GdprOptin'],
  products: ['ProductId', 'ProductName', 'Taxonomy', 'ProductVariants.VariantId', 'ProductVariants.Stock', 'ProductVariants.SalePrice'],
  orders: ['OrderId', 'Currency', 'TotalRevenue', 'OrderItems.ProductId', 'OrderItems.Quantity', 'OrderItems.IsGift'],
}; // prettier-ignore

interface Style {
  readonly newline: string;
  readonly blanks: string;
  readonly mark: string;
  readonly quoteAll: boolean;
  readonly last: boolean;
  /** Later rows of a group leave the record's own cells empty instead of repeating them. */
  readonly leaveEmpty: boolean;
}

const style: fc.Arbitrary<Style> = fc.record({
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  blanks: fc.constantFrom('', '\n', '\r\n \n', '\r', ' \r\r\n\t\r'),
  mark: fc.constantFrom('', '\uFEFF'),
  quoteAll: fc.boolean(),
  last: fc.boolean(),
  leaveEmpty: fc.boolean(),
});

interface Written {
  readonly content: string;
  readonly expected: readonly { readonly line: number; readonly lastLine?: number; readonly record: unknown }[];
}

/** How many line breaks a text has. */
const lineBreaks = (content: string) => content.match(/\r\n|\r|\n/g)?.length ?? 0;

/** Gathers lines and counts them. */
class LineWriter {
  constructor(
    private readonly style: Style,
    private content = style.mark,
  ) {}

  /** Writes a row, and says in which line it began. */
  write(row: string): number {
    const { newline, blanks } = this.style;
    const begun = lineBreaks(this.content) + 1;
    this.content += `${row}${newline}${blanks}`;
    return begun;
  }

  end(): string {
    return this.style.last ? this.content.trimEnd() : this.content;
  }
}

function writeJsonLines({ records }: Sample, style: Style): Written {
  const writer = new LineWriter(style);
  const expected = records.map((record) => ({ line: writer.write(JSON.stringify(record)), record }));
  return { content: writer.end(), expected };
}

function writeJsonArray({ records }: Sample, { mark, newline, blanks, quoteAll }: Style): Written {
  const elements = records.map((record) => JSON.stringify(record, null, quoteAll ? 2 : 0));
  return {
    content: `${mark}${blanks}[${newline}${elements.join(`${blanks},${newline}`)}${blanks}]${blanks}`,
    expected: records.map((record, index) => ({ line: index + 1, record })),
  };
}

function writeCsv({ kind, records }: Sample, style: Style): Written {
  const columns = COLUMNS[kind];
  const writer = new LineWriter({ ...style, last: false });
  const parts = columns.at(-1)?.split('.').slice(0, -1).join('.') ?? '';
  writer.write(columns.join(','));
  const expected = records.map((record) => {
    const elements = (record[parts] ?? []) as readonly Readonly<Record<string, unknown>>[];
    const rows = elements.length === 0 ? [{}] : elements;
    const texts = rows.map((part, index) =>
      columns.map((column) => toCell(record, part, column, parts, index, style)).join(','),
    );
    const lines = texts.map((row) => writer.write(row));
    const line = lines[0] ?? 0;
    const lastLine = (lines.at(-1) ?? 0) + lineBreaks(texts.at(-1) ?? '');
    return { line, ...(lastLine > line && { lastLine }), record };
  });
  return { content: writer.end(), expected };
}

type CellValue = string | number | boolean | readonly string[] | undefined;

function toCell(
  record: Readonly<Record<string, unknown>>,
  part: Readonly<Record<string, unknown>>,
  column: string,
  parts: string,
  row: number,
  { quoteAll, leaveEmpty }: Style,
): string {
  const isPart = parts !== '' && column.startsWith(`${parts}.`);
  const isLeft = !isPart && row > 0 && leaveEmpty && !column.endsWith('Id');
  const own = isLeft ? undefined : record[column];
  const value = (isPart ? part[column.slice(parts.length + 1)] : own) as CellValue;
  const cell = Array.isArray(value) ? value.join('|') : String(value ?? '');
  return quoteAll || /[",\r\n]/.test(cell) || cell.trim() === '' ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const WRITERS: Readonly<Record<string, { format: FileFormat; write: (sample: Sample, style: Style) => Written }>> = {
  NDJSON: { format: 'ndjson', write: writeJsonLines },
  'one record a line in .json': { format: 'json', write: writeJsonLines },
  'a JSON array': { format: 'json', write: writeJsonArray },
  CSV: { format: 'csv', write: writeCsv },
};

const pieceSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe.each(Object.entries(WRITERS))('%s', (_, { format, write }) => {
  it.each([false, true])(
    'gives exactly its records and lines, whatever the line breaks, pieces, chunks and interruptions (R-26, gzip: %s)',
    async (gzip) => {
      await fc.assert(
        fc.asyncProperty(
          sample,
          style,
          pieceSizes,
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 1, max: 300 }),
          async (records, how, sizes, maxRows, maxBytes) => {
            const { content, expected } = write(records, how);
            const file = gzip ? gzipSync(content) : Buffer.from(content);
            const open = (offset: number) =>
              gzip ? skipBytes(inflate(inPieces(file, ...sizes)), offset) : inPieces(file.subarray(offset), ...sizes);
            const options = { kind: records.kind, format, maxRows, maxBytes };

            const whole = await read(open(0), options);
            expect(whole.damage).toBeUndefined();
            expect(comparable(whole.rows)).toStrictEqual(comparable(expected));
            expect(whole.chunks.every(({ rows }) => rows.length <= maxRows)).toBe(true);

            // A worker that is interrupted after every chunk: each goes on with other bounds.
            const resumed: unknown[] = [];
            let from: Checkpoint | undefined;
            for (let turn = 0; ; turn += 1) {
              const again = { ...options, maxRows: 1 + ((maxRows + turn) % 5), ...(from && { from: stored(from) }) };
              const chunk = await nextChunk(open(from?.offset ?? 0), again);
              if (chunk === undefined) break;
              resumed.push(...chunk.rows);
              from = chunk.checkpoint;
            }
            expect(resumed).toStrictEqual(whole.rows);
          },
        ),
        { numRuns: gzip ? 40 : 150 },
      );
    },
  );
});

/** -0 is 0 in JSON and in a cell. */
function comparable(rows: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(rows));
}

const hostile = fc.oneof(
  fc.uint8Array({ maxLength: 120 }),
  fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        ',',
        '\\',
        '\n',
        '\r\n',
        '\r',
        ' ',
        'a',
        '1',
        'p1',
        '\uFEFF',
        '""',
        ':',
        '|',
      ),
      {
        maxLength: 60,
      },
    )
    .map((parts) => Buffer.from(parts.join(''))),
);
const beginnings = [
  '',
  '[',
  'Email,Name\n',
  'ProductId,ProductVariants.Sku\n',
  'OrderId,OrderItems.Sku\n',
  'OrderId,Currency,OrderItems.Sku\n1,EUR,a\n1\n1,,a\n1\n,,a\n',
];

describe('any bytes', () => {
  it.each(['ndjson', 'json', 'csv'] as const)(
    'end in rows or DamagedFile and nothing else, the same in any pieces and after any interruption (%s)',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...RECORD_KINDS),
          fc.constantFrom(...beginnings),
          hostile,
          pieceSizes,
          async (kind, beginning, bytes, sizes) => {
            const content = Buffer.concat([Buffer.from(beginning), bytes]);
            const whole = await read(inPieces(content), { kind, format });
            const cut = await read(inPieces(content, ...sizes), { kind, format, maxRows: 1 });
            expect([cut.rows, cut.damage]).toStrictEqual([whole.rows, whole.damage]);
            expect(whole.rows.map(({ line }) => line)).toStrictEqual(
              [...new Set(whole.rows.map(({ line }) => line))].sort((a, b) => a - b),
            );
            let done = 0;
            for (const { rows, checkpoint } of cut.chunks) {
              done += rows.length;
              const rest = inPieces(content.subarray(checkpoint.offset), ...sizes);
              const resumed = await read(rest, { kind, format, from: stored(checkpoint) });
              expect([resumed.rows, resumed.damage]).toStrictEqual([whole.rows.slice(done), whole.damage]);
            }
          },
        ),
        { numRuns: 400 },
      );
    },
  );
});
