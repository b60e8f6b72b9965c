/** CSV as spreadsheets write it: separators, names of columns, decimal commas, UTF-16. */
import type { RecordKind } from '../../../shared/domain/identity';
import type { FileFormat } from '../../../shared/files/file-kind';
import type { Checkpoint } from '../../../shared/files/row';
import { inPieces, read, readText } from './reading';

const rowsOf = (kind: RecordKind, ...lines: string[]) => readText(lines.join('\n'), { kind, format: 'csv' });

const cellsMessage = (expected: number, found: number) =>
  `The row must have as many cells as the header row: ${expected}, not ${found}.`;

/** What a checkpoint becomes when it is stored and loaded. */
const stored = (checkpoint: Checkpoint) => JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;

describe('separators (R-360)', () => {
  it.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
  ])('are told from the header row: %s', async (_, separator) => {
    const toRow = (...cells: string[]) => cells.join(separator);
    await expect(
      rowsOf(
        'customers',
        toRow('Email', 'Name', 'Surname'),
        toRow('"a"', '', '"x,y;z\t""w"""'),
        '',
        toRow('', 'b', ''),
      ),
    ).resolves.toStrictEqual([
      [2, { Email: 'a', Surname: 'x,y;z\t"w"' }],
      [4, { Name: 'b' }],
    ]);
  });

  it('are those by which the header names an identifier, commas first; else any field', async () => {
    await expect(rowsOf('customers', 'Email,a;b;Name;c', 'a,b')).resolves.toStrictEqual([
      [2, { Email: 'a', 'a;b;Name;c': 'b' }],
    ]);
    await expect(rowsOf('customers', 'Name,x\tEmail', 'a\tb')).resolves.toStrictEqual([
      [2, { 'Name,x': 'a', Email: 'b' }],
    ]);
    await expect(rowsOf('customers', 'Email', 'a;b')).resolves.toStrictEqual([[2, { Email: 'a;b' }]]);
  });

  it('may stand, and lines may end, in quoted names of the header', async () => {
    await expect(rowsOf('customers', '"Email";"Name","x"', 'a;b')).resolves.toStrictEqual([
      'The header row cannot be read. Commas, semicolons or tabs must separate all of its cells.',
    ]);
    await expect(rowsOf('customers', '"Note, in; full\n\tand more";"Email"', 'a;b')).resolves.toStrictEqual([
      [3, { 'Note, in; full\n\tand more': 'a', Email: 'b' }],
    ]);
  });

  it('that are tabs are not blank: a row of tabs is one, and a first cell may be empty', async () => {
    await expect(
      rowsOf('customers', '\t\t', 'Email\tName', '\tb', '\t', ' \t\t', '  ', 'c\t', '\t'),
    ).resolves.toStrictEqual([
      [3, { Name: 'b' }],
      [4, {}],
      [5, `! ${cellsMessage(2, 3)}`],
      [7, { Email: 'c' }],
      [8, {}],
    ]);
  });

  it.each([
    [';', 'semicolon'],
    ['\t', 'tab'],
  ])('are named where they are missing: %j', async (separator, name) => {
    await expect(
      rowsOf('customers', `Email${separator}Name`, '"a",x', `"a"${separator}x`, `a${separator}x${separator}`),
    ).resolves.toStrictEqual([
      [2, `! A quoted cell must be followed by a ${name} or the end of the row.`],
      [3, { Email: 'a', Name: 'x' }],
      [4, `! ${cellsMessage(2, 3)}`],
    ]);
  });

  it.each([';', '\t'])('form groups as commas do, and are kept by checkpoints: %j', async (separator) => {
    const lines = ['OrderId,TotalRevenue,orderitems.SKU', 'o1,5,a', 'o1,,b', 'o1', 'o1,,c', 'o2,,d', 'o2,,e', ''];
    const content = lines.join('\n').replaceAll(',', separator);
    const options = { kind: 'orders', format: 'csv' } as const;
    const whole = await read(inPieces(content), { ...options, maxRows: 1 });
    expect(whole.rows).toStrictEqual([
      { line: 2, lastLine: 3, record: { OrderId: 'o1', TotalRevenue: 5, OrderItems: [{ Sku: 'a' }, { Sku: 'b' }] } },
      { line: 4, messages: { '': [cellsMessage(3, 1)] } },
      { line: 5, record: { OrderId: 'o1', TotalRevenue: 5, OrderItems: [{ Sku: 'c' }] } },
      { line: 6, lastLine: 7, record: { OrderId: 'o2', OrderItems: [{ Sku: 'd' }, { Sku: 'e' }] } },
    ]);
    for (const [index, { checkpoint }] of whole.chunks.entries()) {
      const from = stored(checkpoint);
      const rest = await read(inPieces(content.slice(from.offset)), { ...options, from });
      expect(rest.rows).toStrictEqual(whole.rows.slice(index + 1));
    }
  });
});

describe('names of columns (R-363)', () => {
  it('are known in any case, also of parts, of times and of what deletes', async () => {
    await expect(
      rowsOf('products', ' PRODUCTID ;productname;updatedAT;deletedat;variantid;productvariants.SKU', 'p;n;u;d;v;s'),
    ).resolves.toStrictEqual([
      [
        2,
        {
          ProductId: 'p',
          ProductName: 'n',
          UpdatedAt: 'u',
          DeletedAt: 'd',
          VariantId: 'v',
          ProductVariants: [{ Sku: 's' }],
        },
      ],
    ]);
  });

  it('stay as they are where they are unknown', async () => {
    await expect(rowsOf('customers', 'EMAIL,colour,Colour,CONSTRUCTOR', 'a,b,c,d')).resolves.toStrictEqual([
      [2, { Email: 'a', colour: 'b', Colour: 'c', CONSTRUCTOR: 'd' }],
    ]);
  });
});

describe('a decimal comma (R-362)', () => {
  it.each([
    ['12,50', 12.5],
    [' -0,5 ', -0.5],
    [',5', 0.5],
    ['1,5e3', 1500],
    ['12.50', 12.5],
    ['1.234,50', '1.234,50'],
    ['1,234,567', '1,234,567'],
    ['1,234.50', '1,234.50'],
    [',', ','],
  ])('counts where semicolons separate cells: %j', async (cell, value) => {
    await expect(rowsOf('orders', 'OrderId;TotalRevenue;Note', `1;${cell};${cell}`)).resolves.toStrictEqual([
      [2, { OrderId: '1', TotalRevenue: value, Note: cell }],
    ]);
  });

  it.each([',', '\t'])('is none where %j does', async (separator) => {
    const lines = ['OrderId,TotalRevenue', '1,"12,50"'].map((line) => line.replace(',', separator));
    await expect(rowsOf('orders', ...lines)).resolves.toStrictEqual([[2, { OrderId: '1', TotalRevenue: '12,50' }]]);
  });
});

describe('UTF-16 (R-361)', () => {
  const inUtf16 = (text: string, endian: string) => {
    const bytes = Buffer.from(text, 'utf16le');
    return endian === 'big' ? bytes.swap16() : bytes;
  };

  it.each(['little', 'big'])('is read by its byte-order mark, %s endian', async (endian) => {
    const content = inUtf16('\uFEFFEmail;Name\r\na;"Zoë, 李 😀"\r\n\r\n\uFEFFb;\u0000\r\n', endian);
    await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
      [2, { Email: 'a', Name: 'Zoë, 李 😀' }],
      [4, { Email: '\uFEFFb', Name: '\u0000' }],
    ]);
  });

  it.each([
    ['the first half of a pair', '\uD83D'],
    ['the second one', '\uDE00'],
    ['two first halves', '\uD83D\uD83D'],
    ['halves in the wrong order', '\uDE00\uD83D'],
  ])('with %s makes a bad row', async (_, half) => {
    for (const endian of ['little', 'big']) {
      const content = inUtf16(`\uFEFFEmail,Name\na,${half}\nb,c\nd,${half}`, endian);
      await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
        [2, '! The record is not valid UTF-16.'],
        [3, { Email: 'b', Name: 'c' }],
        [4, '! The record is not valid UTF-16.'],
      ]);
    }
  });

  it('that ends in the middle of a unit is damage, after its rows', async () => {
    const content = inUtf16('\uFEFFEmail,Name\na,b\nc,d', 'little').subarray(0, -1);
    await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
      [2, { Email: 'a', Name: 'b' }],
      'The file ends in the middle of a character.',
    ]);
  });

  it.each<[string, FileFormat, string]>([
    ['CSV', 'csv', '\n\nEmail\tName\r\nä\t"x\r\n😀"\r\n\r\nb\t\nc\t李'],
    ['NDJSON', 'ndjson', '{"Email":"ä"}\r\n\n{"Email":"😀"}\r{"Email":"c"}'],
    ['an array', 'json', ' \n[{"Email":"ä"},\n{"Email":"😀"} , {"Email":"c"}]\n'],
  ])('has checkpoints in bytes of the file, from which any reader goes on: %s', async (_, format, text) => {
    for (const endian of ['little', 'big']) {
      const content = inUtf16(`\uFEFF${text}`, endian);
      const options = { kind: 'customers', format } as const;
      const whole = await read(inPieces(content, 3), { ...options, maxRows: 1 });
      expect(whole.damage).toBeUndefined();
      expect(whole.rows).toHaveLength(3);
      for (const [index, { checkpoint }] of whole.chunks.entries()) {
        expect(checkpoint.encoding).toBe(endian === 'big' ? 'utf-16be' : 'utf-16le');
        const from = stored(checkpoint);
        for (const size of [1, 5, 1000]) {
          const rest = await read(inPieces(content.subarray(from.offset), size), { ...options, from });
          expect(rest.rows).toStrictEqual(whole.rows.slice(index + 1));
        }
      }
    }
  });
});
