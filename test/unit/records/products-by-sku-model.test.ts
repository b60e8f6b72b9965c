/** A batch that is planned as a whole leaves what its elements leave one after the other (D-03, D-07). */
import { expectSameAsNaive } from '../support/upserts-by-sku';

it('leaves and counts what its elements leave one after the other, and lists who holds a Sku in the order of taking it (R-18, R-81)', async () => {
  await expectSameAsNaive(500, { keepsOrder: true, maxVariants: Infinity });
});
