/**
 * Promise: a 200 means stored; a 500 may be repeated safely; every answer comes within 30 s with the right message.
 * Every kind of fault, before and after every call that a route makes to Firestore, Pub/Sub and Cloud Scheduler, some
 * times or until the service gives up.
 */
import { PubSub } from '@google-cloud/pubsub';
import { connectTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { toKeyDocument, toTenantDocument } from '../../shared/auth/tenant-documents';
import { readConfig } from '../../shared/config';
import { FULL_REGION_SECONDS } from '../../shared/limits/transfers';
import type { RegionalScheduler } from '../../shared/transfers/regional-scheduler';
import { systemClock } from '../../shared/platform/clock';
import { deadlineIn } from '../../shared/platform/deadline';
import { drainDeletions } from '../../shared/deletions/apply-deletion';
import type { DocumentWrite, StoredDocument } from '../../shared/documents/document-store';
import { writtenPath } from '../../shared/documents/document-store';
import { apiKeyPath, tenantPath } from '../../shared/documents/paths';
import { hashApiKey, PERMISSIONS } from '../../shared/domain/api-key';
import { RECORD_KINDS } from '../../shared/domain/identity';
import type { Tenant } from '../../shared/domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId } from '../../shared/domain/tenant';
import { RECURRING_KINDS, recurringJobId, toSchedule, toTrigger } from '../../shared/domain/transfer';
import { inParallel } from '../../shared/platform/async/in-parallel';
import type { ApiRoute } from '../http/api';
import { changesSomething, deletesRecords, ROUTES, titleOf } from '../http/api';
import type { SchedulerStandIn } from '../local/scheduler-stand-in';
import { startSchedulerStandIn } from '../local/scheduler-stand-in';
import { keyedWrite } from '../../shared/workspace/customer-keys';
import { upsert } from '../support/api-writes';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator, LONGEST_LOCK_MS } from '../support/emulator-operator';
import { changingTransactions, overriding } from '../support/overriding';
import { MemoryObjects } from '../support/recording-fakes';
import { SeededRandom } from '../support/seeded-random';
import { storedReport, storedRun } from '../support/stored-run';
import type { Fault, FaultKind } from './proxy/fault-proxy';
import { STATUSES } from './proxy/fault-proxy';
import type { Between, FaultyService } from './proxy/faulty-service';
import { LONGEST_ANSWER_MS, startFaultyService } from './proxy/faulty-service';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(120, 5_000);
const LANES = 12;
const COLLECTIONS = [...RECORD_KINDS, 'skus', 'deletions', 'tombstones'] as const;
/** What the requests of the routes carry. */
const PRIVATE = ['ada@example.com', 'ada-exports', 'P-1', 'O-1', 'C-1'];
/** Nothing but a lock lets a request that no fault meets take so long. */
const LOCKED_MS = 5_000;
/** What two equal databases need not share. */
const OF_THE_MOMENT = new Set(['revision', 'deletedAt', 'OrderDate']);

const TIME = /"\d{4}-\d\d-\d\dT[^"]+"/g;

/** A call that a route makes, by its method, and which of the calls of this method it is, from 1. */
interface CallSite {
  readonly path: string;
  readonly ordinal: number;
}

interface Case extends Fault {
  readonly route: ApiRoute;
  readonly call: CallSite;
  /** Calls in a row that go wrong; Infinity: all, until the service gives up. */
  readonly times: number;
  /** The function has admitted the caller before, and reads ahead. */
  readonly isSeen: boolean;
}

let operator: EmulatorOperator;
let pubsub: PubSub;
let standIn: SchedulerStandIn;
let scheduler: RegionalScheduler;
let config: Parameters<typeof startFaultyService>[0];
const storage = new MemoryObjects();
const lanes: FaultyService[] = [];
const keys: string[] = [];
let template: StoredDocument[] = [];

beforeAll(async () => {
  operator = connectToEmulator();
  const base = readConfig();
  pubsub = new PubSub({ projectId: base.projectId, apiEndpoint: base.emulators.pubsub!, emulatorMode: true });
  const unique = operator.random.bytes(4).toString('hex');
  const topics = {
    deletions: `d-${unique}`,
    transfers: `t-${unique}`,
    uploads: `u-${unique}`,
    deadLetters: `l-${unique}`,
  };
  for (const topic of Object.values(topics)) await pubsub.createTopic(topic);
  standIn = await startSchedulerStandIn({ host: '127.0.0.1', port: 0 }, pubsub);
  const emulators = {
    firestore: base.emulators.firestore!,
    pubsub: base.emulators.pubsub!,
    scheduler: `127.0.0.1:${standIn.port}`,
  };
  config = { ...base, topics, emulators };
  scheduler = connectTransferScheduler(config, systemClock);
  for (let lane = 0; lane < LANES; lane += 1) lanes.push(await startFaultyService(config, { storage }));
  template = await storeTemplate();
});
afterAll(async () => {
  for (const lane of lanes) await lane.stop();
  await standIn.stop();
  await pubsub.close();
  await operator.close();
});

/** Records of which every delete route removes one and keeps another, and which the routes that read find. */
async function storeTemplate(): Promise<StoredDocument[]> {
  const tenant = await operator.createTenant();
  await upsert(
    tenant,
    'customers',
    [{ Email: 'ada@example.com', CustomerId: 'C-1' }, { Email: 'bob@x.com' }],
    operator,
  );
  const variants = ['V-1', 'V-2'].map((VariantId) => ({ VariantId, Sku: VariantId }));
  const products = ['P-1', 'P-2'].map((ProductId) => ({ ProductId, ProductVariants: variants }));
  await upsert(tenant, 'products', products, operator);
  const items = ['1', '2'].map((n) => ({ ProductId: `P-${n}`, Sku: `S-${n}`, Quantity: 1, Price: 1 }));
  const orders = ['O-1', 'O-2'].map((OrderId) => ({ OrderId, Currency: 'EUR', OrderItems: items }));
  await upsert(tenant, 'orders', orders, operator);
  return (await Promise.all(RECORD_KINDS.map((kind) => list(tenant, kind)))).flat();
}

function list({ tenantId }: Tenant, collection: string): Promise<StoredDocument[]> {
  return operator.store.list(`${tenantPath(tenantId)}/${collection}`, { limit: 100 }, operator.deadline());
}

interface Caller {
  readonly tenant: Tenant;
  readonly key: string;
}

/** A tenant with a key and with what the route needs to have an effect. */
async function createCaller(route: ApiRoute): Promise<Caller> {
  const hex = operator.random.bytes(16).toString('hex');
  const tenantId = parseTenantId(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))!;
  const tenant: Tenant = { ...DEFAULT_SETTINGS, tenantId, organizationId: 'faults' };
  const key = operator.random.bytes(32).toString('base64');
  keys.push(key);
  const report = storedReport(tenantId);
  storage.put(config.reportsBucket, report.name, report.content);
  const hash = hashApiKey(key)!;
  const stored = {
    hash,
    keyId: `key_${hex}`,
    organizationId: 'faults',
    permissions: PERMISSIONS,
    requestsPerMinute: 100,
    createdAtMs: 0,
    name: null,
    expiresAtMs: null,
    revokedAtMs: null,
  };
  const records = deletesRecords(route) || !changesSomething(route) ? template : [];
  await operator.store.commit(
    [
      { set: tenantPath(tenantId), data: toTenantDocument(tenant) },
      keyedWrite(tenant, undefined, operator.random), // as of every new tenant
      { set: apiKeyPath(hash), data: toKeyDocument(stored) },
      ...storedRun(tenantId),
      ...records.map(({ path, data }) => ({ set: path.replace(/^tenants\/[^/]+/, tenantPath(tenantId)), data })),
    ],
    deadlineIn(LONGEST_LOCK_MS, systemClock),
  );
  if (/unregister|transfers\/run/.test(route.path(''))) {
    const options = { TenantId: tenantId, BucketName: 'ada-exports' };
    const trigger = toTrigger('daily', tenantId, recurringJobId('daily', tenantId), options);
    await scheduler.schedule({ trigger, schedule: '0 0 * * *' });
  }
  return { tenant, key };
}

/** Everything that is stored of a tenant, as a text that two equal tenants share. */
async function stateOf(tenant: Tenant): Promise<string> {
  const documents = (await Promise.all(COLLECTIONS.map((collection) => list(tenant, collection)))).flat();
  const records = documents.map(({ path, data }) => {
    const fields = Object.entries(data).filter(([name]) => !OF_THE_MOMENT.has(name));
    return [path.split('/').slice(2).join('/'), fields.sort(([a], [b]) => (a < b ? -1 : 1))];
  });
  const { tenantId } = tenant;
  // When the folders of a live transfer are looked through, follows from the tenant's id.
  const ofLive = toSchedule('live', { TenantId: tenantId, BucketName: 'any' });
  const schedules = RECURRING_KINDS.map(async (kind) => {
    const schedule = (await scheduler.find(recurringJobId(kind, tenantId)))?.schedule ?? null;
    return kind === 'live' && schedule === ofLive ? 'once a day' : schedule;
  });
  return JSON.stringify([records.sort(), await Promise.all(schedules)]).replaceAll(TIME, '"time"');
}

/** Lets accepted deletions take effect. */
async function applyDeletions(tenant: Tenant): Promise<void> {
  const deadline = deadlineIn(LONGEST_LOCK_MS, systemClock);
  for (const kind of RECORD_KINDS) await drainDeletions(tenant, kind, deadline, operator);
}

function send(lane: FaultyService, route: ApiRoute, { tenant, key }: Caller) {
  const { tenantId } = tenant;
  return lane.request(route.method, `/${route.to}${route.path(tenantId)}`, key, route.body?.(tenantId));
}

/** Repeats a request while it waits for locks: the emulator locks all tenants, so faults of others may hold it up. */
async function sendUntilUnlocked(lane: FaultyService, route: ApiRoute, caller: Caller) {
  const deadline = deadlineIn(LONGEST_LOCK_MS, systemClock);
  let answer = await send(lane, route, caller);
  while (answer.ms > LOCKED_MS && answer.status !== 200 && deadline.remainingMs() > 0) {
    answer = await send(lane, route, caller);
  }
  return answer;
}

/** What a route does when nothing goes wrong. */
interface Undisturbed {
  readonly before: string;
  readonly after: string;
  /** When the request was sent, and took effect, twice. */
  readonly afterTwice: string;
  readonly callSites: readonly CallSite[];
}

async function runUndisturbed(route: ApiRoute): Promise<Undisturbed> {
  const [lane] = lanes as [FaultyService];
  const caller = await createCaller(route);
  const before = await stateOf(caller.tenant);
  lane.trouble();
  const { status } = await send(lane, route, caller);
  if (status !== 200) throw new Error(`${titleOf(route)} answers ${status} when nothing goes wrong.`);
  const counts = new Map<string, number>();
  const callSites = lane.calls().map(({ path }) => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    return { path, ordinal: counts.get(path)! };
  });
  await applyDeletions(caller.tenant);
  const after = await stateOf(caller.tenant);
  await send(lane, route, caller);
  await applyDeletions(caller.tenant);
  return { before, after, afterTwice: await stateOf(caller.tenant), callSites };
}

const FEW_KINDS: readonly FaultKind[] = [...(Object.keys(STATUSES) as (keyof typeof STATUSES)[]), 'reset', 'delay'];
/** Each takes the service's whole timeout. */
const SILENT_SHARE = 0.02;
/** Cases in which a call goes wrong until the service gives up. */
const PERMANENT = Math.ceil(CASES * 0.4);
/** The service's timeouts are the usual ones then, on a clock that runs faster. */
const PERMANENT_SPEED = 10;

function drawCases(undisturbed: ReadonlyMap<ApiRoute, Undisturbed>): Case[] {
  const random = new SeededRandom(String(FAULTS_SEED));
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random.fraction() * items.length)]!;
  const passing = Array.from({ length: CASES - PERMANENT }, (_, number): Case => {
    const route = ROUTES[number % ROUTES.length]!;
    return {
      route,
      call: oneOf(undisturbed.get(route)!.callSites),
      kind: random.fraction() < SILENT_SHARE ? 'silence' : oneOf(FEW_KINDS),
      when: oneOf(['before', 'after'] as const),
      times: oneOf([1, 1, 1, 2, 4]),
      isSeen: random.fraction() < 0.5,
    };
  });
  // Each call with each kind of fault once before it is drawn again.
  const all = ROUTES.flatMap((route) =>
    undisturbed
      .get(route)!
      .callSites.flatMap((call) =>
        FEW_KINDS.flatMap((kind) => (['before', 'after'] as const).map((when) => ({ route, call, kind, when }))),
      ),
  );
  const order = new Map(all.map((one) => [one, random.fraction()]));
  all.sort((a, b) => order.get(a)! - order.get(b)!);
  const permanent = Array.from({ length: PERMANENT }, (_, number): Case => ({
    ...all[number % all.length]!,
    times: Infinity,
    isSeen: random.fraction() < 0.5,
  }));
  const isSlow = ({ kind }: Case) => kind === 'silence';
  return [...passing.filter(isSlow), ...permanent, ...passing.filter((one) => !isSlow(one))];
}

/** Has the route's function admit the caller, to the tenant where the path has one, without any effect. */
async function beSeen(lane: FaultyService, route: ApiRoute, caller: Caller): Promise<void> {
  const { to } = route;
  const { tenant, key } = caller;
  const posting = ROUTES.find((other) => other.to === to && other.method === 'POST');
  const { status } = posting
    ? await lane.request('POST', `/${to}${posting.path(tenant.tenantId)}`, key, [])
    : await send(lane, route, caller); // its function only reads
  if (status !== (to === 'ingestion' ? 400 : 200)) throw new Error(`${to} answers ${status} to an empty batch.`);
}

/** The answer to a request whose time was not enough, by the last call of those that failed. */
const OUT_OF_TIME =
  'The request could not be finished in time, and a part of it may be done. Please send it again as it is.';

/** A region of Cloud Scheduler that refuses a job so has no room, and is not asked again for a while. */
const isRefusedJob = ({ call, kind, when }: Case) =>
  call.path.endsWith('/CreateJob') && kind === 'RESOURCE_EXHAUSTED' && when === 'before';
const NO_ROOM = 'No more transfers can be scheduled at the moment. Please try again later.';

/** How often a fault met a call, and by which faults a request came to fail. */
const met = { faults: 0, failures: new Map<string, number>() };
const FAILING_SHARE = 0.2;

/** What is wrong after one case; undefined: nothing. */
async function findWrong(one: Case, lane: FaultyService, undisturbed: Undisturbed): Promise<string | undefined> {
  const { route, call, times, isSeen } = one;
  const caller = await createCaller(route);
  lane.trouble();
  if (isSeen) await beSeen(lane, route, caller);
  let calls = 0;
  lane.trouble(
    (path) => {
      if (path !== call.path) return undefined;
      calls += 1;
      if (calls < call.ordinal || calls >= call.ordinal + times) return undefined;
      met.faults += 1;
      return one;
    },
    times === Infinity ? PERMANENT_SPEED : 1,
  );
  const answer = await send(lane, route, caller);
  const publishes = lane.calls().filter(({ path, succeeded }) => succeeded && path.endsWith('/Publish')).length;
  lane.trouble();
  if (isRefusedJob(one)) lane.skip(FULL_REGION_SECONDS * 1_000);
  if (answer.ms > LONGEST_ANSWER_MS) return `the answer took ${answer.ms} ms`;
  const later = isRefusedJob(one) ? NO_ROOM : OUT_OF_TIME;
  const messages = new Map([
    [200, route.message],
    [500, route.failureMessage],
    [503, later],
  ]);
  if (!messages.has(answer.status)) return `the answer was ${answer.status}`;
  const message = messages.get(answer.status);
  if (answer.message !== message) return `the ${answer.status} said ${JSON.stringify(answer.message)}`;
  if (answer.status === 200 && route.uses === 'publisher' && publishes === 0) return 'a 200 without its message';
  if (answer.status !== 200) {
    const by = `${one.kind} ${one.when}`;
    met.failures.set(by, (met.failures.get(by) ?? 0) + 1);
    const afterFailure = await stateOf(caller.tenant);
    const isClean = [undisturbed.before, undisturbed.after].includes(afterFailure);
    if (!isClean && !afterFailure.includes('deletions/')) return `after a ${answer.status} there is ${afterFailure}`;
    const repeated = await sendUntilUnlocked(lane, route, caller);
    if (repeated.status !== 200) return `the repeated request got ${repeated.status}`;
  }
  await applyDeletions(caller.tenant);
  const after = await stateOf(caller.tenant);
  // A request that failed may have taken effect. A commit whose answer was lost is sent again, and may accept a
  // deletion once more, which is as if it had been sent twice.
  const isLost = one.when === 'after' && call.path.endsWith('/Commit');
  const mayBeTwice = answer.status !== 200 || isLost;
  const isRight = after === undisturbed.after || (mayBeTwice && after === undisturbed.afterTwice);
  return isRight ? undefined : `there is ${after} instead of ${undisturbed.after}`;
}

const RECORD_OR_DELETION = /^tenants\/[^/]+\/(customers|products|orders|deletions)\//;
const isKept = (write: DocumentWrite) => !RECORD_OR_DELETION.test(writtenPath(write));

it.each<[mistake: string, between: Between, routes: (route: ApiRoute) => boolean]>([
  [
    'a database that says written and does not write',
    {
      store: (store) => {
        const lying = overriding(store, {
          commit: (writes, deadline) => store.commit(writes.filter(isKept), deadline),
          writeEach: async (writes, deadline) => {
            await store.writeEach(writes.filter(isKept), deadline);
            return writes.map(() => 'written');
          },
        });
        return changingTransactions(lying, (transaction) =>
          overriding(transaction, {
            commit: (changes, deadline) => transaction.commit(changes.filter(isKept), deadline),
          }),
        );
      },
    },
    (route) => route.to !== 'ingestion' && changesSomething(route),
  ],
  [
    'a publisher that says published and does not publish',
    { publisher: () => ({ publish: () => Promise.resolve() }) },
    ({ uses }) => uses === 'publisher',
  ],
])('%s is caught at every route that uses it', async (mistake, between, isConcerned) => {
  const lane = await startFaultyService(config, between);
  const routes = ROUTES.filter(isConcerned);
  const caught: string[] = [];
  for (const route of routes) {
    const undisturbed = await runUndisturbed(route);
    const nowhere = { path: 'nowhere', ordinal: 1 };
    const calm: Case = { route, call: nowhere, kind: 'delay', when: 'before', times: 1, isSeen: false };
    if (await findWrong(calm, lane, undisturbed)) caught.push(titleOf(route));
  }
  await lane.stop();
  report(`proxy: ${mistake} is caught`, routes.length, routes.length - caught.length);
  expect(caught).toEqual(routes.map(titleOf));
});

it('whatever call goes wrong, a 200 means stored and a 500 or 503 may be repeated', async () => {
  const undisturbed = new Map<ApiRoute, Undisturbed>();
  for (const route of ROUTES) undisturbed.set(route, await runUndisturbed(route));
  for (const [route, { before, after }] of undisturbed) {
    if (!changesSomething(route)) continue;
    if (route.to === 'ingestion' && route.uses === 'publisher') continue; // leaves its message, and a run
    expect([titleOf(route), after]).not.toEqual([titleOf(route), before]);
  }
  const wrong: string[] = [];
  const waiting = drawCases(undisturbed).values();
  await inParallel(lanes.values(), LANES, async (lane) => {
    for (const one of waiting) {
      const problem = await findWrong(one, lane, undisturbed.get(one.route)!);
      const { route, call, kind, when, times } = one;
      const method = call.path.split('/').at(-1);
      if (problem) wrong.push(`${titleOf(route)}: ${kind} ${when} ${method} ${call.ordinal} × ${times}: ${problem}`);
    }
  });
  const failures = [...met.failures.values()].reduce((sum, count) => sum + count, 0);
  const by = [...met.failures].sort().map(([fault, count]) => `${count} × ${fault}`);
  const figures = `${met.faults} faults, ${failures} answers of 500 or 503: ${by.join(', ')}`;
  report('a 200 means stored, a 500 or 503 may be repeated', CASES, wrong.length, figures);
  expect(wrong).toEqual([]);
  expect(failures).toBeGreaterThanOrEqual(FAILING_SHARE * CASES);

  // Real failures quote what was asked for; the log must not.
  const logged = lanes.map(({ logger }) => JSON.stringify(logger.entries)).join('\n');
  const found = [...PRIVATE, ...keys].filter((text) => logged.includes(text));
  const entries = lanes.reduce((sum, { logger }) => sum + logger.entries.length, 0);
  report('nothing private in the log of a failure', entries, found.length);
  expect(found).toEqual([]);
});
