import { sizeAfter } from '../../../shared/domain/values/sized';

const stored = { Size: '500ml', SizeNumeric: 500, SizeMetric: 'ml' };

describe('sizeAfter', () => {
  it('is the size as it was sent, beside what the server reads in it (Spec §2.4, D-20, R-10)', () => {
    expect(sizeAfter(undefined, ' 4x500ml ')).toStrictEqual({ Size: ' 4x500ml ', SizeNumeric: 2, SizeMetric: 'l' });
  });

  it('replaces all three members, so that nothing is left of the former size (D-20, R-10)', () => {
    expect(sizeAfter(stored, 'XL')).toStrictEqual({ Size: 'XL', SizeNumeric: null, SizeMetric: 'XL' });
    expect(sizeAfter(stored, '?')).toStrictEqual({ Size: '?', SizeNumeric: null, SizeMetric: null });
  });

  it('clears all three members for null (D-12, R-10)', () => {
    expect(sizeAfter(stored, null)).toStrictEqual({});
  });

  it('keeps what is stored when no size was sent (D-12)', () => {
    expect(sizeAfter(stored, undefined)).toStrictEqual(stored);
    const unread = { Size: '?', SizeNumeric: null, SizeMetric: null };
    expect(sizeAfter(unread, undefined)).toStrictEqual(unread);
    expect(sizeAfter(undefined, undefined)).toStrictEqual({});
  });

  it('leaves the stored object as it is', () => {
    const before = structuredClone(stored);
    sizeAfter(stored, null);
    sizeAfter(stored, '1l');
    expect(stored).toStrictEqual(before);
  });
});
