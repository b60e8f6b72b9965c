import { documentBytes } from '../../../shared/domain/records/document';
import { MAX_RECORD_BYTES } from '../../../shared/limits/records';
import { requireFit } from '../../../shared/workspace/size-checks';
import { errorsOf } from '../support/errors-of';

/** A record of exactly so many bytes, nearly all of them in `Taxonomy`. */
function recordOf(bytes: number) {
  const empty = { ProductId: 'p', Taxonomy: [''], ProductVariants: [] };
  return { ...empty, Taxonomy: ['x'.repeat(bytes - documentBytes(empty))] };
}

describe('requireFit', () => {
  it('lets a record of exactly the bound pass, and says how large it is (R-04)', () => {
    expect(requireFit(recordOf(MAX_RECORD_BYTES), 0)).toBe(MAX_RECORD_BYTES);
  });

  it('refuses one that is larger, at its largest field (Spec §7.2, R-04)', () => {
    const message =
      `The field Taxonomy is too large to store: with what is already stored the record would take ${MAX_RECORD_BYTES + 1} bytes, ` +
      `and a record holds at most ${MAX_RECORD_BYTES}.`;
    expect(errorsOf(() => { requireFit(recordOf(MAX_RECORD_BYTES + 1), 3); })).toStrictEqual({
      '[3].Taxonomy': [message],
    }); // prettier-ignore
  });
});
