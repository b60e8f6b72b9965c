/** Many deletions of one tenant at once, by as many callers as one key may have, with an upsert now and then. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withBenchStack } from '../bench-stack';
import type { Answer } from '../http-client';
import { percentile } from '../statistics';
import type { Bar, SuiteOptions, Table } from '../suite';
import { CALLERS } from './deletion-costs';
import { withDeletionServers } from './deletion-servers';
import { refusedOf, sendByCallers, timesOf } from './request-load';

const KIND = 'customers';
const DELETIONS = 2_000;
const QUICK_DELETIONS = 300;
const WARM_UP = 200;
const MOST_ROUNDS = 3;
/** Known customers of an upsert meanwhile, none of whom is deleted, and the pause after it. */
const BATCH = 500;
const FIRST_VICTIM = 10_000;
const PAUSE_MS = 300;

interface Burst {
  readonly deletions: number;
  readonly refused: readonly Answer[];
  readonly timesMs: readonly number[];
  /** From the first request on. */
  readonly acceptedMs: number;
  readonly appliedMs: number;
  readonly upsertTimesMs: readonly number[];
}

export type BurstSamples = readonly Burst[];

export async function measureBursts({ rounds, quick, progress }: SuiteOptions): Promise<BurstSamples> {
  const deletions = quick ? QUICK_DELETIONS : DELETIONS;
  const bursts: Burst[] = [];
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    progress(`deletions: ${deletions} at once, round ${round + 1}`);
    bursts.push(await measureBurst(deletions));
  }
  return bursts;
}

function measureBurst(deletions: number): Promise<Burst> {
  return withBenchStack((stack) =>
    withDeletionServers(stack, { kind: KIND }, async (servers) => {
      const tenant = await stack.createTenant();
      await servers.fill(tenant, BATCH, 0);
      await servers.fill(tenant, WARM_UP + deletions, FIRST_VICTIM);
      const send = (count: number, first: number) =>
        sendByCallers(CALLERS, count, (number) => servers.delete(tenant, first + number));
      await send(WARM_UP, FIRST_VICTIM);
      for (let time = 0; time < 5; time += 1) await servers.upsert(tenant, BATCH, 0);
      await servers.untilApplied(tenant);

      const startMs = performance.now();
      let isApplied = false;
      const upserts: Answer[] = [];
      const upsertNowAndThen = async () => {
        while (!isApplied) {
          upserts.push(await servers.upsert(tenant, BATCH, 0));
          await sleep(PAUSE_MS);
        }
      };
      const upserted = upsertNowAndThen();
      const answers = await send(deletions, FIRST_VICTIM + WARM_UP);
      const acceptedMs = performance.now() - startMs;
      await servers.untilApplied(tenant);
      const appliedMs = performance.now() - startMs;
      isApplied = true;
      await upserted;
      const refused = [...refusedOf(answers), ...refusedOf(upserts)];
      const left = await servers.countRecords(tenant);
      if (refused.length === 0 && left !== BATCH)
        throw new Error(`After ${deletions} deletions ${left} records are left, not ${BATCH}.`);
      return {
        deletions,
        refused,
        timesMs: timesOf(answers),
        acceptedMs,
        appliedMs,
        upsertTimesMs: timesOf(upserts),
      };
    }),
  );
}

export function burstTable(bursts: BurstSamples): Table {
  return {
    title: `Deletions of customers by ${CALLERS} callers at once`,
    columns: [
      'round',
      'deletions',
      'refused',
      'p50 ms',
      'p99 ms',
      'accepted after s',
      'applied after s',
      `upserts of ${BATCH} meanwhile`,
      'the longest, ms',
    ],
    rows: bursts.map(({ deletions, refused, timesMs, acceptedMs, appliedMs, upsertTimesMs }, round) => [
      String(round + 1),
      deletions,
      refused.length,
      percentile(timesMs, 0.5),
      percentile(timesMs, 0.99),
      acceptedMs / 1000,
      appliedMs / 1000,
      upsertTimesMs.length,
      Math.max(...upsertTimesMs),
    ]),
  };
}

/** Of the worst round. */
export function burstBars(bursts: BurstSamples): Bar[] {
  const worst = (value: (burst: Burst) => number) => Math.max(...bursts.map(value));
  const name = `${bursts[0]?.deletions.toLocaleString('en') ?? 'no'} deletions at once, the worst round`;
  const must = 'stay at or below';
  return [
    { name: `${name}: refused`, value: worst(({ refused }) => refused.length), limit: 0, must },
    { name: `${name}: p99 ms`, value: worst(({ timesMs }) => percentile(timesMs, 0.99)), limit: 1_000, must },
    { name: `${name}: all applied after s`, value: worst(({ appliedMs }) => appliedMs / 1000), limit: 30, must },
    {
      name: `${name}: an upsert meanwhile, ms`,
      value: worst((burst) => Math.max(...burst.upsertTimesMs)),
      limit: 2_000,
      must,
    },
  ];
}
