import { withSize } from '../../../shared/domain/sized';

const stored = { Sku: 's', Size: '500ml', SizeNumeric: 500, SizeMetric: 'ml' };

describe('withSize', () => {
  it('stores the size as it was sent, beside what the server reads in it (Spec §2.4, D-20, R-10)', () => {
    expect(withSize({ Sku: 's' }, undefined, ' 4x500ml ')).toStrictEqual({
      Sku: 's',
      Size: ' 4x500ml ',
      SizeNumeric: 2,
      SizeMetric: 'l',
    });
  });

  it('replaces all three members, so that nothing is left of the former size (D-20, R-10)', () => {
    expect(withSize({ Sku: 's' }, stored, 'XL')).toStrictEqual({
      Sku: 's',
      Size: 'XL',
      SizeNumeric: null,
      SizeMetric: 'XL',
    });
    expect(withSize({ Sku: 's' }, stored, '?')).toStrictEqual({
      Sku: 's',
      Size: '?',
      SizeNumeric: null,
      SizeMetric: null,
    });
  });

  it('clears all three members for null (D-12, R-10)', () => {
    expect(withSize({ Sku: 's' }, stored, null)).toStrictEqual({ Sku: 's' });
  });

  it('keeps what is stored when no size was sent (D-12)', () => {
    expect(withSize({ Sku: 's' }, stored, undefined)).toStrictEqual(stored);
    expect(withSize({ Sku: 's' }, { Size: '?', SizeNumeric: null, SizeMetric: null }, undefined)).toStrictEqual({
      Sku: 's',
      Size: '?',
      SizeNumeric: null,
      SizeMetric: null,
    });
    expect(withSize({ Sku: 's' }, undefined, undefined)).toStrictEqual({ Sku: 's' });
  });

  it('leaves the stored object as it is', () => {
    const before = structuredClone(stored);
    withSize({ Sku: 's' }, stored, null);
    withSize({ Sku: 's' }, stored, '1l');
    expect(stored).toStrictEqual(before);
  });
});
