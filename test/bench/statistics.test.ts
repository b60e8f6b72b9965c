import { median, pairedRatios, percentile } from './statistics';

describe('median', () => {
  it('is the middle value, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([7])).toBe(7);
  });

  it('is the mean of the two in the middle of an even number', () => {
    expect(median([1, 10, 2, 4])).toBe(3);
  });

  it('does not follow an outlier', () => {
    expect(median([1, 1, 1, 1_000])).toBe(1);
  });

  it('refuses nothing at all', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('is the value of the nearest rank', () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile([3, 4], 0.01)).toBe(3);
  });

  it('refuses nothing at all', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });
});

describe('pairedRatios', () => {
  it('is the median of the quotients, not the quotient of the medians', () => {
    expect(pairedRatios([2, 20, 90], [1, 10, 30])).toEqual({ median: 2, min: 2, max: 3, rounds: 3 });
    expect(pairedRatios([1, 100, 3], [1, 50, 1])).toEqual({ median: 2, min: 1, max: 3, rounds: 3 });
  });

  it('refuses a measurement without its partner', () => {
    expect(() => pairedRatios([1, 2], [1])).toThrow(RangeError);
  });
});
