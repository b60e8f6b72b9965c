/** Rows as they stand in a file: read by the decoders of transfers, kept byte by byte. */
import type { SourceRow } from '../../../client/src/command/input/source-rows';
import { readSource } from '../../../client/src/command/input/source-rows';
import type { FileFormat } from '../../../shared/files/file-kind';
import { skipBytes } from '../../../shared/files/packing/inflate';
import type { Checkpoint } from '../../../shared/files/row';
import { inPieces } from '../../unit/files/reading';

async function rowsOf(content: string | Buffer, format: FileFormat, from?: Checkpoint, size = 7): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  const options = { kind: 'orders', format, from, groupsRows: true } as const;
  const bytes = skipBytes(inPieces(content, size), from?.offset ?? 0);
  for await (const row of readSource(bytes, options)) rows.push(row);
  return rows;
}

const textOf = ({ lines }: SourceRow) => lines.map(String);

const CSV = [
  'OrderId,Currency,OrderItems.ProductId',
  '1,EUR,"a, ""b"',
  '',
  '1,,"two',
  'lines"',
  '2,EUR,x,too many',
  '3,EUR,',
  '',
].join('\r\n');

it.each([1, 7, 1_000])('keeps the lines of each CSV record, in pieces of %d bytes', async (size) => {
  const rows = await rowsOf(CSV, 'csv', undefined, size);
  expect(rows.map((row) => [row.line, textOf(row)])).toEqual([
    [2, ['1,EUR,"a, ""b"', '1,,"two\r\nlines"']],
    [6, ['2,EUR,x,too many']],
    [7, ['3,EUR,']],
  ]);
  expect(rows.map(({ messages }) => messages !== undefined)).toEqual([false, true, false]);
});

it('keeps elements of a JSON array, and lines of NDJSON that are no JSON', async () => {
  const array = await rowsOf('[ {"OrderId":\n"1"} , {no} ,{"OrderId":"2"}]', 'json');
  expect(array.map(textOf)).toEqual(
    [['{"OrderId":\n"1"} '], [' {no} '], ['{"OrderId":"2"}']].map((lines) =>
      lines.map((line) => expect.stringContaining(line.trim()) as string),
    ),
  );
  const lines = await rowsOf('{no}\n\n{"OrderId":"1"}\n', 'ndjson');
  expect(lines.map((row) => [row.line, textOf(row)])).toEqual([
    [1, ['{no}']],
    [3, ['{"OrderId":"1"}']],
  ]);
});

it('reads on after every row as if it had not stopped', async () => {
  const all = await rowsOf(CSV, 'csv');
  for (const [index, { checkpoint }] of all.entries()) {
    expect(await rowsOf(CSV, 'csv', JSON.parse(JSON.stringify(checkpoint)) as Checkpoint)).toEqual(
      all.slice(index + 1),
    );
  }
});

it('gives the rows that a refused record skips as its continuation: none is lost', async () => {
  const items = Array.from({ length: 20_010 }, (_, i) => `1,EUR,p${i}`);
  const rows = await rowsOf(
    `OrderId,Currency,OrderItems.ProductId\n${items.join('\n')}\n2,EUR,x\n`,
    'csv',
    undefined,
    4_096,
  );
  expect(rows.flatMap(textOf)).toEqual([...items, '2,EUR,x']);
  const [refused, ...others] = rows;
  expect(refused).toMatchObject({ line: 2, isContinuation: false, messages: { '': [expect.any(String)] } });
  expect(others.slice(0, -1).every(({ isContinuation }) => isContinuation)).toBe(true);
  expect(others.at(-1)).toMatchObject({ line: 20_012, isContinuation: false, record: { OrderId: '2' } });
});
