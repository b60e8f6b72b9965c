/** A row is taken apart as a parser for all kinds of CSV does it; what no record can hold is not looked at again. */
import * as fc from 'fast-check';
import Papa from 'papaparse';
import { MAX_CSV_UNQUOTED_LENGTH } from '../../../shared/limits/transfers';
import { parseCsvRow } from '../../../shared/files/csv/csv-row';

const text = fc.string({ unit: fc.constantFrom('"', ',', 'x', 'ä', '🍵', ' ', '\n', '\r'), maxLength: 8 });
const quoted = text.map((cell) => `"${cell.replaceAll('"', '""')}"`);
const bare = fc.string({ unit: fc.constantFrom('x', 'ä', '🍵', ' ', ';'), maxLength: 8 });
const row = fc.array(fc.oneof(quoted, bare), { minLength: 1, maxLength: 6 }).map((cells) => cells.join(','));

it('gives the cells that a general parser gives', () => {
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n' });
  fc.assert(
    fc.property(row.filter(Boolean), (line) => {
      const { data } = parser.parse(line, 0, false) as { data: readonly (readonly string[])[] };
      expect(parseCsvRow(line, ',')).toEqual(data[0]);
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  ['', ['']],
  [',', ['', '']],
  ['a,"b ""c"", d",', ['a', 'b "c", d', '']],
  ['"""",""', ['"', '']],
])('takes %j apart', (line, cells) => {
  expect(parseCsvRow(line, ',')).toEqual(cells);
});

it('halves the marks of a cell as long as any record, and leaves a longer one too long for all fields (R-43)', () => {
  const most = MAX_CSV_UNQUOTED_LENGTH;
  expect(parseCsvRow(`"${'""'.repeat(most / 2)}"`, ',')).toEqual(['"'.repeat(most / 2)]);
  expect(parseCsvRow(`"${'""'.repeat(most / 2)}x",y`, ',').map(({ length }) => length)).toEqual([most + 1, 1]);
});
