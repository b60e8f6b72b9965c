import type { RecurringTransferKind } from '../../../shared/domain/transfer';
import { toSchedule } from '../../../shared/domain/transfer';
import { answerProblems } from '../api-client';
import { differences } from '../compare';
import type { Demo } from '../context';
import type { Fields } from '../fields';
import type { Row } from '../report';
import type { RouteName } from '../routes';
import type { TransferJob, TransferJobs } from '../transfer-jobs';
import { openTransferJobs } from '../transfer-jobs';
import { DAILY_FOLDERS, farHour, farMinute, runDailyTransfer } from './run-transfers';
import { watchRuns } from './watch-runs';

/** Registers, updates and removes recurring transfers of Aurora's bucket, and looks at the jobs after each step. */
export async function registerTransfers(demo: Demo): Promise<void> {
  const jobs = await openTransferJobs(demo.config, [demo.tenants.aurora.tenantId, demo.tenants.borealis.tenantId]);
  try {
    demo.report.progress('Registering transfers');
    const daily = await registerDaily(demo, jobs);
    demo.report.chapter('Transfers registered', 'Jobs of Cloud Scheduler, as they are after each request.');
    demo.report.table(HEADERS, daily);
    await runDailyTransfer(demo);
    await watchRuns(demo);
    demo.report.progress('Registering transfers');
    const others = await registerOthers(demo, jobs);
    demo.report.chapter('Transfers changed and removed');
    demo.report.table(HEADERS, others);
  } finally {
    await jobs.close();
  }
}

const HEADERS = ['status', 'request', 'schedules now (UTC)'];

async function registerDaily(demo: Demo, jobs: TransferJobs): Promise<Row[]> {
  const { step, dailyJob, dailyBody, daily } = stepsOf(demo, jobs);
  const hour = farHour();
  const at = (minute: number) => ({ ...dailyBody, DailyJobStartingHourUTC: hour, DailyJobStartingMinuteUTC: minute });
  return [
    await step(`daily at ${hour}:30, two folders`, 'registerDaily', { body: at(30) }, daily, [dailyJob(`30 ${hour} * * *`)]),
    await step(`daily again, at ${hour}:05: updated`, 'registerDaily', { body: at(5) }, daily, [dailyJob(`5 ${hour} * * *`)]),
  ]; // prettier-ignore
}

async function registerOthers(demo: Demo, jobs: TransferJobs): Promise<Row[]> {
  const { step, dailyJob, dailyBody, daily, dailyId, bucket, tenantId } = stepsOf(demo, jobs);
  const hourlyId = `hourly-transfer/${tenantId}`;
  const minute = farMinute();
  const hourlyJob = toJob('hourly', demo, `${minute} * * * *`, []);
  const hourly = registered('Hourly', hourlyId);
  const liveBody = { ...bucket, DataFolderPaths: ['live/'] };
  const liveId = `live-transfer/${tenantId}`;
  const liveJob = toJob('live', demo, toSchedule('live', liveBody), ['live/']);
  const live = {
    Message: 'Live transfer registered.',
    Data: { recurringJobId: liveId, BucketAccess: 'ok', Setup: setupOf(demo) },
  };
  const unregistered = { Message: 'Transfer unregistered.', Data: {} };
  return [
    await step('daily without a time: midnight', 'registerDaily', { body: dailyBody }, daily, [dailyJob('0 0 * * *')]),
    await step(`hourly at minute ${minute}, whole bucket`, 'registerHourly', { body: { ...bucket, HourlyJobStartingMinuteUTC: minute } }, hourly, [dailyJob('0 0 * * *'), hourlyJob]),
    await step('unregister the daily one', 'unregister', { query: { jobId: dailyId } }, unregistered, [hourlyJob]),
    await step('unregister it again: nothing to do', 'unregister', { query: { jobId: dailyId } }, unregistered, [hourlyJob]),
    await step('live: files are read when they are uploaded', 'registerLive', { body: liveBody }, live, [hourlyJob, liveJob]),
    await step('unregister the live one', 'unregister', { query: { jobId: liveId } }, unregistered, [hourlyJob]),
    await step('unregister the hourly one', 'unregister', { query: { jobId: hourlyId } }, unregistered, []),
  ]; // prettier-ignore
}

function stepsOf(demo: Demo, jobs: TransferJobs) {
  const { tenantId } = demo.tenants.aurora;
  const bucket = { TenantId: tenantId, BucketName: demo.bucket.name };
  const dailyId = `daily-transfer/${tenantId}`;
  return {
    tenantId,
    bucket,
    dailyId,
    daily: registered('Daily', dailyId),
    dailyBody: { ...bucket, DataFolderPaths: DAILY_FOLDERS },
    dailyJob: (schedule: string) => toJob('daily', demo, schedule, DAILY_FOLDERS),
    step: (title: string, route: RouteName, input: Input, envelope: Envelope, expected: readonly TransferJob[]) =>
      takeStep(demo, jobs, { title, route, input, envelope, expected }),
  };
}

function registered(kind: 'Daily' | 'Hourly', recurringJobId: string): Envelope {
  return { Message: `${kind} transfer registered.`, Data: { recurringJobId, BucketAccess: 'ok' } };
}

/** What the bucket's owner has to do for a live transfer. */
function setupOf({ config: { projectId, transferServiceAccount, topics }, bucket: { name } }: Demo): Fields {
  const role = 'roles/storage.objectViewer';
  return {
    Role: role,
    ServiceAccount: transferServiceAccount,
    Commands: [
      `gcloud storage buckets add-iam-policy-binding gs://${name} --member=serviceAccount:${transferServiceAccount} --role=${role}`,
      `gcloud storage buckets notifications create gs://${name} --topic=projects/${projectId}/topics/${topics.uploads} --event-types=OBJECT_FINALIZE --payload-format=json`,
    ],
  };
}

type Input = { readonly body: Fields } | { readonly query: Readonly<Record<string, string>> };
type Envelope = { readonly Message: string; readonly Data: Fields };

interface Step {
  readonly title: string;
  readonly route: RouteName;
  readonly input: Input;
  readonly envelope: Envelope;
  /** All jobs of transfers after the step. */
  readonly expected: readonly TransferJob[];
}

async function takeStep(
  { client, tenants }: Demo,
  jobs: TransferJobs,
  { title, route, input, envelope, expected }: Step,
): Promise<Row> {
  const answer = await client.send({ route, key: tenants.aurora.key, ...input });
  const found = await jobs.list();
  const shown = found.map(({ name, schedule }) => `${name.split('_')[0] ?? ''} ${schedule}`).join(' · ');
  return {
    cells: [answer.status, title, shown || 'none'],
    problems: [...answerProblems(answer, 200, { Success: true, ...envelope }), ...differences(expected, found, 'jobs')],
  };
}

function toJob(
  kind: RecurringTransferKind,
  { bucket, tenants }: Pick<Demo, 'bucket' | 'tenants'>,
  schedule: string,
  folderPaths: readonly string[],
): TransferJob {
  const { tenantId } = tenants.aurora;
  const trigger = { jobId: `${kind}-transfer/${tenantId}`, kind, tenantId, bucketName: bucket.name, folderPaths };
  return { name: `${kind}-transfer_${tenantId}`, schedule, timeZone: 'Etc/UTC', trigger };
}
