import type { Sized } from '../../../shared/domain/sized';
import { applySize } from '../../../shared/domain/sized';

const stored = { Sku: 's', Size: '500ml', SizeNumeric: 500, SizeMetric: 'ml' };

describe('applySize', () => {
  it('stores the size as it was sent, beside what the server reads in it (Spec §2.4, D-20)', () => {
    expect(applySize<Sized & { Sku: string }>({ Sku: 's' }, ' 4x500ml ')).toStrictEqual({
      Sku: 's',
      Size: ' 4x500ml ',
      SizeNumeric: 2,
      SizeMetric: 'l',
    });
  });

  it('replaces all three members, so that nothing is left of the former size (D-20)', () => {
    expect(applySize(stored, 'XL')).toStrictEqual({ Sku: 's', Size: 'XL', SizeNumeric: null, SizeMetric: 'XL' });
    expect(applySize(stored, '?')).toStrictEqual({ Sku: 's', Size: '?', SizeNumeric: null, SizeMetric: null });
  });

  it('clears all three members for null (D-12)', () => {
    expect(applySize(stored, null)).toStrictEqual({ Sku: 's' });
  });

  it('changes nothing when no size was sent (D-12)', () => {
    expect(applySize(stored, undefined)).toStrictEqual(stored);
  });

  it('leaves the stored object as it is', () => {
    const before = structuredClone(stored);
    applySize(stored, null);
    applySize(stored, '1l');
    expect(stored).toStrictEqual(before);
  });
});
