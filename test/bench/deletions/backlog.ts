/** Very many pending deletions of one tenant: while their consumer is stopped, and while it works them off. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import type { Tenant } from '../../../shared/domain/tenant';
import { withBenchStack } from '../bench-stack';
import type { Answer } from '../http-client';
import { median, pairedRatios } from '../statistics';
import type { Bar, SuiteOptions, Table } from '../suite';
import type { DeletionServers } from './deletion-servers';
import { callsOf, withDeletionServers } from './deletion-servers';
import type { Look } from './drain-rate';
import { partTimes } from './drain-rate';
import type { CountedLoad } from './hot-documents';
import { refusedOf, sendByCallers } from './request-load';

/** Orders are found by their id, customers by queries, which a full emulator answers slowly. */
const KIND = 'orders';
const PENDING = 100_000;
const QUICK_PENDING = 5_000;
/** Writes are counted with a part of them: what is written of one does not depend on how many there are. */
const COUNTED_PENDING = 10_000;
const FIRST_VICTIM = 10_000;
/** Known orders of an upsert. */
const BATCH = 500;
const WARM_UP_UPSERTS = 10;
/** Pairs of upserts while the consumer is stopped; while it works there are as many as there is time for. */
const PAIRS = 15;
const QUICK_PAIRS = 3;
const PAUSE_MS = 200;
const LOOK_MS = 1_000;
const QUICK_LOOK_MS = 200;
const PARTS = 5;

/** Upserts to the tenant with the pending deletions and to one without any, alternately. */
interface PairedUpserts {
  readonly withPending: number[];
  readonly without: number[];
}

export interface BacklogSamples {
  readonly pending: number;
  readonly acceptedMs: number;
  readonly refused: readonly Answer[];
  /** From the first look on at which something was applied. */
  readonly looks: readonly (Look & { readonly peakBytes: number })[];
  /** From the consumer's start to that look. */
  readonly begunMs: number;
  readonly stopped: PairedUpserts;
  readonly draining: PairedUpserts;
}

export function measureBacklog({ quick, progress }: SuiteOptions): Promise<BacklogSamples> {
  const pending = quick ? QUICK_PENDING : PENDING;
  return withBenchStack((stack) =>
    withDeletionServers(stack, { kind: KIND }, async (servers) => {
      const [tenant, other] = [await stack.createTenant(), await stack.createTenant()] as const;
      progress(`deletions: storing ${pending} orders`);
      for (const each of [tenant, other]) await servers.fill(each, BATCH, 0);
      await servers.fill(tenant, pending, FIRST_VICTIM);
      await servers.stopConsumer();
      progress(`deletions: accepting ${pending} deletions`);
      const startMs = performance.now();
      const accepted = await acceptAll(servers, tenant, pending);
      const acceptedMs = performance.now() - startMs;

      progress('deletions: upserts while the consumer is stopped');
      const refused = [...refusedOf(accepted)];
      const pair = async (upserts: PairedUpserts) => {
        const withPending = await servers.upsert(tenant, BATCH, 0);
        const without = await servers.upsert(other, BATCH, 0);
        upserts.withPending.push(withPending.elapsedMs);
        upserts.without.push(without.elapsedMs);
        refused.push(...refusedOf([withPending, without]));
      };
      for (let time = 0; time < WARM_UP_UPSERTS; time += 1) await pair(noUpserts());
      const stopped = noUpserts();
      for (let time = 0; time < (quick ? QUICK_PAIRS : PAIRS); time += 1) await pair(stopped);

      progress('deletions: working off what is pending');
      const draining = noUpserts();
      // Counted before: while it is worked off, a count may take so long that most is gone by then.
      const left = await servers.countPending(tenant);
      await servers.startConsumer();
      let isDrained = false;
      const pairNowAndThen = async () => {
        while (!isDrained) {
          await pair(draining);
          await sleep(PAUSE_MS);
        }
      };
      const paired = pairNowAndThen();
      const all = await watchDrain(servers, tenant, left, quick ? QUICK_LOOK_MS : LOOK_MS);
      isDrained = true;
      await paired;
      const stored = await servers.countRecords(tenant);
      if (refused.length === 0 && stored !== BATCH) throw new Error(`${stored} orders are left, not ${BATCH}.`);
      const looks = all.slice(all.findIndex((look) => look.left < left));
      const begunMs = (looks[0]?.ms ?? NaN) - (all[0]?.ms ?? NaN);
      return { pending, acceptedMs, refused, looks, begunMs, stopped, draining };
    }),
  );
}

/** The same with fewer through proxies, for what is written. */
export function countBacklog({ quick, progress }: SuiteOptions): Promise<CountedLoad> {
  const pending = quick ? QUICK_PENDING / 5 : COUNTED_PENDING;
  progress(`deletions: counting the writes of ${pending} pending ones`);
  return withBenchStack((stack) =>
    withDeletionServers(stack, { kind: KIND, isCounted: true }, async (servers) => {
      const tenant = await stack.createTenant();
      await servers.fill(tenant, pending, FIRST_VICTIM);
      await servers.takeCalls();
      await servers.stopConsumer();
      const startMs = performance.now();
      await acceptAll(servers, tenant, pending);
      await servers.startConsumer();
      await servers.untilApplied(tenant);
      const seconds = (performance.now() - startMs) / 1000;
      const name = `${pending.toLocaleString('en')} pending deletions, accepted and worked off`;
      return { name, seconds, calls: callsOf(await servers.takeCalls()) };
    }),
  );
}

function acceptAll(servers: DeletionServers, tenant: Tenant, pending: number): Promise<readonly Answer[]> {
  return sendByCallers(1, Math.ceil(pending / MAX_DELETION_BATCH), (number) => {
    const done = number * MAX_DELETION_BATCH;
    return servers.deleteBatch(tenant, Math.min(MAX_DELETION_BATCH, pending - done), FIRST_VICTIM + done);
  });
}

async function watchDrain(servers: DeletionServers, tenant: Tenant, pending: number, everyMs: number) {
  const looks: (Look & { readonly peakBytes: number })[] = [];
  for (let left = pending; ; left = await servers.countPending(tenant)) {
    looks.push({ ms: performance.now(), left, peakBytes: await servers.consumerPeakBytes() });
    if (left === 0) return looks;
    await sleep(everyMs);
  }
}

function noUpserts(): PairedUpserts {
  return { withPending: [], without: [] };
}

export function backlogTable(samples: BacklogSamples): Table {
  const { pending, acceptedMs, looks, begunMs } = samples;
  const times = partTimes(looks, PARTS);
  const [accepted, begun] = [acceptedMs, begunMs].map((ms) => Math.round(ms / 1000));
  return {
    title:
      `${pending.toLocaleString('en')} pending deletions of orders, accepted in ${accepted} s; ` +
      `seen to go down ${begun} s after the consumer's start`,
    columns: ['part of them', 'deletions/s', 'peak MiB of the consumer by then'],
    rows: times.map((ms, part) => [
      `${part + 1} of ${PARTS}`,
      ((looks[0]?.left ?? NaN) / PARTS / ms) * 1000,
      peakAfter(samples, part + 1) / 2 ** 20,
    ]),
  };
}

export function backlogUpsertTable({ stopped, draining }: BacklogSamples): Table {
  return {
    title: `Upserts of ${BATCH} known orders meanwhile`,
    columns: ['the consumer', 'pairs', 'ms', 'of a tenant without pending deletions, ms', '×'],
    rows: (
      [
        ['is stopped', stopped],
        ['works them off', draining],
      ] as const
    ).map(([name, { withPending, without }]) => [
      name,
      withPending.length,
      median(withPending),
      median(without),
      pairedRatios(withPending, without).median,
    ]),
  };
}

export function backlogBars(samples: BacklogSamples): Bar[] {
  const { pending, looks, refused, stopped, draining } = samples;
  const times = partTimes(looks, PARTS);
  const name = `${pending.toLocaleString('en')} pending`;
  const must = 'stay at or below';
  return [
    { name: `${name}: refused`, value: refused.length, limit: 0, must },
    {
      name: `${name}: the slowest fifth × the median one`,
      value: Math.max(...times) / median(times),
      limit: 1.5,
      must,
    },
    {
      name: `${name}: peak memory at the end × after a fifth`,
      value: peakAfter(samples, PARTS) / peakAfter(samples, 1),
      limit: 1.2,
      must,
    },
    {
      name: `${name}: upserts of other records × without, consumer stopped`,
      value: ratioOf(stopped),
      limit: 1.2,
      must,
    },
    {
      name: `${name}: upserts of other records × without, consumer at work`,
      value: ratioOf(draining),
      limit: 1.2,
      must,
    },
  ];
}

function ratioOf({ withPending, without }: PairedUpserts): number {
  return pairedRatios(withPending, without).median;
}

/** The most memory of the consumer by the time when so many parts were done. */
function peakAfter({ looks }: BacklogSamples, parts: number): number {
  const most = (looks[0]?.left ?? 0) * (1 - parts / PARTS);
  return looks.find(({ left }) => left <= most)?.peakBytes ?? NaN;
}
