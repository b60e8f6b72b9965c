/** `validateOnly=true`: a batch is checked, and nothing of it is done (R-82, R-83). */
import { recordPath } from '../../shared/documents/paths';
import type { RecordKind } from '../../shared/domain/identity';
import { orderRecordId } from '../../shared/domain/identity';
import { MAX_RECORD_BYTES } from '../../shared/limits/records';
import type { Caller } from '../support/test-service';
import { useTestService } from '../support/test-service';
import { expectAnswer, expectProblem } from './api';

jest.mock('../../shared/limits/records', () => ({
  ...jest.requireActual<object>('../../shared/limits/records'),
  TRIAL_BYTES: 2_000_000,
  MERGE_WINDOW_BYTES: 1_000_000,
  TRIALS_AT_ONCE: 1,
  MAX_TRIALS: 3,
  MAX_TRIALS_OF_ORGANIZATION: 2,
}));

const service = useTestService('customers', 'products', 'orders');
afterEach(() => jest.restoreAllMocks());

/** Sends a batch `to` a kind or, with `/deletions` behind it, to its deletions. */
const post = ({ tenantId, key }: Caller, to: string, json: unknown, query = 'validateOnly=true') => {
  const [kind, ...rest] = to.split('/');
  return service().request('POST', `/${[kind, tenantId, ...rest].join('/')}${query && `?${query}`}`, { key, json });
};
/** Has the checks of customers stop where they read. @returns lets them go on */
function holdChecks(): () => void {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const { store } = service();
  const getSome = store.getSome.bind(store);
  jest.spyOn(store, 'getSome').mockImplementation(async (...args) => {
    await held;
    return getSome(...args);
  });
  return goOn;
}

const valid = (message: string, data: object) => ({ success: true, message, data });
const NO_ADDRESS = 'The field Email must be an e-mail address.';
const ADA = { Email: 'ada@example.com' };

describe('POST with validateOnly=true', () => {
  it.each<[kind: RecordKind, stored: object, another: object, message: string]>([
    ['customers', ADA, { Email: 'bob@example.com' }, 'Customers valid.'],
    ['products', { ProductId: '1', ProductVariants: [] }, { ProductId: '2', ProductVariants: [] }, 'Products valid.'],
    ['orders', { OrderId: '1', Currency: 'EUR' }, { OrderId: '2', Currency: 'EUR' }, 'Orders valid.'],
  ])('of %s tells what would be created and updated, and writes nothing (R-82)', async (kind, ...row) => {
    const [stored, another, message] = row;
    const caller = await service().createCaller();
    await post(caller, kind, [stored], '');
    const before = await service().records(caller.tenantId, kind);
    const batch = [stored, another, { ...another, extra: 1 }];
    const data = { count: 3, wouldCreate: 1, wouldUpdate: 1, ignoredFields: ['extra'] };
    expectAnswer(await post(caller, kind, batch), 200, valid(message, data));
    expectAnswer(await post(caller, kind, batch), 200, valid(message, data)); // learned nothing from the first
    expect(await service().records(caller.tenantId, kind)).toEqual(before);
    const saved = await post(caller, kind, batch, '');
    expect(saved.json).toMatchObject({ data: { count: 3, created: 1, updated: 1 } });
  });

  it.each<[kind: RecordKind, element: object, message: string]>([
    ['customers', ADA, 'Customers valid.'],
    ['products', { ProductId: '1' }, 'Products valid.'],
    ['orders', { OrderId: '1' }, 'Orders valid.'],
  ])('of deletions of %s accepts and publishes none (R-83)', async (kind, element, message) => {
    const caller = await service().createCaller();
    const answer = await post(caller, `${kind}/deletions`, [element, { ...element, extra: 1 }]);
    expectAnswer(answer, 200, valid(message, { count: 2, ignoredFields: ['extra'] }));
    expect(await service().pendingDeletions(caller.tenantId)).toEqual([]);
    expect(service().publisher.published).toEqual([]);
  });

  it('leaves a pending deletion pending, and counts its customer as new (R-82)', async () => {
    const caller = await service().createCaller();
    await post(caller, 'customers', [ADA], '');
    await service().request('DELETE', `/customers/${caller.tenantId}?email=ada@example.com`, { key: caller.key });
    const pending = await service().pendingDeletions(caller.tenantId);
    const answer = await post(caller, 'customers', [ADA]);
    expectAnswer(answer, 200, valid('Customers valid.', { count: 1, wouldCreate: 1, wouldUpdate: 0 }));
    expect(await service().pendingDeletions(caller.tenantId)).toEqual(pending);
    expect(pending).toHaveLength(1);
  });

  it('is the 400 that the batch would get (R-82, R-83)', async () => {
    const caller = await service().createCaller();
    for (const to of ['customers', 'customers/deletions']) {
      expectProblem(await post(caller, to, {}), { '': ['The request body must be a JSON array.'] });
    }
    expectProblem(await post(caller, 'customers', [ADA, { Email: 'ada' }]), { '[1].Email': [NO_ADDRESS] });
    const errors = { '[0].OrderId': ['The OrderId field is required.'] };
    expectProblem(await post(caller, 'orders/deletions', [{}]), errors);
  });

  const large = (Sku: string) => ({
    OrderId: 'large',
    Currency: 'EUR',
    OrderItems: [{ ProductId: 'p', Sku, Quantity: 1, Price: 1, Brand: 'x'.repeat(0.6 * MAX_RECORD_BYTES) }],
  });

  it('refuses an element that does not fit into its stored record, or leaves it out (R-82, R-66)', async () => {
    const caller = await service().createCaller();
    await post(caller, 'orders', [large('a')], '');
    const tooLarge = [expect.stringMatching(/^The field OrderItems is too large to store/)];
    const batch = [{ OrderId: 'bad' }, large('b'), { OrderId: 'small', Currency: 'EUR' }];
    expectProblem(await post(caller, 'orders', batch.slice(1)), { '[0].OrderItems': tooLarge });
    const answer = await post(caller, 'orders', batch, 'validateOnly=true&onInvalid=skip');
    const rejected = [
      { index: 0, errors: { Currency: ['The Currency field is required.'] } },
      { index: 1, errors: { OrderItems: tooLarge } },
    ];
    const data = { count: 1, wouldCreate: 1, wouldUpdate: 0, rejectedCount: 2, rejected };
    expectAnswer(answer, 200, valid('Orders valid.', data));
    expect(await service().records(caller.tenantId, 'orders')).toHaveLength(1);
  });

  it('leaves out invalid deletions (R-83, R-66)', async () => {
    const caller = await service().createCaller();
    const answer = await post(caller, 'customers/deletions', [ADA, {}], 'validateOnly=true&onInvalid=skip');
    const errors = { '': ['At least one of CustomerId, Email must have a value.'] };
    const data = { count: 1, rejectedCount: 1, rejected: [{ index: 1, errors }] };
    expectAnswer(answer, 200, valid('Customers valid.', data));
  });

  it('refuses a batch that would change too much to be checked (R-84)', async () => {
    const caller = await service().createCaller();
    const batch = ['1', '2', '3', '4'].map((OrderId) => ({ ...large('a'), OrderId }));
    const message =
      'The batch would change too much to be checked at once. Please check it in smaller batches, or send it.';
    expectAnswer(await post(caller, 'orders', batch), 413, { success: false, message, data: {} });
    expect((await post(caller, 'orders', batch.slice(1))).status).toBe(200);
    expect(await service().records(caller.tenantId, 'orders')).toEqual([]);
  });

  it('checks further batches when there is room for them (R-84)', async () => {
    const caller = await service().createCaller();
    const answers = await Promise.all(['1', '2'].map((CustomerId) => post(caller, 'customers', [{ CustomerId }])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('has few checks wait, fewer of one organization, and refuses others at once (R-84)', async () => {
    const callers = await Promise.all([1, 2, 3].map(() => service().createCaller()));
    const [first, second, third] = callers.map((caller) => () => post(caller, 'customers', [ADA]));
    const goOn = holdChecks();
    const checks = [first!(), first!(), first!()];
    const own = await Promise.race(checks);
    const message = 'Too many checks at once. Please try again later.';
    expectAnswer(own, 429, { success: false, message, data: { retryAfter: 1 } });
    expect(own.headers['retry-after']).toBe('1');
    const others = [second!(), second!()];
    const refused = await Promise.race(others);
    const overloaded = { success: false, message: 'The service is overloaded. Please try again later.', data: {} };
    expectAnswer(refused, 503, overloaded);
    expect(refused.headers['retry-after']).toBe('1');
    expectAnswer(await third!(), 503, overloaded);
    goOn();
    const statuses = (await Promise.all([...checks, ...others])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 429, 503]);
    expect((await third!()).status).toBe(200);
  });

  it('waits for no upsert of the same records (R-84)', async () => {
    const caller = await service().createCaller();
    const batch = ['1', '2', '3'].map((OrderId) => ({ ...large('a'), OrderId }));
    const paths = batch.map(({ OrderId }) => recordPath(caller.tenantId, 'orders', orderRecordId(OrderId)));
    let end = () => {};
    const upserting = service().mergeQueue.runInTurn(paths, () => new Promise<void>((resolve) => (end = resolve)));
    expect((await post(caller, 'orders', batch)).status).toBe(200);
    end();
    await upserting;
  });

  it.each(['validateonly=true', 'VALIDATEONLY=false', 'validateOnly=true&ValidateOnly=true', 'valid%61teonly'])(
    'refuses the name in another case: %s (R-82)',
    async (query) => {
      const caller = await service().createCaller();
      const message = 'Names of query parameters are case-sensitive: please write validateOnly.';
      for (const to of ['customers', 'customers/deletions']) {
        expectAnswer(await post(caller, to, [ADA], query), 400, { success: false, message, data: {} });
      }
      const single = `/customers/${caller.tenantId}?email=ada%40example.com&${query}`;
      const answer = await service().request('DELETE', single, { key: caller.key });
      expectAnswer(answer, 400, { success: false, message, data: {} });
      expect(await service().records(caller.tenantId, 'customers')).toEqual([]);
      expect(await service().pendingDeletions(caller.tenantId)).toEqual([]);
    },
  );

  it.each(['', 'false', 'True', '1', 'true&validateOnly=true'])('refuses the value %p (R-82)', async (value) => {
    const caller = await service().createCaller();
    for (const to of ['customers', 'customers/deletions']) {
      const answer = await post(caller, to, [ADA], `validateOnly=${value}`);
      const message = value.includes('&')
        ? 'The query parameter validateOnly must be given once.'
        : 'The query parameter validateOnly must be true, or be left out.';
      expectAnswer(answer, 400, { success: false, message, data: {} });
    }
    expect(await service().records(caller.tenantId, 'customers')).toEqual([]);
  });
});

it.each([
  ['customers', '&email=ada%40example.com'],
  ['products/1', ''],
  ['orders/1', ''],
])('a single delete of %s is refused, and deletes nothing (R-83)', async (to, ids) => {
  const caller = await service().createCaller();
  const [kind, ...rest] = to.split('/');
  for (const value of ['true', 'false', '']) {
    const path = `/${[kind, caller.tenantId, ...rest].join('/')}?validateOnly=${value}${ids}`;
    const answer = await service().request('DELETE', path, { key: caller.key });
    const message = 'The query parameter validateOnly does not apply to a single delete. Please leave it out.';
    expectAnswer(answer, 400, { success: false, message, data: {} });
  }
  expect(service().publisher.published).toEqual([]);
});
