import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import {
  bucketId, customerIdentities, customerRecordId, isRecordId, itemKey, keyIdentifier, keyIdentity, orderRecordId, productRecordId, skuEntryId, variantKey,
} from '../../../shared/domain/identity'; // prettier-ignore
import type { CustomerIdentifier } from '../../../shared/domain/tenant';
import { inAnyCase, padded } from '../support/white-space';

const PRIORITIES: CustomerIdentifier[] = ['email', 'customerid'];
const identifier = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
const mailbox = fc.stringMatching(/^[a-z0-9.+_-]{1,12}@[a-z0-9-]{1,8}\.[a-z]{2,4}$/);

describe('customerRecordId', () => {
  it('ignores CustomerId while the priority is email and an Email is there (Spec §2.2 rule 2)', () => {
    const both = customerRecordId({ Email: 'a@x.io', CustomerId: '1' }, 'email');
    expect(customerRecordId({ Email: 'a@x.io', CustomerId: '2' }, 'email')).toBe(both);
    expect(customerRecordId({ Email: 'a@x.io' }, 'email')).toBe(both);
    expect(customerRecordId({ Email: 'b@x.io', CustomerId: '1' }, 'email')).not.toBe(both);
  });

  it('ignores Email while the priority is customerid and a CustomerId is there (Spec §2.2 rule 2)', () => {
    const both = customerRecordId({ Email: 'a@x.io', CustomerId: '1' }, 'customerid');
    expect(customerRecordId({ Email: 'b@x.io', CustomerId: '1' }, 'customerid')).toBe(both);
    expect(customerRecordId({ CustomerId: '1' }, 'customerid')).toBe(both);
    expect(customerRecordId({ Email: 'a@x.io', CustomerId: '2' }, 'customerid')).not.toBe(both);
  });

  it('finds one mailbox in every spelling of its case and white space (D-01)', () => {
    const spellings = mailbox.chain((email) => fc.tuple(fc.constant(email), padded(inAnyCase(email))));
    fc.assert(
      fc.property(spellings, fc.constantFrom(...PRIORITIES), ([email, spelling], priority) => {
        expect(customerRecordId({ Email: spelling }, priority)).toBe(customerRecordId({ Email: email }, priority));
      }),
    );
  });

  it('finds one CustomerId with any white space around it, and tells letter cases apart (D-01)', () => {
    fc.assert(
      fc.property(padded(identifier), fc.constantFrom(...PRIORITIES), (id, priority) => {
        expect(customerRecordId({ CustomerId: id }, priority)).toBe(
          customerRecordId({ CustomerId: id.trim() }, priority),
        );
      }),
    );
    for (const priority of PRIORITIES) {
      expect(customerRecordId({ CustomerId: 'ab' }, priority)).not.toBe(
        customerRecordId({ CustomerId: 'AB' }, priority),
      );
    }
  });

  it('gives different identifiers different records (D-01)', () => {
    fc.assert(
      fc.property(identifier, identifier, fc.constantFrom(...PRIORITIES), (a, b, priority) => {
        fc.pre(a.trim() !== b.trim());
        expect(customerRecordId({ CustomerId: a }, priority)).not.toBe(customerRecordId({ CustomerId: b }, priority));
        fc.pre(a.trim().toLowerCase() !== b.trim().toLowerCase());
        expect(customerRecordId({ Email: a }, priority)).not.toBe(customerRecordId({ Email: b }, priority));
      }),
    );
  });

  it.each([
    ['email', { CustomerId: 'a@x.io' }, { Email: 'a@x.io' }],
    ['email', { CustomerId: '1' }, { Email: 'a@x.io', CustomerId: '1' }],
    ['customerid', { Email: 'a@x.io' }, { CustomerId: 'a@x.io' }],
    ['customerid', { Email: 'a@x.io' }, { Email: 'a@x.io', CustomerId: '1' }],
  ] as const)('under the priority %s never lets %j meet the customer %j (D-02)', (priority, lacking, having) => {
    expect(customerRecordId(lacking, priority)).not.toBe(customerRecordId(having, priority));
  });

  it.each(['', ' ', '\u00a0\u3000', null, undefined])(
    'keys a customer whose priority identifier is %j by the other one, so that a retry updates it (D-02)',
    (missing) => {
      expect(customerRecordId({ Email: missing, CustomerId: '1' }, 'email')).toBe(customerRecordId({ CustomerId: '1' }, 'email'));
      expect(customerRecordId({ Email: 'a@x.io', CustomerId: missing }, 'customerid')).toBe(
        customerRecordId({ Email: 'A@x.io ' }, 'customerid'),
      );
    },
  ); // prettier-ignore

  it('refuses a customer without an identifier, whom validation lets never through (Spec §2.2 rule 1)', () => {
    for (const priority of PRIORITIES) {
      expect(() => customerRecordId({}, priority)).toThrow('A customer needs an Email or a CustomerId.');
      expect(() => customerRecordId({ Email: ' ', CustomerId: null }, priority)).toThrow(Error);
    }
  });
});

describe('record ids', () => {
  it.each(['', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}/`, `${'x'.repeat(43)}\n`, 43, null])(
    'are never %j',
    (value) => {
      expect(isRecordId(value)).toBe(false);
    },
  );

  it('have a form that is known again', () => {
    expect(isRecordId(orderRecordId('1'))).toBe(true);
  });

  it.each(['a/b', '.', '..', '__a__', '__proto__', 'a\0b', '👩‍👩‍👧'.repeat(9), 'x'.repeat(1500), ' '])(
    'are valid document ids without the identifier in them: %j (D-01)',
    (id) => {
      for (const recordId of [productRecordId(id), orderRecordId(id), skuEntryId(id)]) {
        expect(recordId).toMatch(/^[A-Za-z0-9_-]{43}$/);
      }
    },
  );

  it('differ between the kinds of record (D-01)', () => {
    const ids = [
      productRecordId('1'), orderRecordId('1'), skuEntryId('1'),
      ...PRIORITIES.flatMap((priority) => [customerRecordId({ Email: '1' }, priority), customerRecordId({ CustomerId: '1' }, priority)]),
    ]; // prettier-ignore
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ['ProductId', productRecordId],
    ['OrderId', orderRecordId],
    ['Sku', skuEntryId],
  ])('trim the %s and otherwise tell every two of them apart (D-01, D-03)', (_, idOf) => {
    fc.assert(
      fc.property(padded(identifier), identifier, (a, b) => {
        expect(idOf(a)).toBe(idOf(a.trim()));
        expect(idOf(a) === idOf(b)).toBe(a.trim() === b.trim());
      }),
    );
    expect(idOf('ab')).not.toBe(idOf('AB'));
  });
});

describe('the names of what is stored', () => {
  const named = (space: string, value: string) => createHash('sha256').update(`${space}\0${value}`).digest('base64url');
  const email = named('identities/email', 'a@x.io');
  const id = named('identities/customerid', '1');

  it.each([
    ['customers/email', 'a@x.io', () => customerRecordId({ Email: ' A@x.io' }, 'email')],
    ['customers/customerid-only', '1', () => customerRecordId({ CustomerId: ' 1' }, 'email')],
    ['customers/customerid', '1', () => customerRecordId({ CustomerId: ' 1' }, 'customerid')],
    ['customers/email-only', 'a@x.io', () => customerRecordId({ Email: ' A@x.io' }, 'customerid')],
    ['products', 'p', () => productRecordId(' p')],
    ['orders', 'o', () => orderRecordId(' o')],
    ['skus', 's', () => skuEntryId(' s')],
    ['buckets', 'acme-data', () => bucketId('acme-data')],
  ])('never change, or nothing would be found again: %s of %s', (space, value, idOf) => {
    expect(idOf()).toBe(named(space, value));
  });

  it.each([
    [{ Email: ' A@x.io', CustomerId: ' 1' }, [email, id]],
    [{ Email: 'a@x.io', CustomerId: ' ' }, [email]],
    [{ Email: null, CustomerId: '1' }, [id]],
    [{}, []],
  ])('are for the identities of %j those of its e-mail and its customer id', (customer, identities) => {
    expect(customerIdentities(customer)).toStrictEqual(identities);
  });

  it.each([
    ['email', { Email: 'a@x.io', CustomerId: '1' }, [email]],
    ['email', { Email: ' ', CustomerId: '1' }, [id]],
    ['customerid', { Email: 'a@x.io', CustomerId: '1' }, [id]],
    ['customerid', { Email: 'a@x.io', CustomerId: null }, [email]],
  ] as const)('are under the priority %s for the key of %j', (priority, customer, identities) => {
    expect(keyIdentity(customer, priority)).toStrictEqual(identities);
  });
});

describe('keyIdentifier', () => {
  it.each([
    ['email', { Email: 'a@x.io', CustomerId: '1' }, 'email'],
    ['email', { Email: ' ', CustomerId: '1' }, 'customerid'],
    ['customerid', { Email: 'a@x.io', CustomerId: '1' }, 'customerid'],
    ['customerid', { Email: 'a@x.io', CustomerId: null }, 'email'],
  ] as const)('is under the priority %s for %j the %s (D-02)', (priority, customer, expected) => {
    expect(keyIdentifier(customer, priority)).toBe(expected);
  });
});

describe('variantKey', () => {
  const variant = { VariantId: ' v1 ', Sku: ' s1 ' };

  it('is the VariantId under productid (D-04)', () => {
    expect(variantKey(variant, 'productid')).toBe('v1');
  });

  it('is the Sku under sku (D-04)', () => {
    expect(variantKey(variant, 'sku')).toBe('s1');
  });
});

describe('itemKey', () => {
  it('is the pair of ProductId and Sku, each trimmed (D-05)', () => {
    fc.assert(
      fc.property(
        padded(identifier),
        padded(identifier),
        identifier,
        identifier,
        (productId, sku, otherId, otherSku) => {
          const key = itemKey({ ProductId: productId, Sku: sku });
          expect(key).toBe(itemKey({ ProductId: productId.trim(), Sku: sku.trim() }));
          const isSame = productId.trim() === otherId.trim() && sku.trim() === otherSku.trim();
          expect(key === itemKey({ ProductId: otherId, Sku: otherSku })).toBe(isSame);
        },
      ),
    );
  });

  it.each([
    [
      ['a', 'bc'],
      ['ab', 'c'],
    ],
    [
      ['a","b', 'c'],
      ['a', 'b","c'],
    ],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [
      ['a\\', 'b'],
      ['a', '\\b'],
    ],
  ])('never takes the pair %j for %j (D-05)', ([a, b], [c, d]) => {
    expect(itemKey({ ProductId: a!, Sku: b! })).not.toBe(itemKey({ ProductId: c!, Sku: d! }));
  });
});
