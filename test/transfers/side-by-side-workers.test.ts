/** Workers of one file that die or stand still while slices are written side by side (D-55, R-15). */
import { Readable } from 'node:stream';
import type { Clock } from '../../shared/platform/clock';
import type { DocumentStore } from '../../shared/documents/document-store';
import { recordsPath, runFileLeasePaths } from '../../shared/documents/paths';
import { OVERTAKEN_POLL_MS } from '../../shared/limits/transfers';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { AccessDenied } from '../../shared/transfers/object-storage';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import type { UnitStep } from '../../shared/transfers/runs/steps';
import { ofTier } from '../faults/tier';
import { upsert } from '../support/api-writes';
import { changesDto, NO_CONSENTS } from '../support/stored-run';
import { encodeRecords } from '../support/file-formats';
import { overriding, withMethods } from '../support/overriding';
import type { RunOptions, Shop, StartedRun } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import type { Customer, Writes } from './slices-of-customers';
import {
  allStored,
  customer,
  customers,
  gate,
  holding,
  namesOf,
  S,
  startAtFile,
  storing,
  until,
} from './slices-of-customers';

const lab = useTransferLab();

/** What becomes of a slice's commit at which a process dies, and of those beside it. */
const DEATHS = ['only the one before is stored', 'it is stored, too', 'only the next one is stored'] as const;
type Death = (typeof DEATHS)[number];

/** How long the commits of slices take: they are recorded in leases, in one of two slices, or the file's document. */
const COMMITS_MS = ofTier([0], [0, 500, 1_000]);

/** Of which the first two are written by themselves, and the last has ten rows. */
const SLICES = 9;
const COUNT = (SLICES - 1) * S + 10;

interface SharedCustomers {
  readonly title: string;
  /** The slice after the death changes a customer again that the slice so many before it has; undefined: none does. */
  readonly before?: number;
  /** A slice that has a customer twice, so that it waits for all before it, and those after it take other turns. */
  readonly waiting?: number;
  /** Commits of slices, from 0, to die at. */
  readonly deathsAt: readonly number[];
}

const SHARED_NOTHING: SharedCustomers = {
  title: 'slices that share nothing',
  deathsAt: ofTier([3], [0, 1, 2, 3, 4, 5, 6, 7, 8]),
};
const sharing = (before: number, deathsAt: readonly number[]): SharedCustomers => ({
  title: `slices of which the next one shares a customer with the one ${before} before it`,
  before,
  deathsAt,
});
const sharingInOtherTurns = (before: number, deathsAt: readonly number[]): SharedCustomers => ({
  ...sharing(before, deathsAt),
  title: `slices in other turns of which the next one shares a customer with the one ${before} before it`,
  waiting: 3,
});
const SHARED = ofTier<readonly SharedCustomers[]>(
  [SHARED_NOTHING, sharingInOtherTurns(4, [7])],
  [
    SHARED_NOTHING,
    ...[1, 2, 3, 4, 5].map((before) => sharing(before, [5, 6])), // on the lease, and with the progress
    ...[1, 2, 3, 4, 5].map((before) => sharingInOtherTurns(before, [6, 7])),
  ],
);

/** Every row is later than the one before it: one that is stored again out of turn is stale. */
function rowsOf({ before, waiting }: SharedCustomers, index: number): readonly Customer[] {
  const at = (n: number) => ({
    Name: `Name ${n}`,
    EmailOptin: true,
    UpdatedAt: new Date(Date.UTC(2020, 0, 1, 0, 0, n)).toISOString(),
  });
  return customers(COUNT).map((_row, n) => {
    if (waiting !== undefined && n === waiting * S + 7) return customer(n - 1, at(n));
    const isAgain = before !== undefined && n === (index + 1) * S + 5;
    return customer(isAgain ? n - before * S : n, at(n));
  });
}

/**
 * The lab's store in a process that dies at a slice's commit. It reads customers when the commits before are over, so
 * that no version tells of a slice that is applied too early.
 */
function dyingAt(index: number, death: Death, clock = movingClock(0)): DocumentStore {
  const begun: Promise<unknown>[] = [];
  let isDead = false;
  const assertAlive = () => {
    if (isDead) throw new Error('The process is dead.');
  };
  const store = storing(lab(), async (_writes, commit) => {
    assertAlive();
    clock.move();
    const own = begun.length;
    if (own === index) {
      begun.push(Promise.resolve());
      if (death === 'it is stored, too') await commit();
      if (death === 'only the next one is stored') {
        await beginOf(begun, own + 1);
        await begun[own + 1];
      }
      isDead = true; // the one before is on its way
      assertAlive();
    }
    const outcome = beginOf(begun, own + 1).then(commit); // so that the next one knows of as little as it can
    begun.push(outcome);
    return outcome;
  });
  return withMethods(store, (method, name) => async (...args) => {
    assertAlive();
    if (name === 'getSome' && (args[0] as string[]).some((path) => path.includes('/customers/'))) {
      await Promise.allSettled(begun);
    }
    const result = await method(...args);
    assertAlive();
    return result;
  });
}

/** A clock that is moved, with each commit of a slice, so that some are recorded in the file's document. */
function movingClock(ms: number): Clock & { readonly move: () => void } {
  const { clock } = lab().operator;
  let movedMs = 0;
  const sleep: Clock['sleep'] = (...args) => clock.sleep(...args);
  return { nowMs: () => clock.nowMs() + movedMs, sleep, move: () => void (movedMs += ms) };
}

/** Waits until a commit has begun; where it waits for those before it, for a while. */
async function beginOf(begun: readonly Promise<unknown>[], index: number): Promise<void> {
  for (let waits = 0; waits < 20 && begun.length <= index; waits += 1) await lab().operator.clock.sleep(10);
}

describe.each(SHARED)('a process that dies at a commit of $title (R-15)', (shared) => {
  it.each(DEATHS)('loses nothing and counts nothing twice, nor what it has changed (R-88): %s', async (death) => {
    // One of each slice is there already and newer, so that all records are read.
    const there = Array.from({ length: SLICES }, (_, slice) => customer(slice * S, { Name: 'Newer' }));
    const counts = { ...allStored(COUNT - SLICES), read: COUNT, stale: SLICES };
    for (const [index, commitMs] of shared.deathsAt.flatMap((at) => COMMITS_MS.map((ms) => [at, ms] as const))) {
      const rows = rowsOf(shared, index);
      const clock = movingClock(commitMs);
      const expected = new Map<string, unknown>([...rows, ...there].map(({ CustomerId, Name }) => [CustomerId, Name]));
      const { shop, started, step, deliverTo } = await startAtFile(lab(), rows);
      await upsert(shop.tenant, 'customers', there, lab().operator);
      await expect(deliverTo({ store: dyingAt(index, death, clock), clock })).rejects.toThrow('dead');
      await started.deliver(step);
      await started.deliverAll();
      const { rows: shown, status, changes } = await started.shown();
      expect({ index, status, shown }).toEqual({ index, status: 'succeeded', shown: counts });
      const Created = new Set(rows.map(({ CustomerId }) => CustomerId)).size - SLICES;
      const EmailOptin = { ...NO_CONSENTS, Granted: Created, KeptWithdrawn: SLICES };
      expect(changes).toEqual(changesDto({ Created, Updated: counts.stored - Created }, { EmailOptin }));
      expect(await namesOf(lab(), shop)).toEqual(expected);
    }
  });
});

/** What happens to a run before the step of a process that died comes again. */
const ENDINGS: Record<string, (shop: Shop, started: StartedRun) => Promise<RunOptions['overrides']>> = {
  'its file is removed': (shop) => {
    shop.bucket.remove('customers.ndjson');
    return Promise.resolve({});
  },
  'access is taken away': (shop) => {
    const denied = () => Readable.from(throwing(new AccessDenied(shop.bucket.name)));
    return Promise.resolve({ storage: overriding<ObjectStorage>(lab().storage, { read: denied }) });
  },
  'its run is cancelled': async (_shop, started) => {
    const { runId } = await started.shown();
    const { operator } = lab();
    expect(await cancelRun(runId, operator.deadline(), operator)).toBe(true);
    return {};
  },
};

describe.each(Object.keys(ENDINGS))('a process that dies before %s (R-88)', (ending) => {
  it.each(DEATHS)('has what it stored counted, though nobody reads on: %s', async (death) => {
    const { shop, started, deliverTo } = await startAtFile(lab(), customers(COUNT));
    await expect(deliverTo({ store: dyingAt(5, death) })).rejects.toThrow('The process is dead.');
    const overrides = await ENDINGS[ending]!(shop, started);
    for (const _ of ['first', 'again']) {
      await deliverTo({ ...overrides });
      await started.deliverAll();
      const { rows, changes } = await started.shown();
      const { size } = await namesOf(lab(), shop);
      expect(size).toBeGreaterThan(3 * S);
      expect(rows).toEqual(allStored(size));
      expect(changes).toEqual(changesDto({ Created: size }));
    }
  });
});

// eslint-disable-next-line @typescript-eslint/require-await -- throws as reading does
async function* throwing(error: Error): AsyncGenerator<Buffer> {
  throw error;
}

describe('a commit of a slice that arrives when another worker has read the file to its end', () => {
  it.each(ofTier([3, 4], [2, 3, 4, 5, 6]))('changes nothing, be it that of slice %d', async (index) => {
    // The last row changes a customer of that slice.
    const rows = [...customers(COUNT), customer(index * S + 5, { Name: 'Last' })];
    const { shop, started, step, deliverTo } = await startAtFile(lab(), rows);
    const arrival = gate();
    const late = holding(lab(), (begun) => (begun === index ? arrival.isOpen : undefined));
    const stalled = deliverTo({ store: late.store });
    await until(() => late.seen.ended === index + 1, lab()); // all before it, and the one beside it
    await started.deliver(step);
    await started.deliverAll();
    const shown = await started.shown();
    arrival.open();
    await stalled;
    expect((await namesOf(lab(), shop)).get(`c${index * S + 5}`)).toBe('Last');
    expect(await started.shown()).toEqual(shown);
    expect(shown.rows).toEqual(allStored(rows.length));
  });
});

describe('a worker that finds another one ahead of it', () => {
  it('has its step come again where that one is dead, and nobody reads the file', async () => {
    const { started, deliverTo } = await startAtFile(lab(), customers(2 * S + 10));
    let arrive: (() => Promise<unknown>) | undefined;
    const dying = storing(lab(), (_writes, commit) => {
      arrive = commit;
      return Promise.reject(new Error('The process dies.'));
    });
    await expect(deliverTo({ store: dying })).rejects.toThrow('dies');
    // The dead one's commit is stored when this one has read how far the file is.
    const meeting = storing(lab(), async (_writes, commit) => {
      await arrive?.();
      arrive = undefined;
      return commit();
    });
    const second = { store: meeting, clock: hurried() };
    await expect(deliverTo(second)).rejects.toThrow('stands still');
    expect((await started.shown()).status).toBe('running');
    await deliverTo(second);
    expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: allStored(2 * S + 10) });
  });

  it('has its step come again where that one noted what takes the place of the file, and died', async () => {
    const { shop, started, step, deliverTo } = await startAtFile(lab(), customers(1));
    const { store } = lab().operator;
    const replace = (n: number) => {
      const at = new Date(lab().operator.clock.nowMs() - n * 60_000);
      shop.bucket.put('customers.ndjson', encodeRecords([customer(n)], 'ndjson'), at);
    };
    const notes = (writes: Writes) => writes.some((write) => 'data' in write && write.data.replacedBy !== undefined);
    const noting = (around: (commit: () => Promise<unknown>) => Promise<unknown>) =>
      withMethods(
        store,
        (method, name) =>
          (...args) =>
            name === 'commit' && notes(args[0] as Writes) ? around(() => method(...args)) : method(...args),
      );
    replace(2);
    let arrive: (() => Promise<unknown>) | undefined;
    const dying = noting((commit) => {
      arrive = commit;
      return Promise.reject(new Error('The process dies.'));
    });
    await expect(deliverTo({ store: dying })).rejects.toThrow('dies');
    replace(3);
    const meeting = noting(async (commit) => {
      await arrive?.();
      return commit();
    });
    await expect(deliverTo({ store: meeting, clock: hurried() })).rejects.toThrow('stands still');
    await started.deliver(step);
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: allStored(1) });
    expect([...(await namesOf(lab(), shop)).keys()]).toEqual(['c3']);
  });

  it('leaves the file to that one where it is at work', async () => {
    const { started, deliverTo } = await startAtFile(lab(), customers(6 * S));
    const gates = { first: gate(), goOn: gate(), end: gate() };
    const held = holding(lab(), () => gates.first.isOpen);
    const { clock, seen } = watched();
    const overtaken = deliverTo({ store: held.store, clock });
    await until(() => held.seen.begun === 1, lab());
    const slow = holding(lab(), (index) => [Promise.resolve(), gates.goOn.isOpen][index] ?? gates.end.isOpen);
    const other = deliverTo({ store: slow.store });
    await until(() => slow.seen.ended === 1, lab());
    gates.first.open();
    await until(() => seen.looks > 0, lab());
    gates.goOn.open();
    await overtaken;
    expect((await started.shown()).status).toBe('running');
    gates.end.open();
    await other;
    expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: allStored(6 * S) });
  });

  it('does not end the run when it loses its access then', async () => {
    const rows = customers(6 * S);
    const { shop, started, deliverTo } = await startAtFile(lab(), rows);
    const gates = { deny: gate(), goOn: gate() };
    async function* firstRows() {
      yield Buffer.from(encodeRecords(rows.slice(0, 4 * S), 'ndjson'));
      await gates.deny.isOpen;
      throw new AccessDenied(shop.bucket.name);
    }
    const storage = overriding<ObjectStorage>(lab().storage, { read: () => Readable.from(firstRows()) });
    const { store, seen: stored } = holding(lab(), () => undefined);
    const { clock, seen } = watched();
    const denied = deliverTo({ storage, store, clock });
    await until(() => stored.ended === 4, lab());
    const slow = holding(lab(), (index) => (index > 0 ? gates.goOn.isOpen : undefined));
    const other = deliverTo({ store: slow.store });
    await until(() => slow.seen.ended === 1, lab());
    gates.deny.open();
    await until(() => seen.looks > 0, lab());
    expect((await started.shown()).status).toBe('running');
    gates.goOn.open();
    await Promise.all([denied, other]);
    expect(await started.shown()).toMatchObject({ status: 'succeeded', rows: allStored(6 * S) });
  });

  /** A clock on which a wait is over at once. */
  function hurried(): Clock {
    const { clock } = lab().operator;
    let movedMs = 0;
    return { nowMs: () => clock.nowMs() + movedMs, sleep: (ms) => Promise.resolve(void (movedMs += ms)) };
  }

  /** A clock that counts a worker's looks at the other one. */
  function watched() {
    const { clock } = lab().operator;
    const seen = { looks: 0 };
    const sleep: Clock['sleep'] = (ms, signal) => {
      if (ms === OVERTAKEN_POLL_MS) seen.looks += 1;
      return clock.sleep(ms, signal);
    };
    return { clock: { nowMs: () => clock.nowMs(), sleep }, seen };
  }
});

describe('a worker that stands still while another one reads the file to its end', () => {
  it('stores nothing of an earlier row over a later one, whenever it goes on', async () => {
    // The last row changes a customer of the third chunk, in the slice that is stored beside another one.
    const rows = [...customers(6 * S), customer(5 * S + 5, { Name: 'Last' })];
    const { shop, started, step, deliverTo } = await startAtFile(lab(), rows);
    // One of each slice is there already and newer, so that all records are read.
    const there = Array.from({ length: 6 }, (_, slice) => customer(slice * S));
    await upsert(shop.tenant, 'customers', there, lab().operator);

    const { store, deadline } = lab().operator;
    const stored = await store.list(recordsPath(shop.tenant.tenantId, 'customers'), { limit: 10 }, deadline());
    const ofThirdChunk = stored.find(({ data }) => data.CustomerId === `c${4 * S}`)!.path;
    const standing = gate();
    const { store: counted, seen } = holding(lab(), () => undefined);
    let isReading = false;
    const slow = withMethods(counted, (method, name) => async (...args) => {
      // Reads the third chunk's records only when all is over.
      if (name === 'getSome' && (args[0] as readonly string[]).includes(ofThirdChunk)) {
        isReading = true;
        await standing.isOpen;
      }
      return method(...args);
    });
    const stalled = deliverTo({ store: slow });
    await until(() => isReading && seen.ended >= 4, lab());
    await started.deliver(step);
    await started.deliverAll();
    const ended = await started.shown();
    standing.open();
    await stalled;
    expect((await namesOf(lab(), shop)).get(`c${5 * S + 5}`)).toBe('Last');
    expect(await started.shown()).toEqual(ended);
    expect(ended.rows).toEqual({ ...allStored(rows.length - 6), read: rows.length, stale: 6 });
  });

  it('cannot go on once another one has recorded progress, be it a single slice', async () => {
    const { started, step, deliverTo } = await startAtFile(lab(), customers(3 * S + 10));
    let commits = 0;
    const dying = withMethods(lab().operator.store, (method, name) => (...args) => {
      if (name === 'commit' && (commits += 1) === 4) throw new Error('The process dies.');
      return method(...args);
    });
    await expect(deliverTo({ store: dying })).rejects.toThrow('dies');
    const { store, deadline } = lab().operator;
    const { runId, fileIds } = step.event as UnitStep;
    const leases = () => store.getAll(runFileLeasePaths(runId, fileIds[0]!), deadline());
    const left = await leases();
    expect(left.length).toBeGreaterThan(0);
    await started.deliver(step);
    const taken = new Map((await leases()).map(({ path, version }) => [path, version]));
    for (const { path, version } of left) expect(taken.get(path)).not.toEqual(version);
    expect((await started.shown()).rows).toEqual(allStored(3 * S + 10));
  });
});
