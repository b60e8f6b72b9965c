/** How a request grows with its batch, and whether it grows with what its tenant has stored already. */
import { customerRecordId } from '../../../shared/domain/identity';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import type { CallSummary } from '../call-summary';
import { toBody } from '../http-client';
import type { BenchKind } from '../sample-records';
import { sampleRecords } from '../sample-records';
import { median, pairedRatios } from '../statistics';
import type { Bar, Suite, SuiteOptions, Table } from '../suite';
import type { RequestSample } from '../upsert-scenarios';
import { countRequests, functionPath, UpsertTarget } from '../upsert-scenarios';

const BATCHES = [1, 10, 100, 1_000];
/** Requests of one measurement of a small batch: together they take long enough to be measured. */
const MOST_REQUESTS = 50;
const RECORDS_OF_A_MEASUREMENT = 1_000;
const TENANT_SIZES = [1_000, 10_000, 100_000, 1_000_000];
const QUICK_TENANT_SIZES = [1_000, 10_000];
/** Records of a request to a filled tenant, each already there. */
const FILLED_BATCH = 100;
const WARM_UP = 10;
const FILL_COMMIT = 500;
/** Bytes and CPU a record count as flat within a fifth. */
const FLAT = 1.2;

interface BatchSamples {
  readonly batch: number;
  /** Means of one request. */
  readonly requests: RequestSample[];
  readonly counted: CallSummary;
}

interface SizeSamples {
  readonly size: number;
  readonly requests: RequestSample[];
}

export const measureGrowth: Suite = async (options) => {
  options.progress('growth: with the batch');
  const batches = await withBenchStack((stack) => measureBatches(stack, options));
  const sizes = await withBenchStack((stack) => measureSizes(stack, options));
  return {
    suite: 'growth',
    tables: [batchTable(batches), sizeTable(sizes)],
    bars: [...batchBars(batches), ...sizeBars(sizes)],
    notes: [
      'Customers, all new in the first table, all existing in the second. A request costs something of its own, so that ' +
        'a record of a small batch costs more; what counts is that it never costs more in a larger one.',
    ],
    samples: { batches, sizes },
  };
};

async function measureBatches(stack: BenchStack, { rounds, quick }: SuiteOptions): Promise<BatchSamples[]> {
  const target = new UpsertTarget(stack, await stack.startFunction('customers'), await stack.createKey(), functionPath);
  const measured = BATCHES.map((batch) => ({ batch, requests: [] as RequestSample[] }));
  await target.warmUp(scenarioOf(RECORDS_OF_A_MEASUREMENT), quick ? 3 : WARM_UP);
  for (let round = -1; round < rounds; round += 1) {
    for (const { batch, requests } of measured) {
      const sample = await measureBatch(stack, target, batch);
      if (round >= 0) requests.push(sample);
    }
  }
  const counted: BatchSamples[] = [];
  for (const samples of measured) {
    const { later } = await countRequests(
      stack,
      scenarioOf(samples.batch),
      (address) => stack.startFunction('customers', { environment: { FIRESTORE_EMULATOR_HOST: address } }),
      functionPath,
    );
    counted.push({ ...samples, counted: later });
  }
  return counted;
}

/** New customers of a new tenant, in requests of this size one after the other. */
async function measureBatch(stack: BenchStack, target: UpsertTarget, batch: number): Promise<RequestSample> {
  const { tenantId } = await stack.createTenant();
  const times = Math.min(MOST_REQUESTS, RECORDS_OF_A_MEASUREMENT / batch);
  const bodies = Array.from({ length: times }, (_, time) => toBody(sampleRecords('customers', batch, time * batch)));
  return target.measureSeries('customers', tenantId, bodies);
}

async function measureSizes(stack: BenchStack, { rounds, quick, progress }: SuiteOptions): Promise<SizeSamples[]> {
  const target = new UpsertTarget(stack, await stack.startFunction('customers'), await stack.createKey(), functionPath);
  const filled: (SizeSamples & { readonly tenantId: string })[] = [];
  for (const size of quick ? QUICK_TENANT_SIZES : TENANT_SIZES) {
    progress(`growth: filling a tenant with ${size} records`);
    const { tenantId } = await stack.createTenant();
    await stack.floor.sendSeries(fillingCommits(stack, tenantId, size));
    filled.push({ size, tenantId, requests: [] });
  }
  progress('growth: with the tenant');
  for (let round = -2; round < rounds; round += 1) {
    for (const { size, tenantId, requests } of filled) {
      const first = ((round + 2) * FILLED_BATCH) % size;
      const body = toBody(sampleRecords('customers', FILLED_BATCH, first));
      const sample = await target.measureSeries('customers', tenantId, [body]);
      if (round >= 0) requests.push(sample);
    }
  }
  return filled.map(({ size, requests }) => ({ size, requests }));
}

/** Small customers under the ids that the service gives them. */
function* fillingCommits(stack: BenchStack, tenantId: string, size: number): Generator<Buffer> {
  const root = `projects/${stack.config.projectId}/databases/(default)/documents/tenants/${tenantId}/customers`;
  for (let start = 0; start < size; start += FILL_COMMIT) {
    const documents = sampleRecords('customers', Math.min(FILL_COMMIT, size - start), start).map((record) => {
      const { Email } = record as { Email: string };
      return { name: `${root}/${customerRecordId({ Email }, 'email')}`, fields: { Email: { stringValue: Email } } };
    });
    yield* stack.floor.encode(documents, tenantId, FILL_COMMIT);
  }
}

function scenarioOf(records: number) {
  const kind: BenchKind = 'customers';
  return { name: `${records} customers`, kind, records, existing: 0, floorCommit: FILL_COMMIT };
}

function batchTable(batches: readonly BatchSamples[]): Table {
  return {
    title: 'With the batch',
    columns: ['records', 'ms', 'µs a record', 'CPU µs a record', 'bytes a record', 'round trips', 'reads', 'writes'],
    rows: batches.map(({ batch, requests, counted }) => [
      batch,
      median(wall(requests)),
      (median(wall(requests)) * 1000) / batch,
      (median(cpu(requests)) * 1000) / batch,
      counted.bytes / batch,
      counted.roundTrips,
      counted.reads,
      counted.writes,
    ]),
  };
}

function sizeTable(sizes: readonly SizeSamples[]): Table {
  const [smallest] = sizes;
  return {
    title: `With the tenant's size (requests of ${FILLED_BATCH} records)`,
    columns: ['stored records', 'ms', 'CPU ms', '× the smallest tenant'],
    rows: sizes.map(({ size, requests }) => [
      size.toLocaleString('en'),
      median(wall(requests)),
      median(cpu(requests)),
      pairedRatios(wall(requests), wall(smallest?.requests ?? [])).median,
    ]),
  };
}

function batchBars(batches: readonly BatchSamples[]): Bar[] {
  const ten = batches.find(({ batch }) => batch === 10);
  const thousand = batches.find(({ batch }) => batch === 1_000);
  if (!ten || !thousand) return [];
  const aRecord = (sample: number, { batch }: BatchSamples) => sample / batch;
  const flat = { limit: FLAT, must: 'stay at or below' } as const;
  return [
    {
      name: 'bytes a record, 1,000 against 10 records',
      value: aRecord(thousand.counted.bytes, thousand) / aRecord(ten.counted.bytes, ten),
      ...flat,
    },
    {
      name: 'CPU a record, 1,000 against 10 records',
      value: pairedRatios(cpu(thousand.requests), cpu(ten.requests)).median / (thousand.batch / ten.batch),
      ...flat,
    },
    {
      name: 'round trips, 1,000 against 10 records',
      value: thousand.counted.roundTrips - ten.counted.roundTrips,
      limit: 0,
      must: 'stay at or below',
    },
  ];
}

function sizeBars(sizes: readonly SizeSamples[]): Bar[] {
  const [smallest] = sizes;
  const largest = sizes.at(-1);
  if (!smallest || !largest) return [];
  const { median: value } = pairedRatios(wall(largest.requests), wall(smallest.requests));
  const name = `time, ${largest.size.toLocaleString('en')} against ${smallest.size.toLocaleString('en')} stored records`;
  return [{ name, value, limit: FLAT, must: 'stay at or below' }];
}

function wall(requests: readonly RequestSample[]): number[] {
  return requests.map(({ wallMs }) => wallMs);
}

function cpu(requests: readonly RequestSample[]): number[] {
  return requests.map(({ cpuMs }) => cpuMs);
}
