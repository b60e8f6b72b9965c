import * as fc from 'fast-check';
import type { DeletionTarget } from '../../../shared/domain/deletion';
import {
  customerLookups,
  deletionIdRange,
  parseDeletionId,
  toDeletionId,
  toMatchable,
} from '../../../shared/domain/deletion';
import type { RecordId } from '../../../shared/domain/identity';
import { productRecordId, RECORD_KINDS } from '../../../shared/domain/identity';
import { compileBatchValidator } from '../../../shared/validation/batch';
import { customerBatch } from '../../../shared/validation/customer-batch';
import { aTenant } from '../support/tenant';

const both = { customerId: '1', email: 'a@x.io' };
const byEmail = { by: 'email', value: 'a@x.io' };
const byId = { by: 'customerid', value: '1' };

describe('customerLookups', () => {
  it.each([
    ['email', both, [byEmail, byId]],
    ['customerid', both, [byId, byEmail]],
    ['email', { customerId: '1', email: null }, [byId]],
    ['customerid', { customerId: '1', email: null }, [byId]],
    ['email', { customerId: null, email: 'a@x.io' }, [byEmail]],
    ['customerid', { customerId: null, email: 'a@x.io' }, [byEmail]],
  ] as const)('under the priority %s tries %j in the order %j (D-43)', (priority, target, expected) => {
    expect(customerLookups(target, priority)).toStrictEqual(expected);
  });
});

describe('toMatchable', () => {
  const customer = (customerId: string | null, email: string | null): DeletionTarget => ({
    type: 'customer',
    customerId,
    email,
  });
  const item = (orderId: string, productId: string | null, sku: string | null): DeletionTarget => ({
    type: 'orderItem',
    orderId,
    productId,
    sku,
  });

  it('keeps ids in their matching form: trimmed, e-mails in lower case (D-01)', () => {
    expect(toMatchable(customer(' C-1 ', ' Ann@X.com '))).toEqual(customer('C-1', 'ann@x.com'));
    expect(toMatchable(item(' O ', '\u3000p', 's\n'))).toEqual(item('O', 'p', 's'));
  });

  it.each<[target: DeletionTarget, matchable: DeletionTarget]>([
    [
      { type: 'product', productId: ' p ' },
      { type: 'product', productId: 'p' },
    ],
    [
      { type: 'variant', productId: 'p\n', variantId: ' V' },
      { type: 'variant', productId: 'p', variantId: 'V' },
    ],
    [
      { type: 'order', orderId: ' O' },
      { type: 'order', orderId: 'O' },
    ],
  ])('keeps what is deleted: %j is %j (D-01)', (target, matchable) => {
    expect(toMatchable(target)).toEqual(matchable);
  });

  it.each<[what: string, target: DeletionTarget]>([
    ['a customer id', customer('c'.repeat(101), null)],
    ['a customer id of 2,000 characters', customer('c'.repeat(2_000), null)],
    ['an e-mail', customer(null, `${'a'.repeat(510)}@x.com`)],
    ['both', customer('c'.repeat(101), `${'a'.repeat(510)}@x.com`)],
    ['a product', { type: 'product', productId: 'p'.repeat(101) }],
    ['the product of a variant', { type: 'variant', productId: 'p'.repeat(101), variantId: 'v' }],
    ['a variant', { type: 'variant', productId: 'p', variantId: 'v'.repeat(101) }],
    ['an order', { type: 'order', orderId: 'o'.repeat(101) }],
    ['the order of an item', item('o'.repeat(101), 'p', 's')],
    ['the product of an item', item('o', 'p'.repeat(101), null)],
    ['the sku of an item', item('o', null, 's'.repeat(51))],
    ['characters outside the basic plane', customer('😀'.repeat(101), null)],
    ['blanks', customer(' \u00a0\n', null)],
  ])('says that nothing can match where no record has ids so long (R-32): %s', (_, target) => {
    expect(toMatchable(target)).toBeUndefined();
  });

  it.each<[what: string, target: DeletionTarget]>([
    ['100 characters', customer('c'.repeat(100), null)],
    ['100 characters of two UTF-16 units', customer('😀'.repeat(100), null)],
    ['100 characters of an id with 5,000 blanks around', customer(`${' '.repeat(5_000)}${'c'.repeat(100)} `, null)],
    ['an e-mail that is longer in lower case', customer(null, 'İ'.repeat(255))],
    ['NUL, dots and underscores', { type: 'product', productId: '\u0000__.__/..' }],
    ['an item', item('o'.repeat(100), 'p'.repeat(100), 's'.repeat(50))],
  ])('lets through what a record can have: %s', (_, target) => {
    expect(toMatchable(target)).toBeDefined();
  });

  it('leaves out the one id that matches nothing, which means the same (D-43, D-44)', () => {
    expect(toMatchable(customer('c'.repeat(101), 'a@x.io'))).toEqual(customer(null, 'a@x.io'));
    expect(toMatchable(customer('c', 'a'.repeat(600)))).toEqual(customer('c', null));
    expect(toMatchable(item('o', 'p'.repeat(101), 's'))).toEqual(item('o', null, 's'));
    expect(toMatchable(item('o', 'p', 's'.repeat(51)))).toEqual(item('o', 'p', null));
  });

  it('takes every id that validation lets into a record (Spec §2.2 to §2.6)', () => {
    const long = fc.string({ unit: fc.constantFrom('a', 'é', '😀', 'İ', 'ß', 'Ǆ', ' ', '\u0000'), minLength: 90, maxLength: 256 }); // prettier-ignore
    const validate = compileBatchValidator(customerBatch);
    fc.assert(
      fc.property(long, long, (id, name) => {
        const sent = { CustomerId: id.trim() === '' ? 'c' : id, Email: `${name.replaceAll(' ', '')}@x` };
        const isStored = isAccepted(() => validate([sent], aTenant()));
        const deletions = [customer(sent.CustomerId, null), customer(null, sent.Email), customer(null, sent.Email.toLowerCase())]; // prettier-ignore
        expect(!isStored || deletions.every((target) => toMatchable(target) !== undefined)).toBe(true);
      }),
      { numRuns: 2_000, seed: 20_260_301 },
    );
  });

  it('knows that no character becomes more than two in lower case', () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (Array.from(String.fromCodePoint(code).toLowerCase()).length > 2) throw new Error(`U+${code.toString(16)}`);
    }
  });
});

describe('ids of deletions', () => {
  const id = productRecordId('p');

  it('tell the kind and the identity', () => {
    for (const kind of RECORD_KINDS) expect(parseDeletionId(toDeletionId(kind, id))).toEqual({ kind, id });
  });

  it('are between the ends of their kind, and of no other one', () => {
    const ids = RECORD_KINDS.flatMap((kind) =>
      ['0', '-', '_', 'z'].map((end) => toDeletionId(kind, `${end}${id.slice(1)}` as RecordId)),
    );
    for (const kind of RECORD_KINDS) {
      const { start, end } = deletionIdRange(kind);
      expect(ids.filter((each) => each > start && each < end)).toEqual(
        ids.filter((each) => each.startsWith(`${kind}-`)),
      );
    }
  });

  it.each(['', id, `orders-1`, `shoes-${id}`, `orders-${id}/x`, `orders-${id}x`])('are no other texts: %s', (text) => {
    expect(parseDeletionId(text)).toBeUndefined();
  });
});

function isAccepted(validate: () => unknown): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}
