/** `tenants erase`: everything that is stored of one tenant goes, and nothing else, whenever it is stopped. */
import { setAside } from '../../../shared/deletions/set-aside';
import { eraseTenant } from '../../../shared/operations/erasure/erase';
import { retryDeletions } from '../../../shared/operations/deletions';
import { countRecords } from '../../../shared/operations/records';
import { rekeyTenant } from '../../../shared/operations/rekey';
import { createTenant, listTenants, updateTenant } from '../../../shared/operations/tenants';
import { listRuns, replayRun, resumeTransfer } from '../../../shared/operations/transfers';
import type { StoredDocument } from '../../../shared/documents/document-store';
import {
  AUDIT_LOG,
  BUCKETS,
  collectionIdOf,
  liveTransferPath,
  recordPath,
  runPath,
  TENANT_COLLECTIONS,
  tenantPath,
} from '../../../shared/documents/paths';
import { orderRecordId } from '../../../shared/domain/identity';
import { STALE_TENANT_MARGIN_MS, STALE_TENANT_MS, MAX_STEP_MS } from '../../../shared/limits/tenants';
import { MAX_REQUEST_MS, WORK_WAIT_MS } from '../../../shared/limits/requests';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits'; // prettier-ignore
import type { Tenant } from '../../../shared/domain/tenant';
import { RECURRING_KINDS, recurringJobId } from '../../../shared/domain/transfer';
import { AccessDenied } from '../../../shared/transfers/object-storage';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import { remove, upsert } from '../../support/api-writes';
import { FixedClock } from '../../support/fixed-clock';
import { eraserOn } from '../../support/memory-eraser';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { withMethods } from '../../support/overriding';
import { pendingDeletions } from '../../support/pending-deletions';
import { SeededRandom } from '../../support/seeded-random';

const YES = { yes: true };
const RUN_PARTS = [
  'files/f',
  'files/f/leases/0',
  'files/f/replay/lines',
  'pages/0.0',
  'skippedFiles/0.0',
  'reports/f.1',
];

/** A database with a tenant that has everything, another one of its organization, and one of another organization. */
async function aWorld() {
  const clock = new FixedClock();
  const random = new SeededRandom();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random });
  const eraser = eraserOn(operator);
  const create = async (organization: string, name: string) => {
    const tenant = await createTenant({ organization, productIdentifier: 'sku' }, operator);
    await fill(tenant, name);
    return tenant;
  };
  const fill = async (tenant: Tenant, name: string) => {
    const { tenantId } = tenant;
    await upsert(tenant, 'customers', [{ Email: `ann@${name}.com` }, { Email: `bob@${name}.com` }], operator);
    const variants = [{ VariantId: 'v', Sku: 'tea-500' }];
    await upsert(tenant, 'products', [{ ProductId: 'tea', ProductVariants: variants }], operator);
    const orders = ['1', '4'].map((OrderId) => ({ OrderId, Currency: 'EUR' }));
    await upsert(tenant, 'orders', orders, operator);
    await remove(tenant, { type: 'order', orderId: '1' }, 'applied', operator);
    await remove(tenant, { type: 'order', orderId: '2' }, 'pending', operator);
    const [pending] = await pendingDeletions(tenantId, store, operator.deadline());
    await setAside(tenantId, pending!, new RangeError('no'), operator.deadline(), operator);
    await remove(tenant, { type: 'order', orderId: '3' }, 'pending', operator);
    await remove(tenant, { type: 'product', productId: 'gone' }, 'applied', operator);
    const runs = ['ended', 'running'].map((id) => `20260101000000${id}${name}`);
    const documents = runs.flatMap((runId) => [
      { path: runPath(runId), data: { tenantId, status: 'running', bucketName: `${name}-exports` } },
      ...RUN_PARTS.map((part) => ({ path: `${runPath(runId)}/${part}`, data: { part } })),
    ]);
    const others = [
      'takenFiles',
      'uploads',
      'transferLanes',
      'waitingUnits',
      'rekeying',
      'wideDeletions',
      'deletionReceipts',
      'usage',
    ];
    for (const other of others) documents.push({ path: `${tenantPath(tenantId)}/${other}/f`, data: { part: 'f' } });
    documents.push({ path: liveTransferPath(tenantId), data: { part: 'live' } });
    await store.writeEach(documents.map(({ path, data }) => ({ set: path, data })), operator.deadline()); // prettier-ignore
    for (const runId of runs)
      for (const report of ['f.1.a', 'f.1.overtaken']) eraser.reportNames.add(`runs/${runId}/${report}`);
    for (const kind of RECURRING_KINDS) eraser.scheduled.add(recurringJobId(kind, tenantId));
    await claimBucket(`${name}-exports`, tenant.organizationId, store, operator.deadline());
  };
  const leaver = await create('acme', 'leaver');
  const sibling = await create('acme', 'sibling');
  const stranger = await create('else', 'stranger');
  const isOf =
    ({ tenantId }: Tenant, name: string) =>
    (path: string) =>
      path.includes(tenantId) || path.includes(name);
  return { clock, store, operator, eraser, leaver, sibling, stranger, fill, isLeavers: isOf(leaver, 'leaver') };
}

type World = Awaited<ReturnType<typeof aWorld>>;

/** All documents but the entries of the audit log, which stay. */
async function documentsIn(store: ObservedDocumentStore): Promise<Map<string, StoredDocument>> {
  return new Map([...(await store.dump())].filter(([path]) => !path.startsWith(`${AUDIT_LOG}/`)));
}

/** Everything that is anywhere. */
async function everything({ store, eraser }: World) {
  return { documents: await documentsIn(store), jobs: [...eraser.scheduled], reports: [...eraser.reportNames] };
}

async function everythingButLeavers(world: World) {
  const { documents, jobs, reports } = await everything(world);
  const { isLeavers } = world;
  return {
    documents: new Map([...documents].filter(([path]) => !isLeavers(path))),
    jobs: jobs.filter((job) => !isLeavers(job)),
    reports: reports.filter((report) => !isLeavers(report)),
  };
}

function countsOf(documents: Iterable<StoredDocument>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { path } of documents) counts[collectionIdOf(path)] = (counts[collectionIdOf(path)] ?? 0) + 1;
  return counts;
}

let world: World;
beforeEach(async () => {
  world = await aWorld();
});

it('removes the same in steps that end early, wait for nothing and are gone on with (R-344)', async () => {
  const { eraser, leaver, isLeavers } = world;
  const left = await everythingButLeavers(world);
  let ticksMs = 0;
  const clock = {
    nowMs: () => eraser.clock.nowMs() + (ticksMs += 1_000), // each look at the clock is late
    sleep: () => Promise.reject(new Error('A step waits for nothing.')),
  };
  const states: string[] = [];
  for (let step = 0; step < 500 && states.at(-1) !== 'erased'; step += 1) {
    const { state } = await eraseTenant(leaver.tenantId, { yes: true, stepMs: 5_000 }, { ...eraser, clock });
    states.push(state);
  }
  expect(states.length).toBeGreaterThan(5);
  expect(new Set(states)).toEqual(new Set(['beingErased', 'erased']));
  const { documents } = await everything(world);
  expect([...documents.values()].filter(({ path }) => isLeavers(path))).toEqual([]);
  expect(await everythingButLeavers(world)).toEqual(left);
});

it('removes everything that is stored of the tenant, and leaves all other tenants byte for byte as they were (R-60)', async () => {
  const { store, eraser, leaver, isLeavers } = world;
  const before = await everything(world);
  const left = await everythingButLeavers(world);
  const gone = [...before.documents.values()].filter(({ path }) => isLeavers(path));
  expect(Object.keys(countsOf(gone))).toEqual(
    expect.arrayContaining([
      ...TENANT_COLLECTIONS,
      'files',
      'leases',
      'replay',
      'pages',
      'skippedFiles',
      'reports',
      'transferRuns',
    ]),
  );
  const report = await eraseTenant(leaver.tenantId, YES, eraser);
  expect(await everything(world)).toEqual(left);
  expect(report).toMatchObject({
    state: 'erased',
    organizationId: 'acme',
    documents: countsOf(gone),
    reportObjects: 4,
  });
  expect(report.jobs).toEqual(RECURRING_KINDS.map((kind) => recurringJobId(kind, leaver.tenantId)));
  const [last, end] = store.writes.slice(-2).map(({ paths }) => paths);
  expect(last).toEqual([tenantPath(leaver.tenantId)]);
  expect(end).toEqual([expect.stringMatching(/^auditLog\//)]);
});

it('reports without --yes what it would remove, and changes nothing', async () => {
  const { store, eraser, leaver } = world;
  const before = await everything(world);
  const reported = await eraseTenant(leaver.tenantId, {}, eraser);
  expect(await everything(world)).toEqual(before);
  const { state, note, ...erased } = await eraseTenant(leaver.tenantId, YES, eraser);
  expect(reported).toEqual({
    ...erased,
    state: 'stored',
    note: expect.stringMatching(/^Nothing was changed\..* 15 minutes/) as string,
  });
  expect([state, note]).toEqual(['erased', expect.stringMatching(/^Nothing is stored/)]);
  expect(store.calls.length).toBeGreaterThan(0);
});

it('says of a tenant that is erased that it does not exist, however often, and changes nothing', async () => {
  const { eraser, leaver } = world;
  await eraseTenant(leaver.tenantId, YES, eraser);
  const after = await everything(world);
  for (const options of [{}, YES]) {
    expect(await eraseTenant(leaver.tenantId, options, eraser)).toMatchObject({
      state: 'absent',
      documents: {},
      jobs: [],
    });
  }
  expect(await everything(world)).toEqual(after);
});

describe.each(['before', 'after'] as const)('stopped %s any call of the database', (when) => {
  it('goes on when it is run again, and ends with everything gone (R-60)', async () => {
    const left = await everythingButLeavers(world);
    const { isLeavers } = world;
    let stops = 0;
    for (let at = 0; ; at += 1) {
      const each = await aWorld(); // the same each time
      let calls = 0;
      const stopping = withMethods(each.store, (method) => async (...call) => {
        const stopped = new Error('The process was killed.');
        calls += 1;
        if (calls > at + 1 || (calls === at + 1 && when === 'before')) throw stopped;
        const answer = await method(...call);
        if (calls === at + 1) throw stopped;
        return answer;
      });
      const ended = await eraseTenant(each.leaver.tenantId, YES, { ...each.eraser, store: stopping }).catch(
        (error: unknown) => error,
      );
      if (!(ended instanceof Error)) break;
      stops += 1;
      const again = await eraseTenant(each.leaver.tenantId, YES, each.eraser);
      expect(['erased', 'absent']).toContain(again.state);
      const now = await everything(each);
      expect([...now.documents.keys(), ...now.jobs, ...now.reports].filter(isLeavers)).toEqual([]);
      expect(now.reports).toEqual(left.reports);
      expect([...now.documents.keys()].sort()).toEqual([...left.documents.keys()].sort());
    }
    expect(stops).toBeGreaterThan(25);
  });
});

describe('while it is under way', () => {
  /** Erases the leaver, and does something when the first pass is over, or so long after that. */
  async function meanwhile(work: () => Promise<unknown>, afterMs = 0): Promise<void> {
    const { clock, eraser, leaver } = world;
    const startMs = clock.nowMs();
    let isDone = false;
    const waiting = {
      nowMs: () => clock.nowMs(),
      sleep: async (ms: number) => {
        if (!isDone && clock.nowMs() - startMs >= afterMs) {
          isDone = true;
          await work();
        }
        await clock.sleep(ms);
      },
    };
    await eraseTenant(leaver.tenantId, YES, { ...eraser, clock: waiting });
    expect(isDone).toBe(true);
  }

  it('takes with it what is written as late as a request may that was admitted before (R-60)', async () => {
    const { operator, leaver, fill } = world;
    const left = await everythingButLeavers(world);
    const latestMs = Math.max(MAX_REQUEST_MS + WORK_WAIT_MS + REQUEST_DEADLINE_MS, MAX_STEP_MS);
    expect(STALE_TENANT_MS).toBe(latestMs + STALE_TENANT_MARGIN_MS);
    await meanwhile(() => fill(leaver, 'leaver'), latestMs);
    const { documents, ...others } = await everything(world);
    expect({ ...others, documents: new Set(documents.keys()) }).toEqual({
      ...left,
      documents: new Set(left.documents.keys()),
    });
    expect(operator.said.some((text) => text.includes('waiting'))).toBe(true);
  });

  it('finds what is below runs that were not ended when it began, after the first pass, too', async () => {
    const { store, operator, isLeavers } = world;
    const path = `${runPath('20260101000000runningleaver')}/files/late`;
    await meanwhile(() => store.commit([{ set: path, data: {} }], operator.deadline()));
    expect([...(await store.dump()).keys()].filter(isLeavers)).toEqual([]);
  });

  it('does not let its id be created, nor anything be done with it, and lists it', async () => {
    const { operator, leaver } = world;
    const refused = { message: expect.stringMatching(/is being erased; tenants erase .* --yes goes on/) as string };
    const runId = '20260101000000endedleaver';
    await meanwhile(async () => {
      const { tenantId } = leaver;
      const before = await everything(world);
      for (const command of [
        () => createTenant({ organization: 'acme', id: tenantId }, operator),
        () => updateTenant(tenantId, { required: ['Phone'] }, operator),
        () => rekeyTenant(tenantId, operator),
        () => countRecords(tenantId, 'orders', operator),
        () => retryDeletions(tenantId, operator),
        () => listRuns(tenantId, operator),
        () => resumeTransfer(runId, operator),
      ]) await expect(command()).rejects.toMatchObject(refused); // prettier-ignore
      expect((await listTenants(operator)).filter(({ erasingSince }) => erasingSince)).toMatchObject([{ tenantId }]);
      expect(await everything(world)).toEqual(before);
    });
  });

  it('does not let a run of it be replayed', async () => {
    const { store, operator } = world;
    const path = runPath('20260101000000endedleaver');
    await store.commit([{ set: path, data: { status: 'failed' }, fields: ['status'] }], operator.deadline());
    await meanwhile(() => expect(replayRun('20260101000000endedleaver', operator)).rejects.toThrow('is being erased'));
  });

  it('stops a re-keying, which writes nothing more after a page of records', async () => {
    const { store, operator, leaver } = world;
    const path = recordPath(leaver.tenantId, 'orders', orderRecordId('9'));
    const marking = withMethods(store, (method, name) => async (...call) => {
      const answer = await method(...call);
      if (name === 'listRefs' && String(call[0]).endsWith('/customers')) {
        await store.commit([{ set: tenantPath(leaver.tenantId), data: { erasingSince: new Date(0) }, fields: ['erasingSince'] }], operator.deadline()); // prettier-ignore
      }
      return answer;
    });
    await store.commit([{ set: path, data: {} }], operator.deadline());
    await expect(rekeyTenant(leaver.tenantId, { ...operator, store: marking })).rejects.toThrow('is being erased');
  });

  it('leaves a new tenant of its id alone when another command was faster', async () => {
    const { eraser, operator, leaver, store, fill } = world;
    let renewed: Map<string, StoredDocument> | undefined;
    const other = { ...eraser, clock: new FixedClock(eraser.clock.nowMs() + STALE_TENANT_MS) };
    const overtaken = meanwhile(async () => {
      await eraseTenant(leaver.tenantId, YES, other);
      await fill(
        await createTenant({ organization: 'acme', id: leaver.tenantId, productIdentifier: 'sku' }, operator),
        'leaver',
      );
      renewed = await documentsIn(store);
    });
    await expect(overtaken).rejects.toThrow('Another command has ended the erasure');
    expect(await documentsIn(store)).toEqual(renewed);
  });
});

describe('buckets', () => {
  it('stay while the organization has another tenant, and are released with its last one (R-61)', async () => {
    const { store, eraser, leaver, sibling } = world;
    const bucketsNow = async () =>
      (await store.list(BUCKETS, { limit: 10 }, eraser.deadline())).map(({ data }) => data.name).sort();
    const names = ['leaver-exports', 'sibling-exports'];
    for (const options of [{}, YES]) {
      const { buckets, bucketsKept } = await eraseTenant(leaver.tenantId, options, eraser);
      expect([buckets, [...bucketsKept].sort()]).toEqual([[], names]);
    }
    expect(await bucketsNow()).toEqual([...names, 'stranger-exports']);
    for (const options of [{}, YES]) {
      const { buckets, bucketsKept } = await eraseTenant(sibling.tenantId, options, eraser);
      expect([[...buckets].sort(), bucketsKept]).toEqual([names, []]);
    }
    expect(await bucketsNow()).toEqual(['stranger-exports']);
  });

  it('of reports: says what is missing where the operator may not use it, and goes on later', async () => {
    const { eraser, leaver, store, isLeavers } = world;
    const denied = () => Promise.reject(new AccessDenied('Access denied.'));
    for (const methods of [{ list: denied }, { remove: denied }]) {
      const storage = { ...eraser.storage, ...methods };
      await expect(eraseTenant(leaver.tenantId, YES, { ...eraser, storage })).rejects.toThrow(
        'Access denied to the bucket of reports, reports (REPORTS_BUCKET)',
      );
    }
    expect(await eraseTenant(leaver.tenantId, {}, eraser)).toMatchObject({ state: 'beingErased' });
    await eraseTenant(leaver.tenantId, YES, eraser);
    expect([...(await store.dump()).keys()].filter(isLeavers)).toEqual([]);
  });
});
