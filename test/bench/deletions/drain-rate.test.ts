import { partTimes } from './drain-rate';

const look = (ms: number, left: number) => ({ ms, left });

describe('partTimes', () => {
  it('gives equal times to what goes evenly, however seldom one looked', () => {
    expect(partTimes([look(100, 40), look(300, 20), look(500, 0)], 4)).toEqual([100, 100, 100, 100]);
  });

  it('shows a part that took longer', () => {
    expect(partTimes([look(0, 40), look(10, 20), look(110, 10), look(120, 0)], 4)).toEqual([5, 5, 100, 10]);
  });

  it('counts a wait before the first ones to them', () => {
    expect(partTimes([look(0, 20), look(50, 20), look(60, 10), look(70, 0)], 2)).toEqual([60, 10]);
  });

  it.each([[[]], [[look(0, 0)]], [[look(0, 20), look(10, 5)]]])(
    'needs something that goes down to nothing',
    (looks) => {
      expect(() => partTimes(looks, 2)).toThrow(RangeError);
    },
  );
});
