/** How long steps of runs take, and what they ask for: the service's own `transfer-runner`, on a simulated clock. */
import { createTransferRunner } from '../../../functions/transfer-runner/run-transfer-step';
import { toTenantDocument } from '../../../shared/auth/tenant-documents';
import { DEFAULT_TRANSFERS } from '../../../shared/config';
import { tenantPath } from '../../../shared/documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { recurringJobId } from '../../../shared/domain/transfer';
import { FILE_SLICE_ROWS, START_SPREAD_MINUTES } from '../../../shared/limits/transfers';
import { deadlineIn } from '../../../shared/platform/deadline';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import { beginDueRuns } from '../../../shared/transfers/runs/waiting/begin-due-runs';
import { sampleRecords } from '../../bench/sample-records';
import { LatencyModel } from '../../bench/profiles/latencies';
import { CollectingLogger } from '../../support/recording-fakes';
import { FastRandom } from '../engine/draws';
import { SimulatedClock } from '../engine/simulated-clock';
import type { Work } from './metered-cloud';
import { MeteredCloud } from './metered-cloud';
import type { Probe, Sample } from './probe-requests';
import { measure, TENANT, toProbe } from './probe-requests';

const BUCKET = 'shop-exports';
const HOUR_MS = 3_600_000;
/** Slices of the largest file, which takes some seconds: what a further slice takes is told by the difference. */
const SLICES = 96;

export interface TransferProbes {
  /** The message that Cloud Scheduler publishes: a run is stored. */
  readonly trigger: Probe;
  /** The minute of a run has come: its first step is published. */
  readonly begin: Probe;
  /** The bucket is listed, and nothing in it is new: the run ends. */
  readonly emptyPlan: Probe;
  /** The bucket is listed, and one file is new. */
  readonly filePlan: Probe;
  /** A file of one row is read, and its run ends. */
  readonly file: Probe;
  /** What each further row of the first slice of a file asks for; it takes no more time. */
  readonly firstRow: Work;
  /** What each further slice of a file adds. */
  readonly slice: { readonly work: Work; readonly durationMs: number };
  /**
   * Writes a second of the one document that is written most while a long file is read. Its first and its last write do
   * not count: they are those of the beginning and the end of the file.
   */
  readonly hottestWritesASecond: number;
}

/** What the files of a probe are like. */
export interface ProbedFiles {
  /** Files in the folder that earlier runs have read. */
  readonly inFolder: number;
  /** Whether the records of the new file are stored already, as those of a repeated export are. */
  readonly areKnown: boolean;
}

/** @param times how often each step is done that a run has once */
export async function probeTransfers(files: ProbedFiles, times: number, seed: string): Promise<TransferProbes> {
  const runs = await probeRuns(files, 1, times, `${seed} row`);
  const [slice] = await probeRuns(files, FILE_SLICE_ROWS, 1, `${seed} slice`);
  const [large] = await probeRuns(files, SLICES * FILE_SLICE_ROWS, 1, `${seed} large`);
  if (!slice || !large) throw new Error('A run of the probe is missing.');
  const file = toProbe(runs.map((sample) => sample.file));
  const further = SLICES - 1;
  const fileMs = file.durationsMs.reduce((sum, ms) => sum + ms, 0) / file.durationsMs.length;
  return {
    trigger: toProbe(runs.map((sample) => sample.trigger)),
    begin: toProbe(runs.map((sample) => sample.begin)),
    emptyPlan: toProbe(runs.map((sample) => sample.emptyPlan)),
    filePlan: toProbe(runs.map((sample) => sample.filePlan)),
    file,
    firstRow: quotient(difference(slice.file.work, file.work), FILE_SLICE_ROWS - 1),
    slice: {
      work: quotient(difference(large.file.work, slice.file.work), further),
      durationMs: (large.file.durationMs - fileMs) / further,
    },
    hottestWritesASecond: large.hottestWrites / (large.file.durationMs / 1_000),
  };
}

/** What reading a file of so many rows asks for. */
export function workOfFile(rows: number, { file, firstRow, slice }: TransferProbes): Work {
  const first = Math.min(rows, FILE_SLICE_ROWS) - 1;
  const further = Math.max(0, rows / FILE_SLICE_ROWS - 1);
  return mapWork((name) => file.work[name] + first * firstRow[name] + further * slice.work[name]);
}

interface RunSamples {
  readonly trigger: Sample;
  readonly begin: Sample;
  readonly emptyPlan: Sample;
  readonly filePlan: Sample;
  readonly file: Sample;
  readonly hottestWrites: number;
}

/**
 * A run that reads what is there; then, so often, one that finds nothing and one that finds a file of so many rows,
 * which is gone afterwards.
 */
async function probeRuns(
  { inFolder, areKnown }: ProbedFiles,
  rows: number,
  times: number,
  seed: string,
): Promise<RunSamples[]> {
  const random = new FastRandom(seed);
  const clock = new SimulatedClock(Date.parse('2026-03-01T00:00:00Z'));
  const cloud = new MeteredCloud(clock, new LatencyModel(random));
  const { store, storage, publisher, published } = cloud;
  const deadline = () => deadlineIn(REQUEST_DEADLINE_MS, clock);
  const settings = [{ set: tenantPath(TENANT.tenantId), data: toTenantDocument(TENANT) }];
  await measure(cloud, () => store.commit(settings, deadline()));
  await measure(cloud, () => claimBucket(BUCKET, TENANT.organizationId, store, deadline()));
  const handle = createTransferRunner({
    ...{ store, storage, publisher, clock, random, logger: new CollectingLogger() },
    ...{ transfersTopic: 'transfers', reportsBucket: 'reports' },
    ...DEFAULT_TRANSFERS,
  });
  let messages = 0;
  const deliver = (event: object) => {
    messages += 1;
    const message = { messageId: String(messages), publishedAt: new Date(clock.nowMs()) };
    return measure(cloud, () => handle(event, deadline(), message));
  };
  const jobId = recurringJobId('hourly', TENANT.tenantId);
  const trigger = { jobId, tenantId: TENANT.tenantId, bucketName: BUCKET, folderPaths: [] };
  const deliverNext = () => deliver(published.shift()!);
  const wait = (ms: number) => {
    clock.after(ms, () => undefined);
    clock.run();
  };
  const start = async () => {
    wait(HOUR_MS - (clock.nowMs() % HOUR_MS));
    const triggered = await deliver(trigger);
    wait(START_SPREAD_MINUTES * 60_000);
    const due = { store, publisher, clock, transfersTopic: 'transfers' };
    return { trigger: triggered, begin: await measure(cloud, () => beginDueRuns(deadline(), due)) };
  };

  for (let index = 0; index < inFolder; index += 1) cloud.put(`customers-${index}.ndjson`, ndjson(1, rows + index));
  if (areKnown) cloud.put('customers-before.ndjson', ndjson(rows, 0));
  await start();
  while (published.length > 0) await deliverNext();
  const samples: RunSamples[] = [];
  for (let time = 0; time < times; time += 1) {
    const started = await start();
    const emptyPlan = await deliverNext();
    const name = `customers-new-${time}.ndjson`;
    cloud.put(name, ndjson(rows, areKnown ? 0 : inFolder + (1 + time) * rows));
    await start();
    const filePlan = await deliverNext();
    const file = await deliverNext();
    const hottestWrites = Math.max(...cloud.writesOf.values()) - 2;
    cloud.remove(name);
    samples.push({ ...started, emptyPlan, filePlan, file, hottestWrites });
  }
  return samples;
}

function ndjson(rows: number, first: number): Buffer {
  return Buffer.from(
    sampleRecords('customers', rows, first)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
}

function difference(a: Work, b: Work): Work {
  return mapWork((name) => a[name] - b[name]);
}

function quotient(work: Work, divisor: number): Work {
  return mapWork((name) => work[name] / divisor);
}

function mapWork(value: (name: keyof Work) => number): Work {
  return {
    reads: value('reads'),
    writes: value('writes'),
    deletes: value('deletes'),
    runWrites: value('runWrites'),
    messages: value('messages'),
  };
}
