/** That elements about the same record have their effects in the order of the input, whatever becomes of requests. */
import fc from 'fast-check';
import type { Customer, CustomerDeletion, Product } from '../../client/src';
import { runFeed } from '../../client/src/feed/feed';
import type { Keys } from '../../client/src/feed/identity';
import {
  keysOfAny,
  keysOfCustomer,
  keysOfCustomerDeletion,
  keysOfOrder,
  keysOfProduct,
} from '../../client/src/feed/identity';
import { customerIdentities } from '../../shared/domain/identity';
import { Transport } from '../../client/src/http/transport';
import { FAULTS_SEED, ofTier, report } from '../faults/tier';
import { BASE_URL, FakePlatform, KEY, storesAll } from './support/fake-platform';
import type { Fate } from './support/ordered-service';
import { FATES, OrderedService } from './support/ordered-service';

const CASES = ofTier(60, 3_000);

/** The state of a service that applies elements one after the other. */
interface Model<Element> {
  apply(element: Element): void;
  readonly state: unknown;
}

type KeysOf = (element: Readonly<Record<string, unknown>>) => Keys;

async function send<Element extends object>(
  elements: readonly Element[],
  fates: readonly Fate[],
  model: Model<Element>,
  keysOf: KeysOf,
): Promise<FakePlatform> {
  const service: OrderedService<Element> = new OrderedService<Element>(
    (element) => model.apply(element),
    fates,
    () => platform,
  );
  const platform: FakePlatform = new FakePlatform(service.handle, () => 0.3);
  const transport = new Transport(
    { baseUrl: BASE_URL, key: KEY, concurrency: 4, timeoutMs: 60_000, maxRetries: 20 },
    platform,
  );
  const result = await runFeed(transport, { path: '/customers/t', maxElements: 2, keysOf }, elements, {});
  expect(result).toMatchObject({ accepted: elements.length, settled: elements.length });
  await platform.sleep(60_000 - 1); // whatever is late comes now
  return platform;
}

/** Compares a feed through a faulty service with its elements applied one by one. */
async function holds<Element extends object>(
  promise: string,
  element: fc.Arbitrary<Element>,
  modelOf: () => Model<Element>,
  keysOf: KeysOf,
): Promise<void> {
  const fates = fc.array(fc.constantFrom(...FATES), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 24 }), fates, async (elements, drawn) => {
      const numbered = elements.map((one, number) => ({ ...one, Name: `${number}` }));
      const [expected, actual] = [modelOf(), modelOf()];
      for (const one of numbered) expected.apply(one);
      await send(numbered, drawn, actual, keysOf);
      expect(actual.state).toEqual(expected.state);
    }),
    { numRuns: CASES, seed: FAULTS_SEED },
  );
  report(promise, CASES, 0);
}

const email = fc.constantFrom('ann@example.com', ' ANN@example.com', 'bob@example.com', 'cem@example.com', '');
const id = fc.constantFrom('1', ' 1 ', '2', '3', '');
const identifiers = fc
  .record({ Email: fc.option(email), CustomerId: fc.option(id) })
  .filter(({ Email, CustomerId }) => Boolean(Email?.trim()) || Boolean(CustomerId?.trim()));

/** A customer is found by one identifier, and by the other one only where that is missing (D-02). */
function upsertModel(first: 'Email' | 'CustomerId'): Model<Customer> {
  const state = new Map<string, string>();
  const second = first === 'Email' ? 'CustomerId' : 'Email';
  const key = (field: 'Email' | 'CustomerId', customer: Customer) => {
    const text = customer[field]?.trim() ?? '';
    return text === '' ? undefined : field === 'Email' ? text.toLowerCase() : text;
  };
  return {
    state,
    apply: (customer) => {
      const [by, other] = [key(first, customer), key(second, customer)];
      state.set(by === undefined ? `only ${second} ${other}` : `${first} ${by}`, customer.Name!);
    },
  };
}

describe('customers', () => {
  it('share a key where the service finds that they share an identifier (R-135)', () => {
    const blank = fc.constantFrom('', ' ', '\t', '\u00a0', '\ufeff', '\n');
    const core = fc.constantFrom('ann@x.com', 'ANN@X.COM', 'İ@x.com', 'i̇@x.com', 'ß', 'ẞ', '1', '01', 'a b');
    const text = fc.oneof(
      fc.tuple(blank, core, blank).map((parts) => parts.join('')),
      blank,
      fc.string(),
    );
    const customer = fc.record({ Email: fc.option(text), CustomerId: fc.option(text) });
    const shares = (a: readonly string[], b: readonly string[]) => a.some((one) => b.includes(one));
    fc.assert(
      fc.property(customer, customer, (a, b) => {
        const byService = shares(customerIdentities(a), customerIdentities(b));
        expect(shares(keysOfCustomer(a) ?? [], keysOfCustomer(b) ?? [])).toBe(byService);
      }),
      { numRuns: CASES * 20, seed: FAULTS_SEED },
    );
  });

  it.each(['Email', 'CustomerId'] as const)('keep their order where they are found by %s (R-135)', async (first) => {
    await holds(`customers in order, by ${first}`, identifiers, () => upsertModel(first), keysOfCustomer);
  });

  it('are deleted as if one deletion came after the other (R-135)', async () => {
    // The second identifier counts only where the first one finds nobody (D-43).
    const model = (): Model<CustomerDeletion> => {
      const stored = [
        ['1', 'ann@example.com'],
        ['2', 'ann@example.com'],
        ['2', 'bob@example.com'],
        ['3', 'cem@example.com'],
      ];
      const left = { state: stored };
      return {
        get state() {
          return left.state;
        },
        apply: ({ CustomerId, Email }) => {
          const byId = left.state.filter(([value]) => value === CustomerId?.trim());
          const byEmail = left.state.filter(([, value]) => value === Email?.trim().toLowerCase());
          const gone = byId.length > 0 ? byId : byEmail;
          left.state = left.state.filter((one) => !gone.includes(one));
        },
      };
    };
    // What a repeat deletes is the service's to bound: here no request is done twice.
    const fates = fc.array(fc.constantFrom<Fate>('slow', 'cutBefore', 'refusedBefore', 'done'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(identifiers, { minLength: 3, maxLength: 6 }), fates, async (elements, drawn) => {
        const [expected, actual] = [model(), model()];
        for (const one of elements) expected.apply(one);
        await send(elements, drawn, actual, keysOfCustomerDeletion);
        expect(actual.state).toEqual(expected.state);
      }),
      { numRuns: CASES, seed: FAULTS_SEED },
    );
  });
});

describe('products', () => {
  const product = fc.record({
    ProductId: fc.constantFrom('p1', 'p2', 'p3', ' p1'),
    ProductVariants: fc.array(fc.record({ VariantId: fc.constant('v'), Sku: fc.constantFrom('s1', 's2', 's3', 's4') })),
  });

  it('keep their order where a stored product holds a Sku of each (R-136)', async () => {
    // Stored: one product with all Skus. Whoever comes takes it over with what it holds (D-03).
    const model = (): Model<Product> => {
      const bySku = new Map(['s1', 's2', 's3', 's4'].map((sku) => [sku, 'stored']));
      return {
        state: bySku,
        apply: ({ ProductId, ProductVariants }) => {
          const found = ProductVariants.map(({ Sku }) => bySku.get(Sku)).find((one) => one !== undefined);
          for (const [sku, holder] of bySku) if (holder === found) bySku.set(sku, ProductId.trim());
        },
      };
    };
    await holds('products in order, by Sku', product, model, keysOfAny);
  });

  it('keep their order where they are found by ProductId', async () => {
    const model = () => {
      const state = new Map<string, string>();
      return {
        state,
        apply: (one: { ProductId: string; Name?: string }) => void state.set(one.ProductId.trim(), one.Name!),
      };
    };
    await holds('products in order, by ProductId', product, model, keysOfProduct);
  });
});

describe('requests', () => {
  it('about different records are under way at once, about the same one never (R-135)', async () => {
    const different = Array.from({ length: 20 }, (_, n) => ({ OrderId: `${n}` }));
    const same = Array.from({ length: 20 }, () => ({ OrderId: 'x' }));
    const count = async (elements: readonly object[]) => {
      const platform: FakePlatform = new FakePlatform(async (request, index) => {
        await platform.sleep(100);
        return storesAll(request, index);
      });
      const options = { baseUrl: BASE_URL, key: KEY, concurrency: 4, timeoutMs: 60_000, maxRetries: 0 };
      const transport = new Transport(options, platform);
      await runFeed(transport, { path: '/orders/t', maxElements: 2, keysOf: keysOfOrder }, elements, {});
      return platform.mostUnderway;
    };
    expect([await count(different), await count(same)]).toEqual([4, 1]);
  });

  it('wait for what a lost one before may still do to the same record (R-137)', async () => {
    const platform = await send(
      [{ OrderId: 'x' }, { OrderId: 'y' }, { OrderId: 'x' }, { OrderId: 'z' }],
      ['cutAfter'],
      { apply: () => undefined, state: undefined },
      keysOfOrder,
    );
    expect(platform.waits.some((ms) => ms > 29_000 && ms <= 30_000)).toBe(true);
  });
});

describe('what identifies an element', () => {
  it.each<[string, KeysOf, object, Keys]>([
    ['an e-mail, in any case', keysOfCustomer, { Email: ' Ann@Example.com ' }, ['email ann@example.com']],
    ['a customer id', keysOfCustomer, { CustomerId: ' C1 ' }, ['id C1']],
    ['both', keysOfCustomer, { Email: 'a@b', CustomerId: '1' }, ['email a@b', 'id 1']],
    ['nothing', keysOfCustomer, { Email: null, CustomerId: 7 }, []],
    ['an object that may become any text', keysOfCustomer, { Email: new String('a@b') }, undefined],
    ['one identifier of a deletion', keysOfCustomerDeletion, { Email: 'a@b', CustomerId: ' ' }, ['email a@b']],
    ['two identifiers of a deletion', keysOfCustomerDeletion, { Email: 'a@b', CustomerId: '1' }, undefined],
    ['an order id', keysOfOrder, { OrderId: 'o ' }, ['o']],
  ])('is %s', (_, keysOf, element, keys) => {
    expect(keysOf(element as Readonly<Record<string, unknown>>)).toEqual(keys);
  });

  it('is what is sent in its place', async () => {
    const seen: string[] = [];
    const row = { toJSON: () => ({ OrderId: 'sent' }) };
    const keysOf = ({ OrderId }: Readonly<Record<string, unknown>>) => (seen.push(String(OrderId)), []);
    const platform = new FakePlatform(storesAll);
    const options = { baseUrl: BASE_URL, key: KEY, concurrency: 1, timeoutMs: 60_000, maxRetries: 0 };
    await runFeed(new Transport(options, platform), { path: '/', maxElements: 1, keysOf }, [row], {});
    expect(seen).toEqual(['sent']);
  });
});
