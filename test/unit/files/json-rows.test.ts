import {
  MAX_FILE_RECORD_SEARCH_BYTES,
  MAX_JSON_LEADING_BLANKS,
  MAX_UNREADABLE_ROWS,
} from '../../../shared/limits/transfers';
import type { FileFormat } from '../../../shared/files/file-kind';
import type { Checkpoint } from '../../../shared/files/row';
import { inPieces, read, readText } from './reading';

const MiB = 1024 * 1024;
const NOT_JSON = '! The record is not valid JSON.';
const NO_RECORD = 'The record is no object with a field of customers, such as CustomerId or Email.';
const TOO_LONG = '! The record must be at most 8388608 bytes long.';

const rowsOf = (content: Uint8Array | string, format: FileFormat) => readText(content, { kind: 'customers', format });

/** Both readings of one record a line: by the name, and by the first byte of a `.json` file. */
describe.each(['ndjson', 'json'] as const)('one record a line (%s)', (format) => {
  it('reads a record a line, with the numbers of lines', async () => {
    await expect(rowsOf('{"Email":"a@b.c"}\n{"Email":null}\n', format)).resolves.toStrictEqual([
      [1, { Email: 'a@b.c' }],
      [2, { Email: null }],
    ]);
  });

  it('reads a last line without newline', async () => {
    await expect(rowsOf('{"Name":0}\n{"A":1}', format)).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, { A: 1 }],
    ]);
  });

  it('passes over a byte-order mark, at the start only', async () => {
    await expect(rowsOf('\uFEFF{"Name":0}\n\uFEFF{"Name":0}\n', format)).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, NOT_JSON],
    ]);
  });

  it('takes LF, CRLF and CR as the end of a line, also mixed (R-26)', async () => {
    await expect(rowsOf('{"Name":0}\r\n{"A":1}\r{"A":2}\n\r\r\n{"Name":0}\r\r\n', format)).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, { A: 1 }],
      [3, { A: 2 }],
      [6, { Name: 0 }],
    ]);
  });

  it('counts blank lines and does not read them', async () => {
    await expect(rowsOf('\n  \n{"Name":0}\n\t\n\r\n\n{"Name":0}\n\n ', format)).resolves.toStrictEqual([
      [3, { Name: 0 }],
      [7, { Name: 0 }],
    ]);
  });

  it.each(['', '\uFEFF', '\n', ' \r\n\t'])('finds no row in %j', async (content) => {
    await expect(rowsOf(content, format)).resolves.toStrictEqual([]);
  });

  it('reads characters of several bytes, also across the edges of pieces', async () => {
    await expect(rowsOf('{"Name":"Zoë Çağrı 漢字 😀"}\n', format)).resolves.toStrictEqual([
      [1, { Name: 'Zoë Çağrı 漢字 😀' }],
    ]);
  });

  it('leaves it to validation that a record is no object', async () => {
    await expect(rowsOf('{"Name":0}\n5\nnull\n"text"\n', format)).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, 5],
      [3, null],
      [4, 'text'],
    ]);
  });

  it('passes `UpdatedAt` and unknown fields on untouched', async () => {
    await expect(rowsOf('{"Name":0,"UpdatedAt":"2026-01-01","__proto__":{"x":1}}', format)).resolves.toStrictEqual([
      [1, JSON.parse('{"Name":0,"UpdatedAt":"2026-01-01","__proto__":{"x":1}}')],
    ]);
  });

  it('makes a bad row of what is no JSON, and goes on', async () => {
    await expect(
      rowsOf('{"Name":0}\n{"Email":"secret\n{"A":1},\nNaN\n\0\n{"Name":0}\n', format),
    ).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, NOT_JSON],
      [3, NOT_JSON],
      [4, NOT_JSON],
      [5, NOT_JSON],
      [6, { Name: 0 }],
    ]);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['Latin-1', [0xe9]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a character cut off', [0xf0, 0x9f, 0x98]],
  ])('makes a bad row of %s, and goes on', async (_, bytes) => {
    const content = Buffer.concat([
      Buffer.from('{"Name":0}\n{"Name":"'),
      Buffer.from(bytes),
      Buffer.from('"}\n{"Name":0}\n'),
    ]);
    await expect(rowsOf(content, format)).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, '! The record is not valid UTF-8.'],
      [3, { Name: 0 }],
    ]);
  });

  it.each([
    ['little', Buffer.from('\uFEFF{"Name":0}\n', 'utf16le')],
    ['big', Buffer.from('\uFEFF{"Name":0}\n', 'utf16le').swap16()],
  ])('reads UTF-16 (%s endian) by its byte-order mark (R-361)', async (_, content) => {
    await expect(rowsOf(content, format)).resolves.toStrictEqual([[1, { Name: 0 }]]);
  });

  it('takes 32 levels of nesting and refuses 33; brackets in a text are none', async () => {
    const nested = (levels: number) => `{"Name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const [ok, tooDeep, text] = await rowsOf(`${nested(32)}\n${nested(33)}\n{"A":"\\"${'[{'.repeat(50)}"}`, format);
    expect(ok).toStrictEqual([1, JSON.parse(nested(32))]);
    expect(tooDeep).toStrictEqual([2, '! The record must be nested at most 32 levels deep.']);
    expect(text).toStrictEqual([3, { A: `"${'[{'.repeat(50)}` }]);
  });

  it('refuses a record of too many values before it is built', async () => {
    const content = `{"A":[${'0,'.repeat(250_000)}0]}\n{"Name":0}\n`;
    const { rows } = await read(inPieces(content, 65_536), { kind: 'customers', format });
    expect(rows).toStrictEqual([
      { line: 1, messages: { '': ['The record must hold at most 250000 values.'] } },
      { line: 2, record: { Name: 0 } },
    ]);
  });
});

describe('long records (D-51)', () => {
  async function* longLine(length: number, before: string, after: string) {
    yield* inPieces(before);
    const piece = Buffer.alloc(MiB, 'x');
    for (let left = length; left > 0; left -= MiB) yield piece.subarray(0, left);
    yield* inPieces(after);
  }
  const quotes = { ndjson: ['{"Name":"', '"}'], json: ['{"Name":"', '"}'], csv: ['', ''] } as const;
  const starts = { ndjson: '', json: '[', csv: 'Email\n' } as const;
  const ends = { ndjson: '\n', json: ',', csv: '\n' } as const;

  it.each(['ndjson', 'json', 'csv'] as const)(
    'takes a record of 8 MiB and refuses one byte more (%s)',
    async (format) => {
      const [open, close] = quotes[format];
      const length = 8 * MiB - open.length - close.length;
      for (const [more, isTaken] of [
        [0, true],
        [1, false],
      ] as const) {
        // prettier-ignore
        const content = longLine(length + more, `${starts[format]}${open}`, `${close}${ends[format]}`);
        const { rows } = await read(content, { kind: 'customers', format });
        expect(rows).toHaveLength(1);
        expect(rows[0] && 'record' in rows[0]).toBe(isTaken);
      }
    },
  );

  it.each([
    ['ndjson', '{"Name":0}\n', '\n{"Name":0}\n', 1, 2],
    ['json', '[{"Name":0},"', '",{"Name":0}]', 1, 2],
    ['csv', 'Email\na\n', '\nb\n', 2, 3],
  ] as const)(
    'is one bad row when it is far longer, and reading goes on (%s)',
    async (format, before, after, first, bad) => {
      const { rows } = await read(longLine(100 * MiB, before, after), { kind: 'customers', format });
      expect(rows).toHaveLength(3);
      expect(rows.map(({ line }) => line)).toStrictEqual([first, bad, bad + 1]);
      expect(rows[1]).toStrictEqual({ line: bad, messages: { '': [TOO_LONG.slice(2)] } });
      expect(rows[2]).toHaveProperty('record');
    },
  );

  it('is a bad row at the end of the file, too', async () => {
    const { rows } = await read(longLine(9 * MiB, '{"Name":0}\n', ''), { kind: 'customers', format: 'ndjson' });
    expect(rows[1]).toStrictEqual({ line: 2, messages: { '': [TOO_LONG.slice(2)] } });
  });
});

describe('a JSON array (D-51)', () => {
  it('reads its elements, with their positions', async () => {
    await expect(rowsOf('[{"Name":1},{"A":[1,{"B":2}]}]', 'json')).resolves.toStrictEqual([
      [1, { Name: 1 }],
      [2, { A: [1, { B: 2 }] }],
    ]);
  });

  it('is recognized by the first byte that is not blank, behind a byte-order mark', async () => {
    await expect(rowsOf('\uFEFF \r\n\n[ {"Name":1}\n,\n5 , null ] \n', 'json')).resolves.toStrictEqual([
      [1, { Name: 1 }],
      [2, 5],
      [3, null],
    ]);
  });

  it('is never looked for in NDJSON', async () => {
    await expect(rowsOf('[\n{"Name":0},\n{"Name":0}\n]\n', 'ndjson')).resolves.toStrictEqual([
      [1, NOT_JSON],
      [2, NOT_JSON],
      [3, { Name: 0 }],
      [4, NOT_JSON],
    ]);
  });

  it.each(['[]', ' [ \n ] \n'])('finds no row in %j', async (content) => {
    await expect(rowsOf(content, 'json')).resolves.toStrictEqual([]);
  });

  it('is not misled by brackets, commas, quotes and backslashes in texts', async () => {
    const texts = [{ Name: 0 }, '],[', '{"', '\\', '\\"', '",', 'a\\\\"]'];
    await expect(rowsOf(JSON.stringify(texts), 'json')).resolves.toStrictEqual(
      texts.map((text, index) => [index + 1, text]),
    );
  });

  it.each([
    ['a trailing comma', '[{"Name":0},]', [[1, { Name: 0 }], [2, NOT_JSON]]],
    ['two commas', '[{"Name":0},,{"Name":0}]', [[1, { Name: 0 }], [2, NOT_JSON], [3, { Name: 0 }]]],
    ['a comma at the start', '[,{"Name":0}]', [[1, NOT_JSON], [2, { Name: 0 }]]],
    ['junk between elements', '[{"Name":0} x,{"Name":0}]', [[1, NOT_JSON], [2, { Name: 0 }]]],
    ['a missing comma', '[{"A":1} {"A":2},{"Name":0}]', [[1, NOT_JSON], [2, { Name: 0 }]]],
    ['an element that is no JSON', '[{A:1},{"Name":0}]', [[1, NOT_JSON], [2, { Name: 0 }]]],
    ['a newline in a text', '["a\nb",{"Name":0}]', [[1, NOT_JSON], [2, { Name: 0 }]]],
    ['a byte-order mark within', '[{"Name":0},\uFEFF{"Name":0},{"Name":0}]', [[1, { Name: 0 }], [2, NOT_JSON], [3, { Name: 0 }]]],
  ])('makes a bad row of %s, and goes on', async (_, content, rows) => {
    await expect(rowsOf(content, 'json')).resolves.toStrictEqual(rows);
  }); // prettier-ignore

  it('makes a bad row of an element that is not UTF-8, and goes on', async () => {
    const content = Buffer.concat([Buffer.from('["'), Buffer.from([0xe9]), Buffer.from('",{"Name":0}]')]);
    await expect(rowsOf(content, 'json')).resolves.toStrictEqual([
      [1, '! The record is not valid UTF-8.'],
      [2, { Name: 0 }],
    ]);
  });

  it.each([
    ['behind a comma', '[{"Name":0},', [[1, { Name: 0 }], 'The array is not closed; the file ends in element 2.']],
    ['before its first element', '[', ['The array is not closed; the file ends in element 1.']],
    ['in an element', '[{"Name":0},{"A":', [[1, { Name: 0 }], [2, NOT_JSON], 'The array is not closed; the file ends in element 2.']],
    ['in a text', '[{"Name":0},"a', [[1, { Name: 0 }], [2, NOT_JSON], 'The array is not closed; the file ends in element 2.']],
    ['behind an element', '[{"Name":0},{"A":1}', [[1, { Name: 0 }], [2, { A: 1 }], 'The array is not closed; the file ends in element 2.']],
  ])('is damaged when it is cut off %s', async (_, content, rows) => {
    await expect(rowsOf(content, 'json')).resolves.toStrictEqual(rows);
  }); // prettier-ignore

  it.each([
    ['a second array', '[{"Name":0}]\n[{"Name":0}]'],
    ['a comma', '[{"Name":0}],'],
    ['a second bracket', '[{"Name":0}]]'],
  ])('is damaged when %s follows it', async (_, content) => {
    await expect(rowsOf(content, 'json')).resolves.toStrictEqual([
      [1, { Name: 0 }],
      'The file goes on after the end of its array.',
    ]);
  });

  it.each([
    '[{"Name":0},{"A":[1},{"Name":0}]',
    '[{"Name":0},{"A":(1]},{"Name":0}]',
    '[{"Name":0},{"A":1]',
    '[{"Name":0},[1},{"Name":0}]',
  ])('is damaged where brackets do not match: %s', async (content) => {
    await expect(rowsOf(content, 'json')).resolves.toStrictEqual([
      [1, { Name: 0 }],
      [2, NOT_JSON],
      'The brackets of the array do not match from element 2.',
    ]);
  });

  it('is damaged at a bracket that nothing opened', async () => {
    await expect(rowsOf('[{"Name":0}},{"Name":0}]', 'json')).resolves.toStrictEqual([
      [1, { Name: 0 }],
      'The brackets of the array do not match from element 1.',
    ]);
  });

  it('only counts brackets beyond 32 levels', async () => {
    const deep = `{"A":${'['.repeat(40)}${']'.repeat(40)}}`;
    await expect(rowsOf(`[${deep},{"Name":0}]`, 'json')).resolves.toStrictEqual([
      [1, '! The record must be nested at most 32 levels deep.'],
      [2, { Name: 0 }],
    ]);
  });
});

describe('a file of which nothing can be read (R-24)', () => {
  const given = (format: FileFormat, which: string) =>
    `${which} of the file can be read. ` +
    {
      ndjson: 'By its name it holds one JSON object a line. ',
      json: 'By its name it holds an array of JSON objects, or one JSON object a line. ',
      avro: 'By its name it holds Avro records. ',
      parquet: 'By its name it holds Parquet records. ',
      csv: 'By its name it holds rows of as many cells as the header row has. ',
    }[format];

  it.each<[string, FileFormat, string, string]>([
    ['CSV named as NDJSON', 'ndjson', 'Email,Name\na@b.c,Ann\n', 'Line 1: The record is not valid JSON.'],
    ['an object over several lines', 'json', '{\n"Email":\n"a",\n}\n', 'Line 1: The record is not valid JSON.'],
    ['an array of junk', 'json', '[a,b]', 'Line 1: The record is not valid JSON.'],
    ['a wrapper of all records', 'json', '{"customers":[{"Email":"a@b.c"},{"Email":"b@b.c"}]}', `Line 1: ${NO_RECORD}`],
    ['numbers', 'ndjson', '1\n2\n3\n', `Line 1: ${NO_RECORD}`],
    ['arrays, a line each', 'ndjson', '[{"Email":"a@b.c"}]\n[{"Email":"b@b.c"}]\n', `Line 1: ${NO_RECORD}`],
    ['an array of arrays', 'json', '[[1,2],[3,4]]', `Line 1: ${NO_RECORD}`],
    ['a text', 'json', '"hello"', `Line 1: ${NO_RECORD}`],
    ['fields in another case', 'ndjson', '{"email":"a@b.c"}\n{"email":"b@b.c"}\n', `Line 1: ${NO_RECORD}`],
    ['no members', 'ndjson', '{}\n{}\n', `Line 1: ${NO_RECORD}`],
    ['rows that do not fit their header', 'csv', 'Email,Name\na;b\n\nc;d', 'Line 2: The row must have as many cells as the header row: 2, not 1.'],
  ])('fails with what was seen, and has no row: %s', async (_, format, content, seen) => {
    await expect(rowsOf(content, format)).resolves.toStrictEqual([given(format, 'No row') + seen]);
  }); // prettier-ignore

  it('is none where what names no field comes before a record: each such row is bad', async () => {
    await expect(rowsOf('[1]\n{}\n{"Email":"a@b.c"}\n{}\n', 'ndjson')).resolves.toStrictEqual([
      [1, `! ${NO_RECORD}`],
      [2, `! ${NO_RECORD}`],
      [3, { Email: 'a@b.c' }],
      [4, {}], // which validation refuses
    ]);
  });

  it('is given up after so many rows, with a bounded checkpoint', async () => {
    const content = 'junk\n'.repeat(2 * MAX_UNREADABLE_ROWS);
    const { chunks, rows, damage } = await read(inPieces(content, 100), { kind: 'customers', format: 'ndjson', maxBytes: 1 });
    expect(rows).toStrictEqual([]);
    expect(damage).toBe(
      `${given('ndjson', `None of the first ${MAX_UNREADABLE_ROWS} rows`)}Line 1: The record is not valid JSON.`,
    );
    expect(chunks.length).toBeGreaterThan(10);
    expect(JSON.stringify(chunks.at(-1)?.checkpoint).length).toBeLessThan(100 * MAX_UNREADABLE_ROWS);
  }); // prettier-ignore

  it.each<[FileFormat, string, string]>([
    ['ndjson', '', '{"Name":0}\n'],
    ['csv', 'Email,Name\n', 'a,b\n'],
  ])('is none once a single row can be read: all errors are those of rows then (%s)', async (format, header, good) => {
    const options = { kind: 'customers', format } as const;
    const junk = 'junk\n'.repeat(MAX_UNREADABLE_ROWS - 1);
    const content = header + junk + good + junk;
    const whole = await read(inPieces(content, 50), { ...options, maxBytes: 1 });
    expect(whole.damage).toBeUndefined();
    expect(whole.rows).toHaveLength(2 * MAX_UNREADABLE_ROWS - 1);
    expect(whole.rows.filter((row) => 'record' in row)).toHaveLength(1);
    // And the same from each checkpoint before, between and after.
    let done = 0;
    for (const [position, { rows, checkpoint }] of whole.chunks.entries()) {
      done += rows.length;
      if (position % 97 !== 0 && rows.length === 0) continue;
      const from = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
      const rest = inPieces(content.slice(checkpoint.offset), 50);
      expect((await read(rest, { ...options, from })).rows).toStrictEqual(whole.rows.slice(done));
      if (done > MAX_UNREADABLE_ROWS + 5) break;
    }
  });

  it.each([
    ['a spreadsheet', Buffer.from('PK\x03\x04'), 'a ZIP archive, as spreadsheets (.xlsx) are; it must be text'],
    ['Parquet', Buffer.from('PAR1\x15'), 'a Parquet file; its name must end in .parquet'],
    ['gzip without the name', Buffer.from([0x1f, 0x8b, 8, 0]), 'compressed with gzip; its name must end in .gz, and two layers are the most'],
  ])('is recognized by its first bytes: %s', async (_, beginning, name) => {
    for (const format of ['ndjson', 'json', 'csv'] as const) {
      const content = Buffer.concat([beginning, Buffer.from('\n{"Name":0}\n')]);
      await expect(rowsOf(content, format)).resolves.toStrictEqual([`The file is ${name}.`]);
    }
  }); // prettier-ignore
});

describe('white space without end', () => {
  it('before JSON is passed over up to a megabyte, and damage beyond', async () => {
    const options = { kind: 'customers', format: 'json' } as const;
    const blanks = (count: number) => ' \n'.repeat(count / 2);
    for (const content of ['{"Name":0}\n', '']) {
      const { damage } = await read(inPieces(blanks(MAX_JSON_LEADING_BLANKS) + content, 65_536), options);
      expect(damage).toBeUndefined();
    }
    let pieces = 0;
    async function* endless() {
      for (; pieces < 1_000; pieces += 1) yield await Promise.resolve(Buffer.from(blanks(65_536)));
    }
    expect((await read(endless(), options)).damage).toBe(
      `The file begins with more than ${MAX_JSON_LEADING_BLANKS} bytes of white space.`,
    );
    expect(pieces).toBeLessThan(20);
  });

  it.each(['ndjson', 'json', 'csv'] as const)('has checkpoints, and costs no record a line (%s)', async (format) => {
    const start = { ndjson: '{"OrderId":0}\n', json: '[{"OrderId":0},', csv: 'OrderId\n1\n' }[format];
    const blank = Buffer.from('\n'.repeat(MiB));
    async function* content() {
      yield Buffer.from(start);
      for (let done = 0; done < 200; done += 1) yield await Promise.resolve(blank);
      yield Buffer.from(format === 'json' ? '{"OrderId":0}]' : format === 'csv' ? '2' : '{"OrderId":0}');
    }
    const { chunks, rows } = await read(content(), { kind: 'orders', format });
    expect(rows).toHaveLength(2);
    expect(rows[1]?.line).toBe(format === 'json' ? 2 : 200 * MiB + (format === 'csv' ? 3 : 2));
    const offsets = chunks.map(({ checkpoint }) => checkpoint.offset);
    for (const [position, offset] of offsets.entries()) {
      expect(offset - (offsets[position - 1] ?? 0)).toBeLessThan(70 * MiB);
    }
  });

  it('within a record is damage after a gigabyte, where no checkpoint comes', async () => {
    const piece = Buffer.alloc(16 * MiB, ' ');
    let pieces = 0;
    async function* content() {
      yield Buffer.from('{"Name":0}\n{');
      for (; pieces < 100; pieces += 1) yield await Promise.resolve(piece);
    }
    const { rows, damage } = await read(content(), { kind: 'customers', format: 'ndjson' });
    expect(rows).toHaveLength(1);
    expect(damage).toBe(`Line (or element) 2 has not ended after ${MAX_FILE_RECORD_SEARCH_BYTES} bytes.`);
    expect(pieces).toBeLessThan(70);
  });
});
