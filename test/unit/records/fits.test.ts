import type { DocumentData } from '../../../shared/domain/document';
import { documentBytes } from '../../../shared/domain/document';
import { MAX_RECORD_BYTES } from '../../../shared/domain/limits';
import { requireFits } from '../../../shared/records/fits';
import { errorsOf } from '../support/errors-of';

/** A record of exactly so many bytes, nearly all of them in `Taxonomy`. */
function recordOf(bytes: number) {
  const empty = { ProductId: 'p', Taxonomy: [''], ProductVariants: [] };
  return { ...empty, Taxonomy: ['x'.repeat(bytes - documentBytes(empty))] };
}

const placed = (data: DocumentData, index: number) => ({ data, bytes: documentBytes(data), index });

describe('requireFits', () => {
  it('lets a record of exactly the bound pass (R-04)', () => {
    expect(documentBytes(recordOf(MAX_RECORD_BYTES))).toBe(MAX_RECORD_BYTES);
    expect(() => {
      requireFits([placed(recordOf(MAX_RECORD_BYTES), 0)]);
    }).not.toThrow();
  });

  it('refuses each record that is larger, at its largest field (Spec §7.2, D-22, R-04)', () => {
    const small = placed(recordOf(1000), 0);
    const large = placed(recordOf(MAX_RECORD_BYTES + 1), 3);
    const larger = placed(recordOf(2 * MAX_RECORD_BYTES), 7);
    const message = (bytes: number) =>
      `The field Taxonomy is too large to store: with what is already stored the record would take ${bytes} bytes, ` +
      `and a record holds at most ${MAX_RECORD_BYTES}.`;
    expect(errorsOf(() => { requireFits([small, large, larger]); })).toStrictEqual({
      '[3].Taxonomy': [message(MAX_RECORD_BYTES + 1)],
      '[7].Taxonomy': [message(2 * MAX_RECORD_BYTES)],
    }); // prettier-ignore
  });
});
