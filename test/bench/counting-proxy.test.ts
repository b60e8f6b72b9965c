import { randomUUID } from 'node:crypto';
import { connect } from '../../functions/admin/connection';
import { systemClock } from '../../shared/platform/clock';
import { readConfig } from '../../shared/config';
import { deadlineIn } from '../../shared/platform/deadline';
import { summarizeCalls } from './call-summary';
import { CountingProxy } from './counting-proxy';
import { firestoreCallReader } from './firestore-calls';
import type { FirestoreAccess } from './firestore-protocol';
import { openFirestore } from './firestore-protocol';

const config = readConfig();
const deadline = () => deadlineIn(20_000, systemClock);
const tenant = `tenants/${randomUUID()}`;

let firestore: FirestoreAccess;
let proxy: CountingProxy;
let connection: ReturnType<typeof connect>;

beforeAll(async () => {
  const address = config.emulators.firestore ?? '';
  firestore = await openFirestore(address, config.projectId);
  proxy = await CountingProxy.start(address, firestoreCallReader(firestore.protocol));
  connection = connect({ ...config, emulators: { ...config.emulators, firestore: proxy.address } });
});

afterAll(async () => {
  await connection.close();
  proxy.stop();
  await firestore.close();
});

async function count(work: () => Promise<unknown>) {
  await proxy.takeCalls();
  await work();
  return summarizeCalls(await proxy.takeCalls());
}

it('counts writes, apart from those whose condition does not hold', async () => {
  const writes = [1, 2, 3].map((id) => ({ set: `${tenant}/customers/${id}`, data: { id }, when: 'absent' as const }));
  const first = await count(() => connection.store.writeEach(writes.slice(0, 2), deadline()));
  expect(first).toMatchObject({ calls: 1, roundTrips: 1, roundTripsBeforeFirstWrite: 0, writes: 2, refused: 0 });
  const second = await count(() => connection.store.writeEach(writes, deadline()));
  expect(second).toMatchObject({ writes: 1, refused: 2, reads: 0 });
});

it('counts a missing document and an empty query as reads', async () => {
  const paths = [`${tenant}/none/1`, `${tenant}/none/2`];
  expect(await count(() => connection.store.getAll(paths, deadline()))).toMatchObject({ reads: 2, writes: 0 });
  const query = () => connection.store.findWhere(`${tenant}/none`, 'id', 'x', { limit: 5 }, deadline());
  expect(await count(query)).toMatchObject({ reads: 1 });
});

it('counts deletes, and a commit that is refused as a whole', async () => {
  const path = `${tenant}/things/1`;
  await connection.store.commit([{ set: path, data: { id: 1 } }], deadline());
  const remove = { delete: path };
  expect(await count(() => connection.store.commit([remove], deadline()))).toMatchObject({ deletes: 1, writes: 0 });
  const late = [
    { set: `${tenant}/things/2`, data: {} },
    { set: path, data: {}, when: 'present' as const },
  ];
  expect(await count(() => connection.store.commit(late, deadline()))).toMatchObject({ writes: 0, refused: 2 });
});

it('tells which documents were written or removed, and how a call ended', async () => {
  const [first, second] = [`${tenant}/things/4`, `${tenant}/things/5`];
  await proxy.takeCalls();
  await connection.store.commit([{ set: first, data: { id: 1 } }], deadline());
  await connection.store.commit([{ set: second, data: {}, when: 'present' }, { delete: first }], deadline());
  await connection.store.writeEach([{ delete: first }, { set: second, data: {}, when: 'present' }], deadline());
  expect(await proxy.takeCalls()).toMatchObject([
    { method: 'Commit', status: 0, written: [first] },
    { method: 'Commit', status: 5, written: [] },
    { method: 'BatchWrite', status: 0, written: [first] },
  ]);
});

it('tells calls that run side by side from calls that wait for one another', async () => {
  const read = (id: number) => connection.store.get(`${tenant}/none/${id}`, deadline());
  const both = await count(async () => {
    await Promise.all([read(1), read(2), read(3)]);
    await read(4);
    await connection.store.commit([{ set: `${tenant}/orders/1`, data: {} }], deadline());
  });
  expect(both).toMatchObject({ calls: 5, roundTrips: 3, roundTripsBeforeFirstWrite: 2 });
});

it('hands answers on as they are', async () => {
  const path = `${tenant}/things/3`;
  await connection.store.commit([{ set: path, data: { text: 'Χλόη', list: [1, 2] } }], deadline());
  expect((await connection.store.get(path, deadline()))?.data).toEqual({ text: 'Χλόη', list: [1, 2] });
});
