/** Upserts and files beside deletions of the same tenant, against the same deletions of another tenant, alternately. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant } from '../../../shared/domain/tenant';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import type { Answer } from '../http-client';
import { median, pairedRatios, percentile } from '../statistics';
import type { Bar, SuiteOptions, Table } from '../suite';
import type { CountedFunctions, DeletionServers } from './deletion-servers';
import { callsOf, withDeletionServers } from './deletion-servers';
import type { BesideStream } from './deletion-stream';
import { besideDeletions, DELETIONS_PER_SECOND, prepareStream } from './deletion-stream';
import { runAtOnce, withTransferBuckets, writeFileSet } from './file-sets';
import type { CountedLoad } from './hot-documents';
import { refusedOf, timesOf } from './request-load';

const KIND = 'customers';
/** What a commit checks of a row for deletions: nothing of the first two, one tombstone of the last. */
const FILES = {
  'new orders': { kind: 'orders', isKnown: false },
  'known customers': { kind: 'customers', isKnown: true },
  'new customers': { kind: 'customers', isKnown: false },
} as const;
type FileName = keyof typeof FILES;
const FILE_NAMES = Object.keys(FILES) as FileName[];
/** Known customers of one upsert. */
const BATCH = 500;
const SECONDS = 5;
const QUICK_SECONDS = 2;
const FILE_ROWS = 5_000;
const QUICK_FILE_ROWS = 1_000;
/** Numbers of rows are far from those of the other records: all are new. */
const FIRST_ROW = 100_000;
/** Each round is a series of some fifty upserts. */
const MOST_ROUNDS = 5;
/** The compilers of Node.js and of the emulator need about so long, of each variant. */
const WARM_UP_SECONDS = 5;
const WARM_UP_ROWS = 2_000;
/** Where writes are counted, the same customers come again only after this time: else they would be the hot ones. */
const COUNTED_PAUSE_MS = 1_200;
const COUNTED_SECONDS = 10;
/** For so long the deletions beside a file find a record each. */
const FILE_SECONDS = 15;

/** Whose deletions run beside. */
const VARIANTS = ['same', 'other'] as const;
type Variant = (typeof VARIANTS)[number];

interface Beside {
  /** Of each upsert, or of the file's run. */
  readonly timesMs: readonly number[];
  readonly deletions: number;
  readonly deletionsRefused: number;
  /** Answers to upserts and deletions that were none of 200. */
  readonly refused: readonly Answer[];
  readonly deletionP50Ms: number;
  readonly appliedAfterMs: number;
}

type Rounds = Readonly<Record<Variant, Beside[]>>;

export interface BesideSamples {
  readonly upserts: Rounds;
  readonly files: Readonly<Record<FileName, Rounds>>;
}

export async function measureBeside({ rounds, quick, progress }: SuiteOptions): Promise<BesideSamples> {
  const samples: BesideSamples = {
    upserts: noRounds(),
    files: { 'new orders': noRounds(), 'known customers': noRounds(), 'new customers': noRounds() },
  };
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    progress(`deletions: upserts and files beside deletions, round ${round + 1}`);
    // Who comes second finds a fuller emulator.
    const order = round % 2 === 0 ? VARIANTS : VARIANTS.toReversed();
    await withBenchStack((stack) =>
      withDeletionServers(stack, { kind: KIND }, async (servers) => {
        for (const variant of order)
          await upsertBeside(stack, servers, variant, quick ? QUICK_SECONDS : WARM_UP_SECONDS);
        for (const variant of order) {
          samples.upserts[variant].push(toUpserts(await upsertBeside(stack, servers, variant, seconds)));
        }
      }),
    );
    for (const name of FILE_NAMES) {
      for (const variant of order) {
        samples.files[name][variant].push(toFile(await readBeside(name, variant, quick, false)));
      }
    }
  }
  return samples;
}

/** The same beside deletions of the same tenant through proxies, for what is written; nothing is timed. */
export async function countBeside({ quick, progress }: SuiteOptions): Promise<CountedLoad[]> {
  progress('deletions: counting the writes of upserts and files beside deletions');
  const seconds = quick ? QUICK_SECONDS : COUNTED_SECONDS;
  const upserts = await withBenchStack((stack) =>
    withDeletionServers(stack, { kind: KIND, isCounted: true }, (servers) =>
      upsertBeside(stack, servers, 'same', seconds, COUNTED_PAUSE_MS),
    ),
  );
  const loads = [toLoad(`upserts beside ${DELETIONS_PER_SECOND} deletions a second`, upserts)];
  for (const name of FILE_NAMES) {
    const file = await readBeside(name, 'same', quick, true);
    loads.push(toLoad(`a file of ${name} beside ${DELETIONS_PER_SECOND} deletions a second`, file));
  }
  return loads;
}

/** Sends upserts of known customers one after the other. @param pauseMs between them */
async function upsertBeside(
  stack: BenchStack,
  servers: DeletionServers,
  variant: Variant,
  seconds: number,
  pauseMs = 0,
): Promise<BesideStream<Answer[]>> {
  const { tenant, deletedFrom } = await prepare(stack, servers, variant, seconds);
  await servers.fill(tenant, BATCH, 0);
  return besideDeletions(servers, deletedFrom, async () => {
    const answers: Answer[] = [];
    const endMs = performance.now() + seconds * 1000;
    while (performance.now() < endMs) {
      answers.push(await servers.upsert(tenant, BATCH, 0));
      await sleep(pauseMs);
    }
    return answers;
  });
}

/** Reads a file, on emulators of its own. */
function readBeside(
  name: FileName,
  variant: Variant,
  quick: boolean,
  isCounted: boolean,
): Promise<BesideStream<number>> {
  const rows = quick ? QUICK_FILE_ROWS : FILE_ROWS;
  const { kind, isKnown } = FILES[name];
  return withTransferBuckets((buckets) =>
    withBenchStack((stack) =>
      withDeletionServers(stack, { kind, isCounted, transfers: buckets.environment }, async (servers) => {
        const shape = { kind, files: 1, first: FIRST_ROW } as const;
        const read = async (count: number) => {
          const { tenant, deletedFrom } = await prepare(stack, servers, variant, FILE_SECONDS);
          if (isKnown) await servers.fill(tenant, count, FIRST_ROW);
          const set = writeFileSet(buckets, { ...shape, rows: count });
          return besideDeletions(servers, deletedFrom, () => runAtOnce(stack, [{ tenant, set }]));
        };
        await read(Math.min(rows, WARM_UP_ROWS));
        return read(rows);
      }),
    ),
  );
}

function noRounds(): Rounds {
  return { same: [], other: [] };
}

/** The tenant whose records are written, and the one whose records are deleted. */
async function prepare(
  stack: BenchStack,
  servers: DeletionServers,
  variant: Variant,
  seconds: number,
): Promise<{ readonly tenant: Tenant; readonly deletedFrom: Tenant }> {
  const deletedFrom = await stack.createTenant();
  await prepareStream(servers, deletedFrom, seconds);
  const tenant = variant === 'same' ? deletedFrom : await stack.createTenant();
  return { tenant, deletedFrom };
}

function toUpserts(beside: BesideStream<readonly Answer[]>): Beside {
  return toBeside(beside, timesOf(beside.result), refusedOf(beside.result));
}

function toFile(beside: BesideStream<number>): Beside {
  return toBeside(beside, [beside.result], []);
}

function toBeside(
  { deletions, appliedAfterMs }: BesideStream<unknown>,
  timesMs: readonly number[],
  refused: readonly Answer[],
): Beside {
  return {
    timesMs,
    deletions: deletions.length,
    deletionsRefused: refusedOf(deletions).length,
    refused: [...refused, ...refusedOf(deletions)],
    deletionP50Ms: median(timesOf(deletions)),
    appliedAfterMs,
  };
}

function toLoad(name: string, { calls, seconds }: { calls: CountedFunctions; seconds: number }): CountedLoad {
  return { name, seconds, calls: callsOf(calls) };
}

export function besideTable({ upserts, files }: BesideSamples): Table {
  return {
    title: `Beside ${DELETIONS_PER_SECOND} deletions of the same kind a second`,
    columns: [
      'work',
      'deletions of',
      'p50 ms',
      'p95 ms',
      '× another tenant, p50',
      'p95',
      'deletions',
      'their p50 ms',
      'applied after ms',
      'answers of 503',
      'failed',
    ],
    rows: (
      [
        [`upserts of ${BATCH} known customers`, upserts],
        ...FILE_NAMES.map((file) => [`a file of ${FILE_ROWS} ${file}`, files[file]] as const),
      ] as const
    ).flatMap(([name, rounds]) =>
      VARIANTS.map((variant) => {
        const ofVariant = rounds[variant];
        const times = ofVariant.flatMap(({ timesMs }) => timesMs);
        return [
          name,
          variant === 'same' ? 'the same tenant' : 'another tenant',
          percentile(times, 0.5),
          percentile(times, 0.95),
          variant === 'same' ? ratioAt(rounds, 0.5) : 1,
          variant === 'same' ? ratioAtP95(rounds) : 1,
          ofVariant.reduce((sum, { deletions }) => sum + deletions, 0),
          median(ofVariant.map(({ deletionP50Ms }) => deletionP50Ms)),
          median(ofVariant.map(({ appliedAfterMs }) => appliedAfterMs)),
          ofVariant.flatMap(({ refused }) => refused.filter((answer) => !isFailure(answer))).length,
          ofVariant.flatMap(({ refused }) => refused.filter(isFailure)).length,
        ];
      }),
    ),
  };
}

export function besideBars({ upserts, files }: BesideSamples): Bar[] {
  const all = [upserts, ...Object.values(files)].flatMap((rounds) => VARIANTS.flatMap((variant) => rounds[variant]));
  const must = 'stay at or below';
  return [
    ...(
      [['upserts', upserts], ...FILE_NAMES.map((file) => [`files of ${file}`, files[file]] as const)] as const
    ).flatMap(([name, rounds]): Bar[] => [
      { name: `${name} beside deletions: × another tenant's, p50`, value: ratioAt(rounds, 0.5), limit: 1.2, must },
      { name: `${name} beside deletions: × another tenant's, p95`, value: ratioAtP95(rounds), limit: 1.5, must },
    ]),
    // With fewer of them, the bars above would say little.
    {
      name: 'beside deletions: share of them accepted, where it was lowest',
      value: Math.min(...all.map(acceptedShare)),
      limit: 0.99,
      must: 'reach',
    },
    {
      name: 'beside deletions: requests that failed',
      value: all.flatMap(({ refused }) => refused.filter(isFailure)).length,
      limit: 0,
      must,
    },
  ];
}

function acceptedShare({ deletions, deletionsRefused }: Beside): number {
  return 1 - deletionsRefused / deletions;
}

/** Not the 503 of an instance that has too much to do, which tells the caller when to come again. */
function isFailure({ status }: Answer): boolean {
  return status !== 503;
}

/** At p95. A round has one time of a file, and no p95 of its own: that is of all rounds together. */
function ratioAtP95(rounds: Rounds): number {
  const timesOf = (variant: Variant) => rounds[variant].map(({ timesMs }) => timesMs);
  if ([...timesOf('same'), ...timesOf('other')].some((times) => times.length > 1)) return ratioAt(rounds, 0.95);
  const [same, other] = [timesOf('same').flat(), timesOf('other').flat()] as const;
  return percentile(same, 0.95) / percentile(other, 0.95);
}

/** The median of the rounds' quotients. */
function ratioAt({ same, other }: Rounds, share: number): number {
  const at = (rounds: readonly Beside[]) => rounds.map(({ timesMs }) => percentile(timesMs, share));
  return pairedRatios(at(same), at(other)).median;
}
