/** `onInvalid=skip`: valid elements of a batch are done, invalid ones are named. */
import { MAX_REJECTED_ELEMENTS, MAX_REJECTED_MESSAGES } from '../../shared/domain/limits';
import type { RecordKind } from '../../shared/domain/identity';
import { MAX_RECORD_BYTES } from '../../shared/limits/records';
import type { Caller } from '../support/test-service';
import { useTestService } from '../support/test-service';
import { expectAnswer, expectProblem, NOW } from './api';

const service = useTestService('customers', 'products', 'orders');

const post = ({ tenantId, key }: Caller, to: RecordKind, json: unknown, rest = '?onInvalid=skip') =>
  service().request('POST', `/${to}/${tenantId}${rest}`, { key, json });
const NO_ADDRESS = 'The field Email must be an e-mail address.';
const EMAIL = { Email: 'ada@example.com' };

describe('POST with onInvalid=skip', () => {
  it.each<[kind: RecordKind, valid: object, invalid: object, errors: object, message: string]>([
    ['customers', EMAIL, { Email: 'ada' }, { Email: [NO_ADDRESS] }, 'Customers saved.'],
    [
      'products',
      { ProductId: 'P-1', ProductVariants: [] },
      { ProductId: 'P-2', ProductVariants: [{ VariantId: 'V-1' }] },
      { 'ProductVariants[0].Sku': ['The Sku field is required.'] },
      'Products saved.',
    ],
    [
      'orders',
      { OrderId: 'O-1', Currency: 'EUR' },
      { OrderId: 'O-2' },
      { Currency: ['The Currency field is required.'] },
      'Orders saved.',
    ],
  ])('of %s stores the valid elements and names the others by their index (R-66)', async (kind, ...row) => {
    const [valid, invalid, errors, message] = row;
    const caller = await service().createCaller();
    const answer = await post(caller, kind, [invalid, valid, invalid]);
    const rejected = [0, 2].map((index) => ({ index, errors }));
    const data = { count: 1, created: 1, updated: 0, processedAt: NOW, rejectedCount: 2, rejected };
    expectAnswer(answer, 200, { success: true, message, data });
    expect(await service().records(caller.tenantId, kind)).toHaveLength(1);
  });

  it.each<[kind: RecordKind, valid: object, invalid: object, errors: object, message: string]>([
    ['customers', EMAIL, {}, { '': ['At least one of CustomerId, Email must have a value.'] }, 'Customers removed.'],
    ['products', { ProductId: 'P-1' }, {}, { ProductId: ['The ProductId field is required.'] }, 'Products removed.'],
    ['orders', { OrderId: 'O-1' }, {}, { OrderId: ['The OrderId field is required.'] }, 'Orders removed.'],
  ])('of deletions of %s does the valid ones (R-66)', async (kind, valid, invalid, errors, message) => {
    const answer = await post(await service().createCaller(), kind, [valid, invalid], '/deletions?onInvalid=skip');
    const data = { count: 1, deletedAt: NOW, rejectedCount: 1, rejected: [{ index: 1, errors }] };
    expectAnswer(answer, 200, { success: true, message, data });
  });

  it('says that nothing was rejected, and names ignored fields of all elements', async () => {
    const caller = await service().createCaller();
    const valid = { count: 1, created: 1, updated: 0, processedAt: NOW, rejectedCount: 0, rejected: [] };
    expectAnswer(await post(caller, 'customers', [EMAIL]), 200, {
      success: true,
      message: 'Customers saved.',
      data: valid,
    });
    const answer = await post(caller, 'customers', [EMAIL, { email: 'x' }]);
    expect(answer.json).toMatchObject({ data: { ignoredFields: ['email'], rejectedCount: 1 } });
  });

  it('lists a bounded number of elements and messages, and counts all (R-66)', async () => {
    const item = () => ({ ProductId: 1, Sku: 1, Quantity: 'x', Price: 'x' });
    const order = (n: number) => ({ OrderId: `O-${n}`, Currency: 'EUR', OrderItems: Array.from({ length: 9 }, item) });
    const orders = Array.from({ length: MAX_REJECTED_ELEMENTS + 50 }, (_, n) => order(n));
    const answer = await post(await service().createCaller(), 'orders', [...orders, { OrderId: 'O', Currency: 'EUR' }]);
    const { count, rejectedCount, rejected } = (answer.json as { data: Record<string, unknown> }).data;
    expect({ count, rejectedCount }).toEqual({ count: 1, rejectedCount: MAX_REJECTED_ELEMENTS + 50 });
    const listed = rejected as { errors: Record<string, string[]>; omittedErrors: number }[];
    expect(listed).toHaveLength(MAX_REJECTED_ELEMENTS);
    const messages = Object.values(listed[0]!.errors).flat();
    expect(messages).toHaveLength(MAX_REJECTED_MESSAGES);
    expect(listed[0]!.omittedErrors).toBe(9 * 4 - MAX_REJECTED_MESSAGES);
  });

  it('leaves out an element that does not fit into its stored record, and stores the rest (R-66)', async () => {
    const caller = await service().createCaller();
    const large = (Sku: string) => ({
      OrderId: 'large',
      Currency: 'EUR',
      OrderItems: [{ ProductId: 'p', Sku, Quantity: 1, Price: 1, Brand: 'x'.repeat(0.6 * MAX_RECORD_BYTES) }],
    });
    expect((await post(caller, 'orders', [large('a')])).status).toBe(200);
    const answer = await post(caller, 'orders', [
      { OrderId: 'bad' },
      large('b'),
      { OrderId: 'small', Currency: 'EUR' },
    ]);
    const tooLarge = [expect.stringMatching(/^The field OrderItems is too large to store/)];
    expect(answer.json).toMatchObject({
      data: {
        count: 1,
        rejectedCount: 2,
        rejected: [
          { index: 0, errors: { Currency: ['The Currency field is required.'] } },
          { index: 1, errors: { OrderItems: tooLarge } },
        ],
      },
    });
    const alone = await post(caller, 'orders', [{ OrderId: 'bad' }, large('b')]);
    expectProblem(alone, { '[1].OrderItems': tooLarge });
  });

  it('refuses a batch of which all elements are invalid, as without it (R-66)', async () => {
    const caller = await service().createCaller();
    const errors = { '[0].Email': [NO_ADDRESS], '[1].Email': [NO_ADDRESS] };
    expectProblem(await post(caller, 'customers', [{ Email: 'ada' }, { Email: 'bob' }]), errors);
    expectProblem(await post(caller, 'customers', {}), { '': ['The request body must be a JSON array.'] });
  });

  it('refuses the name in another case (R-66)', async () => {
    const caller = await service().createCaller();
    const message = 'Names of query parameters are case-sensitive: please write onInvalid.';
    for (const path of ['', '/deletions']) {
      const answer = await post(caller, 'customers', [EMAIL], `${path}?oninvalid=skip`);
      expectAnswer(answer, 400, { success: false, message, data: {} });
    }
    expect(await service().records(caller.tenantId, 'customers')).toEqual([]);
  });

  it.each(['', 'refuse', 'Skip', 'skip&onInvalid=skip'])('refuses the value %p', async (value) => {
    const caller = await service().createCaller();
    for (const path of ['', '/deletions']) {
      const answer = await post(caller, 'customers', [EMAIL], `${path}?onInvalid=${value}`);
      const message = value.includes('&')
        ? 'The query parameter onInvalid must be given once.'
        : 'The query parameter onInvalid must be skip, or be left out.';
      expectAnswer(answer, 400, { success: false, message, data: {} });
    }
    expect(await service().records(caller.tenantId, 'customers')).toEqual([]);
  });
});
