/** A decoder or boundary that loses something must not end in a finished file. */
import type { RecordEnd } from '../../../shared/files/boundaries/boundary';
import { LineAccount } from '../../../shared/files/line-account';
import { LineBoundary } from '../../../shared/files/boundaries/line-boundary';
import { RecordSplitter } from '../../../shared/files/record-splitter';
import type { DecodedRecord } from '../../../shared/files/row';

const at = (line: number): DecodedRecord['checkpoint'] => ({ offset: 0, line, form: { of: 'lines' } });
const row = (line: number, lastLine = line): DecodedRecord => ({
  row: { line, lastLine, record: { Name: 0 } },
  checkpoint: at(lastLine + 1),
});

describe('the lines of a file (R-26)', () => {
  it.each<[string, DecodedRecord[], number, number]>([
    ['are all rows', [row(1), row(2, 4)], 5, 0],
    ['are a header, of which the decoder says that it is no row, and rows', [{ checkpoint: at(2) }, row(2)], 3, 0],
    ['are rows and blank lines between and after them', [row(1), row(4)], 6, 3],
  ])('add up when they %s', (_, decoded, nextLine, blankLines) => {
    const account = new LineAccount({ line: 1 });
    expect(account.addDecoded(decoded)).toBe(decoded);
    expect(() => account.requireComplete({ nextLine, blankLines })).not.toThrow();
  });

  it.each<[string, DecodedRecord[]]>([
    ['between rows', [row(1), row(3)]],
    ['at the end', [row(1), row(2)]],
    ['altogether', []],
  ])('that are lost %s fail the file', (_, decoded) => {
    const account = new LineAccount({ line: 1 });
    account.addDecoded(decoded);
    expect(() => account.requireComplete({ nextLine: 4, blankLines: 0 })).toThrow(
      'Number of lines that were not read: ',
    );
  });
});

it('bytes that a boundary passes over in silence fail the file (R-26)', () => {
  class LosingBoundary extends LineBoundary {
    override findEnd(bytes: Buffer, from: number): RecordEnd | undefined {
      const end = super.findEnd(bytes, from);
      return end && { ...end, nextIndex: end.nextIndex + 1 };
    }
  }
  const splitter = new RecordSplitter(new LosingBoundary(), { offset: 0, line: 1 });
  expect([...splitter.split(Buffer.from('a\nbc\nd'))].map(({ bytes }) => bytes?.toString())).toEqual(['a', 'c']);
  expect(() => [...splitter.end()]).toThrow("Only 4 of the file's 6 bytes were read.");
});
