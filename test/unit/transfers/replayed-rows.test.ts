import { ReplayedRows } from '../../../shared/transfers/reading/replayed-rows';

describe('the rows that a replay takes (R-14)', () => {
  const at = (line: number, lastLine?: number) => ({ line, ...(lastLine !== undefined && { lastLine }) });

  it('hold one of its lines anywhere', () => {
    const replayed = new ReplayedRows([3, 5, 6, 3]);
    expect(replayed.size).toBe(3);
    expect([at(2), at(3), at(4), at(2, 4), at(4, 9), at(7, 9)].map((row) => replayed.countLines(row))).toEqual([
      0, 1, 0, 1, 2, 0,
    ]);
  });

  it('follow one that holds a line, also when rows before it are asked about again', () => {
    const replayed = new ReplayedRows([5, 8]);
    expect(replayed.follows('ann', at(9))).toBe(false);
    replayed.add('ann', at(5));
    replayed.add('ann', at(8));
    expect([4, 5, 6, 9].map((line) => replayed.follows('ann', at(line)))).toEqual([false, false, true, true]);
    expect(replayed.follows('bob', at(9))).toBe(false);
  });

  it('follow one that an earlier step has replayed', () => {
    const replayed = new ReplayedRows([5], ['ann']);
    expect(replayed.follows('ann', at(6))).toBe(true);
  });
});
