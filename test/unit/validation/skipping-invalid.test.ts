/** Batches of which the valid elements are taken, and the invalid ones named. */
import { MAX_REJECTED_ELEMENTS, MAX_REJECTED_MESSAGES } from '../../../shared/domain/limits';
import { ValidationFailed } from '../../../shared/validation/validation-failed';
import type { Kind } from '../support/batches';
import { ITEM, KINDS, tenant } from '../support/batches';
import { aTenant } from '../support/tenant';

const skipping = (kind: Kind, batch: unknown, of = tenant) => KINDS[kind].validate.skippingInvalid(batch, of);
const times = <T>(count: number, item: T) => Array.from({ length: count }, () => item);
const VALID = { OrderId: 'o', Currency: 'USD' };
const NO_CURRENCY = { Currency: ['The Currency field is required.'] };

it('keeps the valid elements in their order, with their places among all, and says what is wrong with the others (R-66)', async () => {
  const batch = [{ OrderId: 'x' }, VALID, null, { ...VALID, Extra: 1 }, { OrderId: 'y', Other: 1 }];
  await expect(skipping('orders', batch)).resolves.toStrictEqual({
    records: [batch[1], batch[3]],
    indexes: [1, 3],
    rejected: {
      count: 3,
      first: [
        { index: 0, errors: NO_CURRENCY },
        { index: 2, errors: { '': ['The element must be an object.'] } },
        { index: 4, errors: NO_CURRENCY },
      ],
    },
    ignoredFields: ['Extra', 'Other'],
  });
});

it('says a rule about a whole element, and what its tenant requires, without an index (R-66)', async () => {
  const strict = aTenant({ requiredFields: ['Phone'] });
  const { rejected } = await skipping('customers', [{ Phone: '1' }, { Email: 'a@x.io' }, { Email: 'a@x.io', Phone: '1' }], strict);
  expect(rejected.first).toStrictEqual([
    { index: 0, errors: { '': ['At least one of CustomerId, Email must have a value.'] } },
    { index: 1, errors: { Phone: ['The Phone field is required.'] } },
  ]);
}); // prettier-ignore

it.each([[[]], [[VALID]], [[VALID, VALID]]])('rejects nothing where all are valid: %j', async (batch) => {
  const { records, indexes, rejected } = await skipping('orders', batch);
  expect({ records, indexes, rejected }).toStrictEqual({
    records: batch,
    indexes: [...batch.keys()],
    rejected: { count: 0, first: [] },
  });
});

it('names a bounded number of elements, and goes on telling the valid ones from the others (R-66)', async () => {
  const most = MAX_REJECTED_ELEMENTS;
  const batch = [...times(most, { OrderId: 'x' }), VALID, {}, VALID, null, VALID];
  const { records, indexes, rejected } = await skipping('orders', batch);
  expect(records).toStrictEqual([VALID, VALID, VALID]);
  expect(indexes).toStrictEqual([most, most + 2, most + 4]);
  expect(rejected.count).toBe(most + 2);
  expect(rejected.first.map(({ index }) => index)).toStrictEqual([...Array(most).keys()]);
});

it('lists a bounded number of messages of an element, and says how many more there are (R-66)', async () => {
  const [item, messages] = [{ ...ITEM, Quantity: 'x', Price: 'x' }, MAX_REJECTED_MESSAGES];
  const orders = [messages / 2, messages / 2 + 1].map((length) => ({ ...VALID, OrderItems: times(length, item) }));
  const { rejected } = await skipping('orders', [...orders, VALID]);
  expect(rejected.first.map(({ errors }) => Object.values(errors).flat().length)).toStrictEqual([messages, messages]);
  expect(rejected.first.map(({ omittedErrors }) => omittedErrors)).toStrictEqual([undefined, 2]);
});

it('refuses a batch in which nothing is valid as it is refused without skipping, by indexes (R-66)', async () => {
  await expect(skipping('orders', [{ OrderId: 'x' }, { OrderId: 'y', Other: 1 }])).rejects.toMatchObject({
    constructor: ValidationFailed,
    errors: { '[0].Currency': NO_CURRENCY.Currency, '[1].Currency': NO_CURRENCY.Currency },
    details: { ignoredFields: ['Other'] },
  });
  await expect(skipping('orders', {})).rejects.toMatchObject({ errors: { '': ['The request body must be a JSON array.'] } });
  await expect(skipping('orders', times(KINDS.orders.max + 1, VALID))).rejects.toThrow(ValidationFailed);
}); // prettier-ignore
