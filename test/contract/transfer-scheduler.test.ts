/** `TransferScheduler` on Cloud Scheduler (its stand-in in test/local, through the real client). */
import { PubSub } from '@google-cloud/pubsub';
import { CloudSchedulerClient } from '@google-cloud/scheduler';
import { credentials } from '@grpc/grpc-js';
import { connectTransferScheduler } from '../../shared/adapters/scheduler/cloud-scheduler';
import { systemClock } from '../../shared/platform/clock';
import type { Config } from '../../shared/config';
import { readConfig } from '../../shared/config';
import type { JobId, RecurringTransferKind } from '../../shared/domain/transfer';
import { fromSchedulerName, recurringJobId, toTrigger } from '../../shared/domain/transfer';
import { parseTenantId } from '../../shared/domain/tenant';
import type { RegionalScheduler } from '../../shared/transfers/regional-scheduler';
import { AllRegionsFull } from '../../shared/transfers/transfer-scheduler';
import type { SchedulerStandIn } from '../local/scheduler-stand-in';
import { startSchedulerStandIn } from '../local/scheduler-stand-in';

const TENANT = parseTenantId('0f8fad5b-d9cb-469f-a165-70867728950e')!;
const OTHER = parseTenantId('7c9e6679-7425-40de-944b-e07fc1f90ae7')!;

const base = readConfig();
const pubsub = new PubSub({ projectId: base.projectId, apiEndpoint: base.emulators.pubsub!, emulatorMode: true });
/** Nothing becomes due: the stand-in's time does not pass. */
const clock = { nowMs: () => Date.parse('2026-03-01T12:00:30.000Z'), sleep: (ms: number) => systemClock.sleep(ms) };

/** Jobs of a location. */
const QUOTA = 600;

let standIn: SchedulerStandIn;
let client: CloudSchedulerClient;
let scheduler: RegionalScheduler;

beforeEach(async () => {
  standIn = await startSchedulerStandIn({ host: '127.0.0.1', port: 0, quota: QUOTA }, pubsub, clock);
  const address = { apiEndpoint: '127.0.0.1', port: standIn.port, sslCreds: credentials.createInsecure() };
  client = new CloudSchedulerClient({ projectId: base.projectId, ...address });
  scheduler = schedulerOf(base.schedulerLocations);
});
afterEach(async () => {
  await client.close();
  await standIn.stop();
});
afterAll(() => pubsub.close());

/** As an instance with these regions has it. */
function schedulerOf(schedulerLocations: Config['schedulerLocations']): RegionalScheduler {
  const emulators = { ...base.emulators, scheduler: `127.0.0.1:${standIn.port}` };
  return connectTransferScheduler({ ...base, schedulerLocations, emulators }, clock);
}

const transfer = (kind: RecurringTransferKind, tenantId = TENANT, schedule = '5 4 * * *', folder = 'a/') => ({
  trigger: toTrigger(kind, tenantId, recurringJobId(kind, tenantId), {
    TenantId: tenantId,
    BucketName: 'ada-exports',
    DataFolderPaths: [folder],
  }),
  schedule,
});

/** The jobs that Cloud Scheduler has, by the id that callers know. */
async function jobs(location = base.schedulerLocations[0]) {
  const [all] = await client.listJobs({ parent: `projects/${base.projectId}/locations/${location}` });
  return all.map((job) => ({
    jobId: fromSchedulerName((job.name ?? '').split('/jobs/')[1] ?? ''),
    schedule: job.schedule,
    timeZone: job.timeZone,
    topic: job.pubsubTarget?.topicName,
    event: JSON.parse(Buffer.from(job.pubsubTarget?.data ?? '').toString('utf8')) as unknown,
  }));
}

describe('TransferScheduler on Cloud Scheduler', () => {
  it('creates a job in UTC that publishes the trigger to the transfers topic (Spec §4.6, D-40)', async () => {
    const daily = transfer('daily');
    await scheduler.schedule(daily);
    expect(await jobs()).toEqual([
      {
        jobId: `daily-transfer/${TENANT}`,
        schedule: '5 4 * * *',
        timeZone: 'Etc/UTC',
        topic: `projects/${base.projectId}/topics/${base.topics.transfers}`,
        event: daily.trigger,
      },
    ]);
  });

  it('gives an existing job the new schedule and trigger (Spec §4.6)', async () => {
    await scheduler.schedule(transfer('daily'));
    await scheduler.schedule(transfer('daily', TENANT, '6 7 * * *', 'b/'));
    expect(await jobs()).toMatchObject([{ schedule: '6 7 * * *', event: { folderPaths: ['b/'] } }]);
  });

  it('finds a job with what it reads, whatever somebody has made of its message', async () => {
    expect(await scheduler.find(recurringJobId('daily', TENANT))).toBeUndefined();
    await scheduler.schedule(transfer('daily'));
    const found = { jobId: `daily-transfer/${TENANT}`, schedule: '5 4 * * *', timeZone: 'Etc/UTC' };
    const nextRun = '2026-03-02T04:05:00.000Z';
    const reads = { bucketName: 'ada-exports', folderPaths: ['a/'] };
    expect(await scheduler.find(recurringJobId('daily', TENANT))).toEqual({ ...found, nextRun, ...reads });

    const [job] = await client.listJobs({
      parent: `projects/${base.projectId}/locations/${base.schedulerLocations[0]}`,
    });
    for (const data of ['', 'by hand', 'null', '{}']) {
      const pubsubTarget = { ...job[0]!.pubsubTarget!, data: Buffer.from(data), attributes: { by: 'hand' } };
      await client.updateJob({ job: { ...job[0]!, pubsubTarget } });
      const nothing = { bucketName: null, folderPaths: null };
      expect(await scheduler.find(recurringJobId('daily', TENANT))).toEqual({ ...found, nextRun, ...nothing });
    }
  });

  it('lists the jobs of all tenants, page after page, and nothing that is no transfer (R-191)', async () => {
    const parent = `projects/${base.projectId}/locations/${base.schedulerLocations[0]}`;
    const pubsubTarget = { topicName: `projects/${base.projectId}/topics/any`, data: Buffer.from('{}') };
    await client.createJob({ parent, job: { name: `${parent}/jobs/sweep`, schedule: '* * * * *', pubsubTarget } });
    const tenants = Array.from({ length: 501 }, (_, n) =>
      parseTenantId(`0f8fad5b-d9cb-469f-a165-${String(n).padStart(12, '0')}`)!,
    );
    for (const tenantId of tenants) await scheduler.schedule(transfer('daily', tenantId));
    await scheduler.schedule(transfer('hourly', TENANT));
    const listed: string[] = [];
    for await (const job of scheduler.all()) {
      listed.push(job.jobId);
      expect(job).toEqual(await scheduler.find(job.jobId));
    }
    const ids = [...tenants.map((tenantId) => recurringJobId('daily', tenantId)), recurringJobId('hourly', TENANT)];
    expect(listed.sort()).toEqual(ids.sort());
  });

  it('may be repeated (Spec §4.6)', async () => {
    await scheduler.schedule(transfer('hourly'));
    await scheduler.schedule(transfer('hourly'));
    expect(await jobs()).toHaveLength(1);
  });

  it('keeps one job a kind and tenant (Spec §4.6)', async () => {
    for (const each of [transfer('daily'), transfer('hourly'), transfer('daily', OTHER)])
      await scheduler.schedule(each);
    const ids = (await jobs()).map(({ jobId }) => jobId);
    expect(ids.sort()).toEqual(
      [`daily-transfer/${TENANT}`, `daily-transfer/${OTHER}`, `hourly-transfer/${TENANT}`].sort(),
    );
  });

  it('removes only the job of that id, and does not mind when there is none (Spec §4.6, D-39)', async () => {
    await scheduler.schedule(transfer('daily'));
    await scheduler.schedule(transfer('hourly'));
    await scheduler.remove(recurringJobId('daily', TENANT));
    await scheduler.remove(recurringJobId('daily', TENANT));
    expect((await jobs()).map(({ jobId }) => jobId)).toEqual([`hourly-transfer/${TENANT}`]);
  });

  it('fails for a schedule that is none, and leaves the job as it is', async () => {
    await scheduler.schedule(transfer('daily'));
    await expect(scheduler.schedule(transfer('daily', TENANT, 'every day'))).rejects.toMatchObject({ code: 3 });
    expect(await jobs()).toMatchObject([{ schedule: '5 4 * * *' }]);
  });

  it('goes on in another region when one is full, and finds, updates, lists and removes jobs in all (R-320, R-321)', async () => {
    const [one, other] = ['europe-west1', 'europe-west3'] as const;
    const parent = `projects/${base.projectId}/locations/${one}`;
    const pubsubTarget = { topicName: `projects/${base.projectId}/topics/any`, data: Buffer.from('{}') };
    const fill = (n: number) =>
      client.createJob({ parent, job: { name: `${parent}/jobs/other-${n}`, schedule: '* * * * *', pubsubTarget } });
    await scheduler.schedule(transfer('daily'));
    await scheduler.schedule(transfer('hourly'));
    for (let n = 2; n < QUOTA; n += 1) await fill(n);
    await expect(fill(QUOTA)).rejects.toMatchObject({ code: 8 });

    await expect(scheduler.schedule(transfer('daily', OTHER))).rejects.toThrow(AllRegionsFull);
    await scheduler.schedule(transfer('daily', TENANT, '1 2 * * *')); // it needs no room
    const more = schedulerOf([one, other]);
    await more.schedule(transfer('daily', OTHER));
    await more.schedule(transfer('hourly', TENANT, '7 * * * *'));
    expect((await jobs(other)).map(({ jobId }) => jobId)).toEqual([`daily-transfer/${OTHER}`]);
    const shown = [
      { jobId: `daily-transfer/${OTHER}`, schedule: '5 4 * * *' },
      { jobId: `daily-transfer/${TENANT}`, schedule: '1 2 * * *' },
      { jobId: `hourly-transfer/${TENANT}`, schedule: '7 * * * *' },
    ];
    const listed = [];
    for await (const job of more.all()) listed.push(job);
    expect(listed).toHaveLength(shown.length);
    expect(listed).toEqual(expect.arrayContaining(shown.map((job) => expect.objectContaining(job) as unknown)));
    for (const { jobId, schedule } of shown) {
      expect(await more.find(jobId as JobId)).toMatchObject({ jobId, schedule });
      await more.remove(jobId as JobId);
      expect(await more.find(jobId as JobId)).toBeUndefined();
    }
  });
});
