/** Full batches through the real functions, against the floor of writes and against the peer, alternately. */
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { OwnWrites } from '../own-writes';
import type { RatioSummary } from '../statistics';
import { describeRatio, median, pairedRatios } from '../statistics';
import type { Bar, Suite, SuiteOptions, Table } from '../suite';
import type { CountedRequests, RequestSample, UpsertScenario } from '../upsert-scenarios';
import {
  countRequests,
  functionPath,
  peerPath,
  storedDocuments,
  UPSERT_SCENARIOS,
  UpsertTarget,
} from '../upsert-scenarios';

/** Requests before the first that counts, for the compilers of Node.js and the emulator. */
const WARM_UP = 30;
/**
 * Requests of one side before the other's turn: a feed sends its batches one after the other, and the first one after
 * the other side's turn finds the processor's caches full of that one's. A round counts their median.
 */
const IN_A_ROW = 3;
/** BulkWriter as it comes is throttled to some 500 writes a second; a few rounds show it. */
const DEFAULT_PEER_ROUNDS = 3;

interface ScenarioSamples {
  readonly scenario: UpsertScenario;
  readonly service: RequestSample[];
  readonly floorMs: number[];
  /** The function's own writes, without the function. */
  readonly ownWritesMs: number[];
  readonly peer: RequestSample[];
  readonly defaultPeer: RequestSample[];
  readonly counted: { readonly service: CountedRequests; readonly peer: CountedRequests };
}

export const measureUpserts: Suite = async (options) => {
  const measured: ScenarioSamples[] = [];
  for (const scenario of UPSERT_SCENARIOS) {
    options.progress(`upserts: ${scenario.name}`);
    measured.push(await withBenchStack((stack) => measureScenario(stack, scenario, options)));
  }
  const [customers] = measured;
  return {
    suite: 'upserts',
    tables: [timeTable(measured), callTable(measured)],
    bars: measured.flatMap(barsOf),
    ...(customers && {
      chart: {
        title: `${customers.scenario.name}: time of a request`,
        unit: '× floor',
        values: [
          { label: 'floor of writes', value: 1 },
          { label: 'service', value: overFloor(customers, wall(customers.service)).median },
          { label: 'peer, BulkWriter unthrottled', value: overFloor(customers, wall(customers.peer)).median },
          { label: 'peer, BulkWriter default', value: overFloor(customers, wall(customers.defaultPeer)).median },
        ],
      },
    }),
    notes: [
      'The floor sends the documents that the function has just stored as commits that were encoded before: 2 × 500 customers, ' +
        '2 × 250 orders, 4 × 50 products, side by side. Its writes alone are the calls by which the function stores the ' +
        'batch, recorded once, encoded before and sent without it. A round is the median of ' +
        `${IN_A_ROW} requests in a row of each side; ratios are medians of the quotients of each round, in brackets the smallest and the ` +
        'largest. The peer is Fastify with zod and BulkWriter, the faster of its two settings; it holds none of the ' +
        'conditions that keep concurrent requests and deletions correct. Calls are counted apart, through a proxy.',
    ],
    samples: measured,
  };
};

async function measureScenario(
  stack: BenchStack,
  scenario: UpsertScenario,
  { rounds, quick }: SuiteOptions,
): Promise<ScenarioSamples> {
  const key = await stack.createKey();
  const { kind } = scenario;
  const service = new UpsertTarget(stack, await stack.startFunction(kind), key, functionPath);
  const peer = new UpsertTarget(stack, await stack.startPeer('off'), key, peerPath);
  const defaultPeer = new UpsertTarget(stack, await stack.startPeer('default'), key, peerPath);
  for (const target of [service, peer]) await target.warmUp(scenario, quick ? 3 : WARM_UP);
  await defaultPeer.warmUp(scenario, 1);
  await measureFloor(stack, scenario, (await service.measure(scenario)).tenantId);
  const ownWrites = await OwnWrites.record(stack, scenario);

  const samples = {
    scenario,
    service: [] as RequestSample[],
    floorMs: [] as number[],
    ownWritesMs: [] as number[],
    peer: [] as RequestSample[],
    defaultPeer: [] as RequestSample[],
  };
  for (let round = 0; round < rounds; round += 1) {
    const sent = await inARow(() => service.measure(scenario));
    samples.service.push(middleOf(sent));
    const floorMs = await inARow(() => measureFloor(stack, scenario, sent[0]?.tenantId ?? ''));
    samples.floorMs.push(median(floorMs));
    const ownWritesMs = await inARow(async () => ownWrites.send(await service.prepareTenant(scenario)));
    samples.ownWritesMs.push(median(ownWritesMs));
    samples.peer.push(middleOf(await inARow(() => peer.measure(scenario))));
    if (round < DEFAULT_PEER_ROUNDS) samples.defaultPeer.push(middleOf([await defaultPeer.measure(scenario)]));
  }
  const counted = {
    service: await countRequests(
      stack,
      scenario,
      (address) => stack.startFunction(kind, { environment: { FIRESTORE_EMULATOR_HOST: address } }),
      functionPath,
    ),
    peer: await countRequests(
      stack,
      scenario,
      (address) => stack.startPeer('off', { environment: { FIRESTORE_EMULATOR_HOST: address } }),
      peerPath,
    ),
  };
  return { ...samples, counted };
}

/** Stores what a tenant has got from the service under another tenant, which had as many of the documents before. */
async function measureFloor(stack: BenchStack, scenario: UpsertScenario, tenantId: string): Promise<number> {
  const documents = await storedDocuments(stack, scenario.kind, tenantId, scenario.records + 1);
  if (documents.length !== scenario.records) throw new Error('The service did not store what it was sent.');
  const target = (await stack.createTenant()).tenantId;
  const before = stack.floor.encode(documents.slice(0, scenario.existing), target, scenario.floorCommit);
  const commits = stack.floor.encode(documents, target, scenario.floorCommit);
  await stack.floor.send(before);
  return stack.floor.send(commits);
}

async function inARow<T>(measure: () => Promise<T>): Promise<T[]> {
  const samples: T[] = [];
  for (let time = 0; time < IN_A_ROW; time += 1) samples.push(await measure());
  return samples;
}

function middleOf(samples: readonly RequestSample[]): RequestSample {
  return { wallMs: median(wall(samples)), cpuMs: median(cpu(samples)) };
}

/** @param wallMs of the first rounds, or of all. */
function overFloor({ floorMs }: ScenarioSamples, wallMs: readonly number[]): RatioSummary {
  return pairedRatios(wallMs, floorMs.slice(0, wallMs.length));
}

function timeTable(measured: readonly ScenarioSamples[]): Table {
  return {
    title: 'Time and CPU of one request',
    columns: [
      'request',
      'floor ms',
      'service ms',
      '× floor',
      'its writes alone × floor',
      'service CPU ms',
      'peer ms',
      'peer × floor',
      'peer CPU ms',
      'peer, default BulkWriter × floor',
    ],
    rows: measured.map((samples) => [
      samples.scenario.name,
      median(samples.floorMs),
      median(wall(samples.service)),
      describeRatio(overFloor(samples, wall(samples.service))),
      describeRatio(overFloor(samples, samples.ownWritesMs)),
      median(cpu(samples.service)),
      median(wall(samples.peer)),
      describeRatio(overFloor(samples, wall(samples.peer))),
      median(cpu(samples.peer)),
      overFloor(samples, wall(samples.defaultPeer)).median,
    ]),
  };
}

function callTable(measured: readonly ScenarioSamples[]): Table {
  return {
    title: 'What one request asks of Firestore (a caller seen before; in brackets: the first request of a key)',
    columns: [
      'request',
      'by',
      'round trips',
      'of them before the first write',
      'calls',
      'reads',
      'writes',
      'refused writes',
      'KiB',
    ],
    rows: measured.flatMap(({ scenario, counted }) =>
      (['service', 'peer'] as const).map((by) => {
        const { first, later } = counted[by];
        return [
          scenario.name,
          by,
          `${later.roundTrips} (${first.roundTrips})`,
          `${later.roundTripsBeforeFirstWrite} (${first.roundTripsBeforeFirstWrite})`,
          later.calls,
          later.reads,
          later.writes,
          later.refused,
          later.bytes / 1024,
        ];
      }),
    ),
  };
}

function barsOf(samples: ScenarioSamples): Bar[] {
  const { scenario, service, peer, counted } = samples;
  const { name } = scenario;
  const isCustomers = scenario.kind === 'customers';
  return [
    { name: `${name}: × floor`, value: overFloor(samples, wall(service)).median, limit: 1.6, must: 'stay at or below' },
    ...(isCustomers
      ? [{ name: `${name}: CPU ms`, value: median(cpu(service)), limit: 25, must: 'stay at or below' } as const]
      : []),
    { name: `${name}: × as fast as the peer`, value: ratio(wall(peer), wall(service)), limit: 2, must: 'reach' },
    {
      name: `${name}: share of the peer's CPU`,
      value: ratio(cpu(service), cpu(peer)),
      limit: 0.25,
      must: 'stay at or below',
    },
    {
      name: `${name}: round trips before the first write`,
      value: counted.service.later.roundTripsBeforeFirstWrite,
      limit: 2,
      must: 'stay at or below',
    },
  ];
}

function wall(samples: readonly RequestSample[]): number[] {
  return samples.map(({ wallMs }) => wallMs);
}

function cpu(samples: readonly RequestSample[]): number[] {
  return samples.map(({ cpuMs }) => cpuMs);
}

function ratio(numerators: readonly number[], denominators: readonly number[]): number {
  return pairedRatios(numerators, denominators).median;
}
