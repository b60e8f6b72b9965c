import type { RecordKind } from '../../../shared/domain/identity';
import {
  MAX_CSV_GROUP_GAP_BYTES,
  MAX_CSV_OWN_FIELDS_BYTES,
  MAX_CSV_REPEATED_BYTES,
  MAX_FILE_RECORD_VALUES,
} from '../../../shared/limits/transfers';
import { MAX_PARTS, MAX_TEXTS } from '../../../shared/domain/limits';
import { skipBytes } from '../../../shared/files/packing/inflate';
import type { Checkpoint } from '../../../shared/files/row';
import { inPieces, read, readText } from './reading';

const rowsOf = (kind: RecordKind, ...lines: string[]) => readText(lines.join('\n'), { kind, format: 'csv' });

const cellsMessage = (expected: number, found: number) =>
  `! The row must have as many cells as the header row: ${expected}, not ${found}.`;
const TEXT_AFTER_QUOTED = '! A quoted cell must be followed by a comma or the end of the row.';
const TOO_LONG_TO_GO_ON = `! After a bad row, or one that deletes, the rows of one OrderId are read on only if its own fields are at most ${MAX_CSV_OWN_FIELDS_BYTES} bytes long, and ${MAX_CSV_REPEATED_BYTES} in all parts of it together.`;
const MARK_IN_BARE = '! A cell that holds a quotation mark must be quoted, and the mark doubled.';

describe('cells (D-51)', () => {
  it('become values by the types of the DTO; the header is line 1', async () => {
    await expect(
      rowsOf('customers', 'CustomerId,Email,EmailOptin,GdprOptin', '007,a@b.c,true,FALSE', '8,,False,TRUE', ''),
    ).resolves.toStrictEqual([
      [2, { CustomerId: '007', Email: 'a@b.c', EmailOptin: true, GdprOptin: false }],
      [3, { CustomerId: '8', EmailOptin: false, GdprOptin: true }],
    ]);
  });

  it.each([
    ['5', 5],
    ['-12.50', -12.5],
    ['+3', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E-2', 0.01],
    [' 7 ', 7],
    ['007', 7],
    ['0', 0],
    ['1e999', '1e999'],
    ['0x10', '0x10'],
    ['Infinity', 'Infinity'],
    ['NaN', 'NaN'],
    ['1 000', '1 000'],
    ['12 €', '12 €'],
    ['-', '-'],
    ['.', '.'],
    [' ', ' '],
  ])('%j in a number field is %j', async (cell, value) => {
    await expect(rowsOf('orders', 'OrderId,TotalRevenue,TotalQuantity', `1,${cell},${cell}`)).resolves.toStrictEqual([
      [2, { OrderId: '1', TotalRevenue: value, TotalQuantity: value }],
    ]);
  });

  it('keep a text that is no number or boolean, for validation to report', async () => {
    await expect(
      rowsOf('orders', 'OrderId,TotalQuantity,IsOrderCancelled', '1,1.5,yes', '2,"1,5",constructor'),
    ).resolves.toStrictEqual([
      [2, { OrderId: '1', TotalQuantity: 1.5, IsOrderCancelled: 'yes' }],
      [3, { OrderId: '2', TotalQuantity: '1,5', IsOrderCancelled: 'constructor' }],
    ]);
  });

  it('that are empty, quoted or not, are omitted; white space is text', async () => {
    await expect(rowsOf('customers', 'Email,Name,Surname,Phone', 'a,"", ,')).resolves.toStrictEqual([
      [2, { Email: 'a', Surname: ' ' }],
    ]);
  });

  it('split `Taxonomy` at bars, exactly', async () => {
    await expect(
      rowsOf('products', 'ProductId,Taxonomy', '1,Shoes|Summer sale', '2,Shoes', '3,', '4,a||b '),
    ).resolves.toStrictEqual([
      [2, { ProductId: '1', Taxonomy: ['Shoes', 'Summer sale'], ProductVariants: [] }],
      [3, { ProductId: '2', Taxonomy: ['Shoes'], ProductVariants: [] }],
      [4, { ProductId: '3', ProductVariants: [] }],
      [5, { ProductId: '4', Taxonomy: ['a', '', 'b '], ProductVariants: [] }],
    ]);
  });

  it('of unknown fields, and of `UpdatedAt`, pass as text', async () => {
    await expect(
      rowsOf('customers', 'Email,UpdatedAt,Color,toString,__proto__', 'a,2026-01-01T00:00:00Z,true,5,6'),
    ).resolves.toStrictEqual([[2, { Email: 'a', UpdatedAt: '2026-01-01T00:00:00Z', Color: 'true', toString: '5' }]]);
  });

  it('of a list of objects that is no column of fields stay text, for validation to report', async () => {
    await expect(
      rowsOf('products', 'ProductId,ProductVariants,ProductVariants.Sku', '1,[],s', '2,,s'),
    ).resolves.toStrictEqual([
      [2, { ProductId: '1', ProductVariants: '[]' }],
      [3, { ProductId: '2', ProductVariants: [{ Sku: 's' }] }],
    ]);
  });

  it('of a column without a name are passed over', async () => {
    await expect(rowsOf('customers', 'Email,,', 'a,b,', 'c,,')).resolves.toStrictEqual([
      [2, { Email: 'a' }],
      [3, { Email: 'c' }],
    ]);
  });
});

describe('lines (D-51, R-26)', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('end with %s, the last one with nothing', async (_, end) => {
    const content = ['Email,Name', 'a,x', 'b,"y"', '', 'c,'].join(end);
    await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
      [2, { Email: 'a', Name: 'x' }],
      [3, { Email: 'b', Name: 'y' }],
      [5, { Email: 'c' }],
    ]);
  });

  it('may end in several ways in one file; a quoted cell keeps its own, each of which is one line', async () => {
    const content = 'Email,Name\r\na,x\rb,"y"\n\rc,"p\rq\r\nr\ns"\r\r\nd,"p\r"\re,"\r\n\n\r"\r\n\r\nf,';
    await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
      [2, { Email: 'a', Name: 'x' }],
      [3, { Email: 'b', Name: 'y' }],
      [5, { Email: 'c', Name: 'p\rq\r\nr\ns' }],
      [10, { Email: 'd', Name: 'p\r' }],
      [12, { Email: 'e', Name: '\r\n\n\r' }],
      [17, { Email: 'f' }],
    ]);
  });

  it('are counted when blank, before the header, too, and not read', async () => {
    await expect(rowsOf('customers', '', 'Email', '', 'a', '  ', '\r', 'b', '', '')).resolves.toStrictEqual([
      [4, { Email: 'a' }],
      [7, { Email: 'b' }],
    ]);
  });

  it('may be quoted: newlines, commas and doubled quotation marks; the record has its first line', async () => {
    const content = 'Email,Name\na,"x\n\r\n, ""y"""\nb,"\n"\n"c","z"';
    await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
      [2, { Email: 'a', Name: 'x\n\r\n, "y"' }],
      [5, { Email: 'b', Name: '\n' }],
      [7, { Email: 'c', Name: 'z' }],
    ]);
  });

  it('that are blank count as such behind a group, too, wherever pieces end', async () => {
    const content = 'ProductId\np1\n \np2\n\t \np3\n';
    for (let size = 1; size <= content.length; size += 1) {
      const { rows, damage } = await read(inPieces(content, size), { kind: 'products', format: 'csv' });
      expect([rows.map(({ line }) => line), damage]).toStrictEqual([[2, 4, 6], undefined]);
    }
  });

  it('that one row takes are reported, where it takes several: of text, of a group, of a bad row', async () => {
    const content = 'ProductId,ProductName\na,x\nb,"y\nz"\nc,x\n\nc,"y\n"\nd\n\n,"\n"\n,"\n"x\ne,f';
    const { rows } = await read(inPieces(content), { kind: 'products', format: 'csv' });
    expect(rows.map(({ line, lastLine }) => [line, lastLine])).toStrictEqual([
      [2, undefined],
      [3, 4],
      [5, 8],
      [9, undefined],
      [11, 12],
      [13, 14],
      [15, undefined],
    ]);
  });

  it('may begin with a byte-order mark, which is no part of the first name', async () => {
    await expect(rowsOf('customers', '\uFEFFEmail,Name', '\uFEFFa,"Zoë 😀"')).resolves.toStrictEqual([
      [2, { Email: '\uFEFFa', Name: 'Zoë 😀' }],
    ]);
    await expect(rowsOf('customers', '\uFEFF"Email"', 'a')).resolves.toStrictEqual([[2, { Email: 'a' }]]);
  });

  it('with too few or too many cells are bad rows', async () => {
    await expect(rowsOf('customers', 'Email,Name', 'a', 'b,c,d', 'e,f')).resolves.toStrictEqual([
      [2, cellsMessage(2, 1)],
      [3, cellsMessage(2, 3)],
      [4, { Email: 'e', Name: 'f' }],
    ]);
  });

  it('that are not UTF-8 are bad rows', async () => {
    const content = Buffer.from('Email,Name\na,\xe9\nb,c\n', 'latin1');
    await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([
      [2, '! The record is not valid UTF-8.'],
      [3, { Email: 'b', Name: 'c' }],
    ]);
  });

  it.each([
    ['text behind a quoted cell', 'a,"x"y', TEXT_AFTER_QUOTED],
    ['a space behind a quoted cell', '"a" ,x', TEXT_AFTER_QUOTED],
    ['a mark in a cell that is not quoted', 'a,24" monitor', MARK_IN_BARE],
    ['a space before a quoted cell', 'a, "x"', MARK_IN_BARE],
    ['only the first of several faults', 'a"b,"x"y', MARK_IN_BARE],
  ])('with %s are bad rows; the next line is read as ever', async (_, line, message) => {
    await expect(rowsOf('customers', 'Email,Name', line, 'b,"c\nd"', 'e,f')).resolves.toStrictEqual([
      [2, message],
      [3, { Email: 'b', Name: 'c\nd' }],
      [5, { Email: 'e', Name: 'f' }],
    ]);
  });

  it('swallowed by a cell that is never closed are damage', async () => {
    await expect(rowsOf('customers', 'Email,Name', 'a,b', 'c,"d', 'e,f', '')).resolves.toStrictEqual([
      [2, { Email: 'a', Name: 'b' }],
      [3, '! A quoted cell is not closed.'],
      'A quoted cell is never closed; its row begins in line 3.',
    ]);
  });
});

describe('the header row (D-51, R-24)', () => {
  it('may have white space around its names', async () => {
    await expect(rowsOf('customers', ' Email ,Name\t', 'a,b')).resolves.toStrictEqual([[2, { Email: 'a', Name: 'b' }]]);
  });

  it.each(['', '\n', '\uFEFF', 'Email', 'Email\n'])(
    'alone, or none at all, is a file without rows: %j',
    async (content) => {
      await expect(readText(content, { kind: 'customers', format: 'csv' })).resolves.toStrictEqual([]);
    },
  );

  it.each<[RecordKind, string, string]>([
    ['customers', 'E-Mail,Name', 'The header row must name the field CustomerId or Email.'],
    ['customers', 'a@b.c,Zoë', 'The header row must name the field CustomerId or Email.'],
    ['customers', 'Name,Surname', 'The header row must name the field CustomerId or Email.'],
    ['customers', 'Name;Surname', 'The header row must name the field CustomerId or Email.'],
    ['customers', 'ann@x.com;Ann', 'The header row must name the field CustomerId or Email.'],
    [
      'products',
      `ProductId|${'x'.repeat(200)}`,
      `The header names none of the fields of products: "ProductId|${'x'.repeat(90)}…". Are the columns separated by vertical bars?`,
    ],
    [
      'customers',
      'ann@x.com|Ann',
      'The header row must name the field CustomerId or Email. Are the columns separated by vertical bars? They must be by commas, semicolons or tabs.',
    ],
    [
      'customers',
      '{"Email":"a@b.c"}',
      'The header row must name the field CustomerId or Email. Does the file hold JSON? Then its name must end in .ndjson or .json.',
    ],
    ['products', 'ProductName', 'The header row must name the field ProductId.'],
    ['products', 'ProductVariants.ProductId', 'The header row must name the field ProductId.'],
    ['orders', 'Email', 'The header row must name the field OrderId.'],
    ['customers', 'Email,Name,Email', 'The header row names the field Email twice: in columns 1 and 3.'],
    ['customers', 'Email;Name; EMAIL ', 'The header row names the field Email twice: in columns 1 and 3.'],
    ['customers', 'Email,Colour,Colour', 'The header row names the field Colour twice: in columns 2 and 3.'],
    ['customers', 'Email,"Name', 'The header row cannot be read. A quoted cell is not closed.'],
    ['customers', 'Email,"Name"x', `The header row cannot be read. ${TEXT_AFTER_QUOTED.slice(2)}`],
    ['customers', `Email${',x'.repeat(1000)}`, 'The header row must have at most 1000 columns.'],
    ['customers', `Email,${'x'.repeat(32 * 1024)}`, 'The header row must be at most 32768 bytes long.'],
  ])('of %s damages the file: %.30s', async (kind, header, damage) => {
    await expect(rowsOf(kind, header, 'a,b')).resolves.toStrictEqual([damage]);
  });

  it('that is not UTF-8 damages the file', async () => {
    await expect(
      readText(Buffer.from('Email,\xe9\na,b', 'latin1'), { kind: 'customers', format: 'csv' }),
    ).resolves.toStrictEqual(['The header row cannot be read. The record is not valid UTF-8.']);
  });
});

describe('groups (D-51)', () => {
  const PRODUCT = 'ProductId,ProductName,ProductVariants.VariantId,ProductVariants.Stock,ProductVariants.Colour';

  it('are consecutive rows of one identifier; the record has the first line', async () => {
    await expect(
      rowsOf('products', PRODUCT, 'p1,Shoe,v1,1,', 'p1,Shoe,v2,,red', '', 'p2,Hat,v3,x,', 'p1,,v4,,'),
    ).resolves.toStrictEqual([
      [2, { ProductId: 'p1', ProductName: 'Shoe', ProductVariants: [{ VariantId: 'v1', Stock: 1 }, { VariantId: 'v2', Colour: 'red' }] }],
      [5, { ProductId: 'p2', ProductName: 'Hat', ProductVariants: [{ VariantId: 'v3', Stock: 'x' }] }],
      [6, { ProductId: 'p1', ProductVariants: [{ VariantId: 'v4' }] }],
    ]);
  }); // prettier-ignore

  it('read order items by their own types, and leave them out when there are none', async () => {
    await expect(
      rowsOf(
        'orders',
        'OrderId,Currency,OrderItems.ProductId,OrderItems.Quantity,OrderItems.Price,OrderItems.IsGift',
        'o1,EUR,1,2,19.90,TRUE',
        'o1,,2,1,5,',
        'o2,EUR,,,,',
      ),
    ).resolves.toStrictEqual([
      [
        2,
        {
          OrderId: 'o1',
          Currency: 'EUR',
          OrderItems: [
            { ProductId: '1', Quantity: 2, Price: 19.9, IsGift: true },
            { ProductId: '2', Quantity: 1, Price: 5 },
          ],
        },
      ],
      [4, { OrderId: 'o2', Currency: 'EUR' }],
    ]);
  });

  it('have empty `ProductVariants` without variant cells, also in a file without variant columns', async () => {
    await expect(rowsOf('products', PRODUCT, 'p1,Shoe,,,')).resolves.toStrictEqual([
      [2, { ProductId: 'p1', ProductName: 'Shoe', ProductVariants: [] }],
    ]);
    await expect(rowsOf('products', 'ProductId', 'p1')).resolves.toStrictEqual([
      [2, { ProductId: 'p1', ProductVariants: [] }],
    ]);
  });

  it('take the last cell that is not empty where rows contradict each other', async () => {
    await expect(
      rowsOf('products', PRODUCT, 'p1,,v1,,', 'p1,Boot,v2,,', 'p1,Shoe,,,', 'p1,,,,'),
    ).resolves.toStrictEqual([
      [2, { ProductId: 'p1', ProductName: 'Shoe', ProductVariants: [{ VariantId: 'v1' }, { VariantId: 'v2' }] }],
    ]);
  });

  it('compare identifiers without the white space around them, and otherwise exactly', async () => {
    const rows = await rowsOf('products', 'ProductId', 'p1', ' p1 ', 'P1');
    expect(rows).toStrictEqual([
      [2, { ProductId: ' p1 ', ProductVariants: [] }],
      [4, { ProductId: 'P1', ProductVariants: [] }],
    ]);
  });

  it('never hold rows without an identifier: each is a record of its own, for validation to refuse', async () => {
    await expect(rowsOf('products', PRODUCT, 'p1,,v1,,', ',,v2,,', ',,v3,,', ' ,,v4,,')).resolves.toStrictEqual([
      [2, { ProductId: 'p1', ProductVariants: [{ VariantId: 'v1' }] }],
      [3, { ProductVariants: [{ VariantId: 'v2' }] }],
      [4, { ProductVariants: [{ VariantId: 'v3' }] }],
      [5, { ProductId: ' ', ProductVariants: [{ VariantId: 'v4' }] }],
    ]);
  });

  it('never hold rows with an identifier far beyond the maximum length', async () => {
    const long = 'x'.repeat(501);
    await expect(rowsOf('products', 'ProductId', long, long)).resolves.toHaveLength(2);
    await expect(rowsOf('products', 'ProductId', long.slice(1), long.slice(1))).resolves.toHaveLength(1);
  });

  it('do not exist for customers', async () => {
    await expect(rowsOf('customers', 'CustomerId', 'c', 'c')).resolves.toHaveLength(2);
  });

  const ORDER = 'OrderId,Email,Currency,UpdatedAt,OrderItems.Sku';
  const OWN = { OrderId: '1001', Email: 'a@b.c', Currency: 'EUR', UpdatedAt: '2026-01-01' };
  const FIRST = '1001,a@b.c,EUR,2026-01-01,tea';
  const items = (...skus: string[]) => ({ OrderItems: skus.map((Sku) => ({ Sku })) });

  it('that a bad row cuts go on after it with the own fields of the rows before it', async () => {
    await expect(
      rowsOf('orders', ORDER, FIRST, '1001,,,,cup 5"', '1001,,,,pot', '1001,,,,jug', '1002,,,,hat'),
    ).resolves.toStrictEqual([
      [2, { ...OWN, ...items('tea') }],
      [3, MARK_IN_BARE],
      [4, { ...OWN, ...items('pot', 'jug') }],
      [6, { OrderId: '1002', ...items('hat') }],
    ]);
    await expect(
      rowsOf('products', PRODUCT, 'p1,Shoe,v1,,', 'p1,,v2', '', 'p1,,v3,,', 'p1,,v4'),
    ).resolves.toStrictEqual([
      [2, { ProductId: 'p1', ProductName: 'Shoe', ProductVariants: [{ VariantId: 'v1' }] }],
      [3, cellsMessage(5, 3)],
      [5, { ProductId: 'p1', ProductName: 'Shoe', ProductVariants: [{ VariantId: 'v3' }] }],
      [6, cellsMessage(5, 3)],
    ]);
  });

  it('go on after several bad rows, a row without identifier, and a second cut', async () => {
    await expect(
      rowsOf('orders', ORDER, FIRST, '1001', '1001', '1001,,USD,,cup', ',,,,pot', '1001,,,,jug'),
    ).resolves.toStrictEqual([
      [2, { ...OWN, ...items('tea') }],
      [3, cellsMessage(5, 1)],
      [4, cellsMessage(5, 1)],
      [5, { ...OWN, Currency: 'USD', ...items('cup') }],
      [6, items('pot')],
      [7, { ...OWN, Currency: 'USD', ...items('jug') }],
    ]);
  });

  it('do not go on after rows of another identifier', async () => {
    await expect(
      rowsOf('orders', ORDER, FIRST, '1001', '1002,,EUR,,cup', '1001,,,,pot', '1001', '1001,,,,jug'),
    ).resolves.toStrictEqual([
      [2, { ...OWN, ...items('tea') }],
      [3, cellsMessage(5, 1)],
      [4, { OrderId: '1002', Currency: 'EUR', ...items('cup') }],
      [5, { OrderId: '1001', ...items('pot') }],
      [6, cellsMessage(5, 1)],
      [7, { OrderId: '1001', ...items('jug') }],
    ]);
  });

  it.each([
    ['whole', 0, true],
    ['as one bad row', 1, false],
  ])('with long own fields go on %s', async (_, excess, isWhole) => {
    const known = JSON.stringify({ OrderId: '1001', Email: '', UpdatedAt: 'x' }).length;
    const own = { Email: 'e'.repeat(MAX_CSV_OWN_FIELDS_BYTES - known + excess), UpdatedAt: 'x' };
    const header = 'OrderId,Email,UpdatedAt,OrderItems.Sku';
    const rows = [`1001,${own.Email},x,tea`, '1001', '1001,,,pot', '1001', '1001,,,jug', '1002,,,hat'];
    const next = (sku: string) => ({ OrderId: '1001', ...own, ...items(sku) });
    const [, ...rest] = await rowsOf('orders', header, ...rows);
    expect(rest).toStrictEqual([
      [3, cellsMessage(4, 1)],
      [4, isWhole ? next('pot') : TOO_LONG_TO_GO_ON],
      [5, cellsMessage(4, 1)],
      ...(isWhole ? [[6, next('jug')]] : []),
      [7, { OrderId: '1002', ...items('hat') }],
    ]);
  });

  it('go on without the cells of unknown columns, which nothing reads', async () => {
    const Note = 'n'.repeat(2 * MAX_CSV_OWN_FIELDS_BYTES);
    await expect(
      rowsOf('orders', 'OrderId,Note,Email,OrderItems.Sku', `1,${Note},e,a`, '1', '1,,,b'),
    ).resolves.toStrictEqual([
      [2, { OrderId: '1', Note, Email: 'e', ...items('a') }],
      [3, cellsMessage(4, 1)],
      [4, { OrderId: '1', Email: 'e', ...items('b') }],
    ]);
  });

  it('that bad rows cut again and again repeat their own fields up to a bound, beyond which they are one bad row', async () => {
    const Email = 'e'.repeat(MAX_CSV_OWN_FIELDS_BYTES - 100);
    const parts = 4 * Math.ceil(MAX_CSV_REPEATED_BYTES / Email.length);
    const cuts = Array.from({ length: parts }, () => ['1', '1,,b']).flat();
    const content = ['OrderId,Email,OrderItems.Sku', `1,${Email},a`, ...cuts, '2,,c'].join('\n');
    const { rows } = await read(inPieces(content), { kind: 'orders', format: 'csv' });
    expect(JSON.stringify(rows).length).toBeLessThan(content.length + 2 * MAX_CSV_REPEATED_BYTES);
    const refused = rows.filter((row) => 'messages' in row && `! ${row.messages['']?.[0] ?? ''}` === TOO_LONG_TO_GO_ON);
    expect(refused).toHaveLength(1);
    expect(rows.at(-1)).toStrictEqual({ line: 2 * parts + 3, record: { OrderId: '2', ...items('c') } });
  });

  it('end at a megabyte of blank lines, wherever pieces end, and go on after them like after a bad row', async () => {
    const header = 'OrderId,Email,OrderItems.Sku\n';
    const expected = async (blanks: number, size: number) => {
      const content = `${header}1,e,a\n${'\n'.repeat(blanks)}1,,b\n2,,c\n`;
      const { rows } = await read(inPieces(content, size), { kind: 'orders', format: 'csv' });
      return rows.map((row) => ('record' in row ? row.record : row));
    };
    for (const size of [1_000, 65_536, 10_000_000]) {
      const last = { OrderId: '2', ...items('c') };
      expect(await expected(MAX_CSV_GROUP_GAP_BYTES - 1, size)).toStrictEqual([
        { OrderId: '1', Email: 'e', ...items('a', 'b') },
        last,
      ]);
      expect(await expected(MAX_CSV_GROUP_GAP_BYTES, size)).toStrictEqual([
        { OrderId: '1', Email: 'e', ...items('a') },
        { OrderId: '1', Email: 'e', ...items('b') },
        last,
      ]);
    }
  });

  /**
   * A header, then rows of `p1` with cells of this length, a row that ends the group if there is one, and a last one.
   */
  async function* manyRows(count: number, length: number) {
    yield* inPieces('ProductId,ProductVariants.Sku\n');
    const row = Buffer.from(`p1,${'s'.repeat(length)}\n`);
    for (let done = 0; done < count; done += 1) yield row;
    yield* inPieces('p2,s\np1,s\n');
  }

  it.each([
    ['bytes', 20, 1024 * 1024, 'The rows of one ProductId must be at most 8388608 bytes long together.'],
    ['elements', MAX_PARTS + 10, 1, `The rows of one ProductId must hold at most ${MAX_PARTS} ProductVariants.`],
  ])('of too many %s are one bad row; the next group is read', async (_, count, length, message) => {
    const rows = [
      { line: 2, lastLine: expect.any(Number) as unknown, messages: { '': [message] } },
      { line: count + 2, record: { ProductId: 'p2', ProductVariants: [{ Sku: 's' }] } },
      { line: count + 3, record: { ProductId: 'p1', ProductVariants: [{ Sku: 's' }] } },
    ];
    const options = { kind: 'products', format: 'csv', maxBytes: 100 } as const;
    const whole = await read(manyRows(count, length), options);
    expect(whole.rows).toStrictEqual(rows);
    // Reading can be resumed within the rows that are passed over, too.
    const checkpoint = whole.chunks.find(
      ({ checkpoint: { form } }) => form.of === 'csv' && form.skippedKey === 'p1',
    )?.checkpoint;
    expect(checkpoint).toBeDefined();
    const rest = skipBytes(manyRows(count, length), checkpoint?.offset ?? 0);
    const from = JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
    const resumed = await read(rest, { ...options, from });
    expect(resumed.rows).toStrictEqual(rows.slice(1));
  });

  it('that are passed over are so also after a row that cannot be decoded', async () => {
    async function* interrupted() {
      yield* inPieces('ProductId,ProductVariants.Sku\n');
      for (let done = 0; done <= MAX_PARTS; done += 1) yield Buffer.from('p1,s\n');
      yield* inPieces('p1,s\np1\np1,s\n');
    }
    const { rows } = await read(interrupted(), { kind: 'products', format: 'csv' });
    expect(rows.map(({ line }) => line)).toStrictEqual([2, MAX_PARTS + 4]);
  });

  it('of exactly the most elements are a record', async () => {
    const { rows } = await read(manyRows(MAX_PARTS, 1), { kind: 'products', format: 'csv' });
    expect(rows[0]).toHaveProperty('record.ProductVariants.length', MAX_PARTS);
  });
});

describe('blank lines (R-26)', () => {
  const BLANKS = [' ', '\t', '\n \n', '\r \r', ' \r\r\n\t\r', '\r\n ', '\n\n'];

  it.each(BLANKS)('are no rows, and none is missed, where a file ends with %j', async (blanks) => {
    const csv = { kind: 'products', format: 'csv' } as const;
    await expect(readText(`ProductId\np0\n${blanks}`, csv)).resolves.toStrictEqual([
      [2, { ProductId: 'p0', ProductVariants: [] }],
    ]);
  });

  it.each(BLANKS)('stand within a group as %j', async (blanks) => {
    const csv = { kind: 'orders', format: 'csv' } as const;
    const rows = await readText(`OrderId,OrderItems.Sku\n1,a\n${blanks}\n1,b\n`, csv);
    expect(rows.map(([, record]) => record)).toStrictEqual([
      { OrderId: '1', OrderItems: [{ Sku: 'a' }, { Sku: 'b' }] },
    ]);
  });
});

describe('the values of a CSV record (R-25)', () => {
  it('are bounded in all rows of one identifier together', async () => {
    const columns = Array.from({ length: 900 }, (_, n) => `OrderItems.u${n}`);
    const row = `1,${columns.map(() => 'x').join(',')}`;
    const count = Math.ceil(MAX_FILE_RECORD_VALUES / 901) + 5;
    const lines = [
      `OrderId,${columns.join(',')}`,
      ...Array.from({ length: count }, () => row),
      '2,y'.padEnd(902, ','),
      '',
    ];
    const { rows } = await read(inPieces(lines.join('\n')), { kind: 'orders', format: 'csv' });
    expect(rows).toMatchObject([
      {
        line: 2,
        messages: { '': [`The rows of one OrderId must hold at most ${MAX_FILE_RECORD_VALUES} values together.`] },
      },
      { record: { OrderId: '2' } },
    ]);
  });

  it('are no more texts of one cell than it takes to refuse them', async () => {
    const { rows } = await read(inPieces(`ProductId,Taxonomy\n1,${'|'.repeat(100_000)}\n`), {
      kind: 'products',
      format: 'csv',
    });
    expect(rows).toMatchObject([{ record: { Taxonomy: { length: MAX_TEXTS + 1 } } }]);
  });
});

describe('rows with DeletedAt (R-27)', () => {
  const AT = '2026-01-01T00:00:00Z';

  it('are records of their own, and cut the group of their identifier, which goes on with its own fields', async () => {
    await expect(
      rowsOf(
        'orders',
        'OrderId,Currency,DeletedAt,Sku,OrderItems.Sku',
        '1,EUR,,,a',
        `1,,${AT},b,`,
        `1,,${AT},c,`,
        '1,,,,d',
        '1,,,,e',
        `2,,${AT},,`,
        '1,,,,f',
      ),
    ).resolves.toStrictEqual([
      [2, { OrderId: '1', Currency: 'EUR', OrderItems: [{ Sku: 'a' }] }],
      [3, { OrderId: '1', DeletedAt: AT, Sku: 'b' }],
      [4, { OrderId: '1', DeletedAt: AT, Sku: 'c' }],
      [5, { OrderId: '1', Currency: 'EUR', OrderItems: [{ Sku: 'd' }, { Sku: 'e' }] }],
      [7, { OrderId: '2', DeletedAt: AT }],
      [8, { OrderId: '1', OrderItems: [{ Sku: 'f' }] }],
    ]);
  });

  it('leave nothing for the rows of the identifier that come next where they delete the whole record', async () => {
    await expect(
      rowsOf(
        'orders',
        'OrderId,Email,Currency,DeletedAt,UpdatedAt,OrderItems.Sku',
        `1,ann@x.com,EUR,,${AT},a`,
        `1,,,${AT},,`,
        '1,,USD,,,b',
      ),
    ).resolves.toStrictEqual([
      [2, { OrderId: '1', Email: 'ann@x.com', Currency: 'EUR', UpdatedAt: AT, OrderItems: [{ Sku: 'a' }] }],
      [3, { OrderId: '1', DeletedAt: AT }],
      [4, { OrderId: '1', Currency: 'USD', OrderItems: [{ Sku: 'b' }] }],
    ]);
  });

  it('leave nothing either after a bad row of the identifier', async () => {
    const rows = await rowsOf('orders', 'OrderId,Currency,DeletedAt', '1,EUR,', '1,bad', `1,,${AT}`, '1,,');
    expect(rows.slice(2)).toStrictEqual([
      [4, { OrderId: '1', DeletedAt: AT }],
      [5, { OrderId: '1' }],
    ]);
  });

  it('delete nested elements by a column of theirs, inside their group', async () => {
    await expect(
      rowsOf(
        'products',
        'ProductId,ProductVariants.VariantId,ProductVariants.Sku,ProductVariants.DeletedAt',
        'p,v,s,',
        `p,w,,${AT}`,
      ),
    ).resolves.toStrictEqual([
      [
        2,
        {
          ProductId: 'p',
          ProductVariants: [
            { VariantId: 'v', Sku: 's' },
            { VariantId: 'w', DeletedAt: AT },
          ],
        },
      ],
    ]);
  });

  it.each(['', '  ', '\t'])('are ordinary where the cell is %j, which makes no element either', async (blank) => {
    await expect(
      rowsOf(
        'products',
        'ProductId,DeletedAt,ProductVariants.VariantId,ProductVariants.DeletedAt',
        `p,${blank},v,`,
        `p,,,${blank}`,
      ),
    ).resolves.toStrictEqual([[2, { ProductId: 'p', ProductVariants: [{ VariantId: 'v' }] }]]);
  });

  it('count although the group of their identifier is too large, of which the rest is passed over', async () => {
    const rows = await rowsOf(
      'orders',
      'OrderId,DeletedAt,OrderItems.Sku',
      ...Array.from({ length: MAX_PARTS + 1 }, () => '1,,s'),
      `1,${AT},`,
      '1,,s',
      '2,,s',
    );
    expect(rows.slice(1)).toEqual([
      [MAX_PARTS + 3, { OrderId: '1', DeletedAt: AT }],
      [MAX_PARTS + 5, { OrderId: '2', OrderItems: [{ Sku: 's' }] }],
    ]);
  });
});
