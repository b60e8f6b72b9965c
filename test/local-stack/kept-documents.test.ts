/** What a stack keeps of its database and its messages, from one database of the emulators to another. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { PubSub } from '@google-cloud/pubsub';
import { drainDeletions } from '../../shared/deletions/apply-deletion';
import { recordsPath, runFilePath, runPath, wideDeletionsPath } from '../../shared/documents/paths';
import type { DeletionTarget } from '../../shared/domain/deletion';
import { RECORD_KINDS } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { getRecord } from '../../shared/operations/records';
import { toFileDocument, toRunDocument } from '../../shared/transfers/runs/run';
import { asOf } from '../../shared/workspace/record-documents';
import { withoutStubs } from '../../shared/workspace/kept-tombstones';
import { EmulatorDocuments } from '../local/data/documents';
import { EmulatorMessages } from '../local/data/messages';
import { requestUnfinishedWork } from '../local/data/unfinished-work';
import { close, listen } from '../local/ports';
import { createTopology } from '../local/pubsub-topology';
import { remove, upsert } from '../support/api-writes';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { takeNewProject } from '../support/new-project';
import { pendingDeletions } from '../support/pending-deletions';
import { RecordingPublisher } from '../support/recording-fakes';
import { aRun, aRunFile, aRunningRun } from '../support/stored-run';

/** How many messages of a subscription the emulator pushes before one of them is done. */
const PUSHED_AT_ONCE = 2;

let operator: EmulatorOperator;
/** The same operator of another database, into which everything is copied. */
let restored: EmulatorOperator;

beforeEach(() => {
  takeNewProject();
  operator = connectToEmulator();
  const databaseId = `restored-${randomBytes(4).toString('hex')}`;
  const config = { ...operator.config, databaseId };
  restored = { ...operator, config, store: operator.database(databaseId) };
});
afterEach(() => operator.close());

async function copy(): Promise<number> {
  const [from, to] = [new EmulatorDocuments(operator.config), new EmulatorDocuments(restored.config)];
  const count = await to.writeAll(from.readAll());
  await Promise.all([from.close(), to.close()]);
  return count;
}

const customer = (email: string): DeletionTarget => ({ type: 'customer', customerId: null, email });

async function documentsOf(tenant: Tenant, { store, deadline }: EmulatorOperator) {
  const found = await Promise.all(
    RECORD_KINDS.map((kind) => store.list(recordsPath(tenant.tenantId, kind), { limit: 10 }, deadline())),
  );
  return found.flat();
}

describe('documents (R-220)', () => {
  it('are all there again, with each kind of value, and none that has expired', async () => {
    const values = {
      text: 'Zoë\n\u2028',
      empty: '',
      whole: 9_007_199_254_740_991,
      part: 0.1,
      yes: true,
      none: null,
      at: new Date('2026-03-01T09:30:00.123Z'),
      list: [1, 'two', {}],
      map: { valueType: { deep: 'x' }, 'a.b': 2 },
    };
    const { store } = operator;
    const expired = { expireAt: new Date('2026-01-01T00:00:00.000Z') };
    const expiring = { expireAt: new Date('2126-01-01T00:00:00.000Z') };
    const writes = [
      { set: 'anything/a', data: values },
      { set: 'anything/missing/below/b', data: {} },
      { set: 'anything/c', data: expired },
      { set: 'anything/d', data: expiring },
    ];
    await store.writeEach(writes, operator.deadline());
    expect(await copy()).toBe(3);
    const paths = writes.map(({ set }) => set);
    const found = await restored.store.getAll(paths, operator.deadline());
    expect(Object.fromEntries(found.map(({ path, data }) => [path, data]))).toEqual({
      'anything/a': values,
      'anything/missing/below/b': {},
      'anything/d': expiring,
    });
  });

  it('come back also when they are many and large', async () => {
    const data = { text: 'x'.repeat(20_000) };
    const writes = Array.from({ length: 700 }, (_, n) => ({ set: `anything/${n}`, data }));
    for (let from = 0; from < writes.length; from += 100) {
      await operator.store.writeEach(writes.slice(from, from + 100), operator.deadline());
    }
    expect(await copy()).toBe(700);
    expect(await restored.store.count('anything', operator.deadline())).toBe(700);
  });
});

describe('times (R-221)', () => {
  it('of records stay: since when each is true', async () => {
    const tenant = await operator.createTenant();
    await upsert(tenant, 'customers', [{ Email: 'a@x.com' }], operator);
    await upsert(tenant, 'products', [{ ProductId: 'p', ProductVariants: [{ VariantId: 'v' }] }], operator);
    await upsert(tenant, 'orders', [{ OrderId: '1', Currency: 'EUR' }], operator);
    const before = await documentsOf(tenant, operator);
    expect(before).toHaveLength(3);
    await operator.clock.sleep(20);
    await copy();
    const after = new Map((await documentsOf(tenant, restored)).map((document) => [document.path, document]));
    for (const document of before) {
      const copied = after.get(document.path)!;
      expect(asOf(copied)).toEqual(asOf(document));
      expect(copied.version).not.toEqual(document.version);
      const { revision: _, ...data } = document.data;
      expect(copied.data).toMatchObject(data);
    }
  });

  it('of pending deletions stay: they remove what was there, and nothing that was sent later', async () => {
    const tenant = await operator.createTenant();
    await upsert(tenant, 'customers', [{ Email: 'a@x.com' }, { Email: 'b@x.com' }, { Email: 'c@x.com' }], operator);
    await upsert(tenant, 'orders', [{ OrderId: '1', Currency: 'EUR' }], operator);
    for (const target of [customer('a@x.com'), customer('b@x.com'), { type: 'order', orderId: '1' } as const]) {
      await remove(tenant, target, 'pending', operator);
    }
    await upsert(tenant, 'customers', [{ Email: 'b@x.com', Name: 'Again' }], operator);
    const entries = await pendingDeletions(tenant.tenantId, operator.store, operator.deadline());
    expect(entries).toHaveLength(2);
    await operator.clock.sleep(20);
    await copy();
    for (const kind of RECORD_KINDS) await drainDeletions(tenant, kind, operator.deadline(), restored);
    const find = (email: string) => getRecord(tenant.tenantId, 'customers', { email }, restored);
    expect(await find('a@x.com')).toBeNull();
    expect(await find('b@x.com')).toMatchObject({ Name: 'Again' });
    expect(await find('c@x.com')).not.toBeNull();
    const orders = await restored.store.list(
      recordsPath(tenant.tenantId, 'orders'),
      { limit: 10 },
      operator.deadline(),
    );
    expect(withoutStubs(orders)).toEqual([]);
  });

  it('of a deletion of very many customers stay, too', async () => {
    const tenant = await operator.createTenant();
    const shared = Array.from({ length: 600 }, (_, n) => ({ CustomerId: 'shared', Email: `c${n}@x.com` }));
    await upsert(tenant, 'customers', shared, operator);
    await remove(tenant, { type: 'customer', customerId: 'shared', email: null }, 'pending', operator);
    const wide = await operator.store.list(wideDeletionsPath(tenant.tenantId), { limit: 2 }, operator.deadline());
    expect(wide).toHaveLength(1);
    await upsert(tenant, 'customers', [{ CustomerId: 'shared', Email: 'c7@x.com', Name: 'Again' }], operator);
    await operator.clock.sleep(20);
    await copy();
    await drainDeletions(tenant, 'customers', operator.deadline(), restored);
    const left = await restored.store.list(
      recordsPath(tenant.tenantId, 'customers'),
      { limit: 9 },
      operator.deadline(),
    );
    expect(left.map(({ data }) => data.Name)).toEqual(['Again']);
  });
});

describe('work that was under way (R-223)', () => {
  it('is asked for again: deletions, runs, and what is left to do at the end of one', async () => {
    const tenant = await operator.createTenant();
    const { tenantId } = tenant;
    await upsert(tenant, 'customers', [{ Email: 'a@x.com' }], operator);
    await remove(tenant, customer('a@x.com'), 'pending', operator);
    const fileId = 'f'.repeat(43);
    const ending = { step: `0000000000.ending.${fileId}`, until: new Date('2026-03-01T11:00:05.000Z') };
    const expireAt = new Date('2126-01-01T00:00:00.000Z');
    const runs = {
      planning: { ...aRunningRun(tenantId), isPlanned: false },
      reading: aRunningRun(tenantId),
      ending: aRun(tenantId, { ending }),
      planningEnding: aRun(tenantId, { ending: { ...ending, step: 'planning' } }),
      ended: aRun(tenantId),
    };
    const writes = Object.entries(runs).map(([id, run]) => ({
      set: runPath(id),
      data: toRunDocument({ ...run, expireAt }),
    }));
    const file = {
      set: runFilePath('reading', fileId),
      data: toFileDocument(aRunFile({ status: 'pending', expireAt })),
    };
    await operator.store.writeEach([...writes, file], operator.deadline());
    await copy();

    const publisher = new RecordingPublisher();
    await requestUnfinishedWork({ ...restored, publisher });
    const plan = { step: 'plan', folder: 0, page: 0, pageToken: null };
    const unitId = `0000000000.reading.${fileId}`;
    expect(publisher.published.map(({ topic, event }) => ({ topic, ...event }))).toEqual([
      { topic: 'deletions', tenantId, drain: 'customers' },
      { topic: 'transfers', step: 'unit', runId: 'ending', lane: 0, unitId: ending.step, fileIds: [] },
      { topic: 'transfers', ...plan, runId: 'planning' },
      { topic: 'transfers', ...plan, runId: 'planningEnding' },
      { topic: 'transfers', step: 'unit', runId: 'reading', lane: 0, unitId, fileIds: [fileId] },
    ]);
  });
});

describe('messages (R-223)', () => {
  it('of the dead letters are read and stay, and those that wait for a busy function are read once it is left alone', async () => {
    const { config } = operator;
    const pubsub = new PubSub({ projectId: config.projectId });
    const busy = createServer(() => undefined); // it takes messages, and is not done with any
    const port = await listen(busy, { host: '127.0.0.1', port: 0, field: 'test' });
    await createTopology(pubsub, config.topics, `http://127.0.0.1:${port}`);
    const messages = await EmulatorMessages.connect(config);
    const publish = (topic: string, text: string) =>
      pubsub.topic(topic).publishMessage({ data: Buffer.from(text), attributes: { id: text } });
    const dead = randomUUID();
    await publish(config.topics.deadLetters, dead);
    const data = Buffer.from(dead).toString('base64');
    const kept = [{ topic: config.topics.deadLetters, data, attributes: { id: dead } }];
    expect(await messages.readKept()).toEqual(kept);
    expect(await messages.readKept()).toEqual(kept);

    const texts = Array.from({ length: 20 }, () => randomUUID());
    for (const text of texts) await publish(config.topics.transfers, text);
    await messages.stopDelivery();
    const waiting = await messages.readUndelivered();
    const ids = waiting.map(({ attributes }) => String(attributes.id));
    expect(ids.length).toBeGreaterThanOrEqual(texts.length - PUSHED_AT_ONCE);
    expect(texts).toEqual(expect.arrayContaining(ids));

    await messages.publish(waiting.map((message) => ({ ...message, topic: config.topics.deadLetters })));
    expect((await messages.readKept()).map(({ attributes }) => attributes.id).sort()).toEqual([...ids, dead].sort());
    await messages.close();
    await pubsub.close();
    await close(busy);
  });
});
