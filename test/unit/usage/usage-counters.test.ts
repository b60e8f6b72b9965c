/** What an instance counts of its requests, and when it stores that. */
import type { DocumentChange, DocumentStore } from '../../../shared/documents/document-store';
import { tenantPath, usagePath } from '../../../shared/documents/paths';
import type { TenantId } from '../../../shared/domain/tenant';
import { DAY_MS, HOUR_MS } from '../../../shared/domain/usage';
import {
  MAX_USAGE_ENTRIES,
  UNCHECKED_USAGE_MS,
  USAGE_INTERVAL_MS,
  USAGE_RETENTION_DAYS,
} from '../../../shared/limits/usage';
import { deadlineIn } from '../../../shared/platform/deadline';
import { findUsage } from '../../../shared/usage/find-usage';
import type { CountedRequest } from '../../../shared/usage/usage-counters';
import { UsageCounters } from '../../../shared/usage/usage-counters';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { CollectingLogger } from '../../support/recording-fakes';
import { SeededRandom } from '../../support/seeded-random';
import { aKey } from '../support/key';

const TENANT = '11111111-1111-4111-8111-111111111111' as TenantId;
const OTHER = '22222222-2222-4222-8222-222222222222' as TenantId;

function aScene() {
  const clock = new FixedClock(); // 2026-03-01T12:00:30Z
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const logger = new CollectingLogger();
  const random = new SeededRandom();
  const deadline = () => deadlineIn(1_000, clock);
  const anInstance = (on: DocumentStore = store) => {
    const counters = new UsageCounters({ store: on, clock, random, logger });
    const count = (request: Partial<CountedRequest> = {}) =>
      counters.count({
        key: aKey({ lastUsedAtMs: Infinity }),
        tenantId: TENANT,
        route: 'upsertCustomers',
        begunMs: clock.nowMs(),
        counts: { requests: 1, records: 2 },
        ...request,
      });
    return { counters, count, store: () => counters.store(deadline()) };
  };
  const stored = async (tenantId = TENANT, days = 1) => {
    const to = new Date(Math.ceil((clock.nowMs() + 1) / HOUR_MS) * HOUR_MS);
    const from = new Date(to.getTime() - days * DAY_MS);
    return (await findUsage(tenantId, { from, to, step: 'hour' }, store, deadline)).toShown();
  };
  const writes = () => store.writes.filter(({ paths }) => paths.some((path) => path.includes('/usage/')));
  const settled = () => new Promise(setImmediate);
  return { clock, store, logger, anInstance, stored, writes, settled, deadline };
}

it('adds up requests without a write for each, and stores them once the interval has passed (R-180)', async () => {
  const { clock, anInstance, stored, writes, settled } = aScene();
  const { count } = anInstance();
  for (let n = 0; n < 100; n += 1) count();
  await settled();
  expect(writes()).toEqual([]);
  clock.advance(USAGE_INTERVAL_MS);
  count({ counts: { requests: 1, errors: 1, rejected: 3 } });
  await settled();
  expect(writes()).toHaveLength(1);
  expect((await stored()).totals).toEqual({
    requests: 101,
    records: 200,
    rejected: 3,
    deletions: 0,
    errors: 1,
    limited: 0,
  });
});

it('writes a document at most twice a minute, however many requests come (R-180)', async () => {
  const { clock, anInstance, writes, settled } = aScene();
  const { count } = anInstance();
  for (let second = 0; second < 600; second += 1) {
    count();
    await settled();
    clock.advance(1_000);
  }
  expect(writes().length).toBeGreaterThan(15);
  expect(writes().length).toBeLessThanOrEqual(20);
  expect(new Set(writes().flatMap(({ paths }) => paths)).size).toBe(1);
});

it('stores what is left without a request, when it is due or the instance ends (R-180)', async () => {
  const { clock, anInstance, stored, writes, settled } = aScene();
  const { counters, count, store } = anInstance();
  counters.storeIfDue();
  count();
  counters.storeIfDue();
  await settled();
  expect(writes()).toEqual([]);
  clock.advance(USAGE_INTERVAL_MS);
  counters.storeIfDue();
  await settled();
  expect((await stored()).totals.requests).toBe(1);
  count();
  await store();
  expect((await stored()).totals.requests).toBe(2);
  await store();
  expect(writes()).toHaveLength(2);
});

it('tells hours, days, keys, routes and tenants apart (R-180)', async () => {
  const { clock, anInstance, stored } = aScene();
  const { count, store } = anInstance();
  count();
  count({ key: aKey({ keyId: 'key-2', lastUsedAtMs: Infinity }) });
  count({ route: 'upsertOrders' });
  count({ tenantId: OTHER });
  await store();
  clock.advance(HOUR_MS);
  count();
  await store();
  clock.advance(DAY_MS);
  count();
  await store();
  const shown = await stored(TENANT, 3);
  expect(shown.steps.filter(({ requests }) => requests > 0)).toMatchObject([
    { time: '2026-03-01T12:00:00.000Z', requests: 3, records: 6 },
    { time: '2026-03-01T13:00:00.000Z', requests: 1 },
    { time: '2026-03-02T13:00:00.000Z', requests: 1 },
  ]);
  expect(shown.keys).toMatchObject([
    { keyId: 'key-1', requests: 4 },
    { keyId: 'key-2', requests: 1 },
  ]);
  expect(shown.routes).toMatchObject([
    { route: 'upsertCustomers', requests: 4 },
    { route: 'upsertOrders', requests: 1 },
  ]);
  expect((await stored(OTHER, 3)).totals.requests).toBe(1);
});

it('counts a request of no known tenant nowhere (R-180)', async () => {
  const { anInstance, writes } = aScene();
  const { count, store } = anInstance();
  count({ tenantId: undefined });
  await store();
  expect(writes()).toEqual([]);
});

it('adds up over instances, each of which writes a document of its own (R-180)', async () => {
  const { anInstance, stored, writes } = aScene();
  const instances = Array.from({ length: 5 }, () => anInstance());
  for (const { count } of instances) count();
  await Promise.all(instances.map(({ store }) => store()));
  expect(new Set(writes().flatMap(({ paths }) => paths)).size).toBe(5);
  expect((await stored()).totals.requests).toBe(5);
});

it('keeps the documents as long as an answer tells of them (R-180)', async () => {
  const { store: database, anInstance, deadline } = aScene();
  const { count, store } = anInstance();
  count();
  await store();
  const [document] = await database.list(usagePath(TENANT), { limit: 2 }, deadline());
  const day = Date.parse('2026-03-01T00:00:00Z');
  expect(document?.data.expireAt).toEqual(new Date(day + (1 + USAGE_RETENTION_DAYS) * DAY_MS));
});

describe('a write that fails', () => {
  it('is logged, and repeated with the next one (R-180)', async () => {
    const { clock, store: database, logger, anInstance, stored, settled } = aScene();
    const { count, counters } = anInstance();
    database.failing = ({ method }) => method === 'writeEach';
    count();
    clock.advance(USAGE_INTERVAL_MS);
    count();
    await settled();
    expect(logger.entries).toMatchObject([{ severity: 'WARNING', details: { error: 'Error' } }]);
    database.failing = () => false;
    counters.storeIfDue();
    await settled();
    expect((await stored()).totals.requests).toBe(0); // it is not due yet
    clock.advance(USAGE_INTERVAL_MS);
    counters.storeIfDue();
    await settled();
    expect((await stored()).totals.requests).toBe(2);
    expect(logger.entries).toHaveLength(1);
  });

  it('counts nothing twice when it was applied and its answer is lost (R-180)', async () => {
    const { store: database, anInstance, stored } = aScene();
    let losesAnswers = true;
    const lossy = Object.create(database) as DocumentStore;
    lossy.writeEach = async (writes: readonly DocumentChange[], deadline) => {
      const outcomes = await database.writeEach(writes, deadline);
      if (losesAnswers) throw new Error('The answer is lost.');
      return outcomes;
    };
    const { count, store } = anInstance(lossy);
    count();
    await store();
    await store();
    losesAnswers = false;
    count();
    await store();
    expect((await stored()).totals).toMatchObject({ requests: 2, records: 4 });
  });

  it('loses nothing that is counted meanwhile (R-180)', async () => {
    const { store: database, anInstance, stored } = aScene();
    let count: () => void = () => undefined;
    const slow = Object.create(database) as DocumentStore;
    slow.writeEach = (writes, deadline) => {
      count();
      return database.writeEach(writes, deadline);
    };
    const instance = anInstance(slow);
    instance.count();
    count = instance.count;
    await instance.store();
    count = () => undefined;
    await instance.store();
    expect((await stored()).totals.requests).toBe(2);
  });
});

describe('the memory of an instance', () => {
  const keyOf = (n: number) => aKey({ keyId: `key-${n}`, lastUsedAtMs: Infinity });

  it('holds so many counters and counts what needs no further one; a write makes room (R-180)', async () => {
    const { logger, anInstance, stored } = aScene();
    const { count, store } = anInstance();
    for (let n = 0; n < MAX_USAGE_ENTRIES + 3; n += 1) count({ key: keyOf(n) });
    count({ key: keyOf(1) });
    await store();
    expect(logger.entries).toMatchObject([{ severity: 'WARNING', details: { requests: 3 } }]);
    expect((await stored()).totals.requests).toBe(MAX_USAGE_ENTRIES + 1);
    for (let n = 0; n < MAX_USAGE_ENTRIES; n += 1) count({ key: keyOf(n) });
    await store();
    expect((await stored()).totals.requests).toBe(2 * MAX_USAGE_ENTRIES + 1);
    expect(logger.entries).toHaveLength(1);
  });

  it('forgets the days before (R-180)', async () => {
    const { clock, logger, anInstance, stored } = aScene();
    const { count, store } = anInstance();
    const half = MAX_USAGE_ENTRIES / 2;
    for (let day = 0; day < 4; day += 1) {
      for (let n = 0; n < half; n += 1) count({ key: keyOf(n) });
      await store();
      clock.advance(DAY_MS);
    }
    expect(logger.entries).toEqual([]);
    expect((await stored(TENANT, 5)).totals.requests).toBe(4 * half);
  });
});

describe('counts of a request that began long ago', () => {
  it.each([
    ['are dropped when the tenant is gone', undefined, 0],
    ['are dropped when the tenant is being erased', { organizationId: 'a', erasingSince: new Date(0) }, 0],
    ['are stored when the tenant is there', { organizationId: 'a' }, 1],
  ])('%s (R-180)', async (_, tenant, requests) => {
    const { clock, store: database, anInstance, stored, deadline } = aScene();
    const { count, store } = anInstance();
    count();
    if (tenant) await database.commit([{ set: tenantPath(TENANT), data: tenant }], deadline());
    clock.advance(UNCHECKED_USAGE_MS + 1);
    await store();
    expect((await stored()).totals.requests).toBe(requests);
  });

  it('are stored at once else, without a look at the tenant (R-180)', async () => {
    const { store: database, anInstance } = aScene();
    const { count, store } = anInstance();
    count();
    await store();
    expect(database.reads).toEqual([]);
  });
});
