import { answerProblems } from '../api-client';
import { ANY_TEXT, differences } from '../compare';
import type { Demo } from '../context';
import type { Fields } from '../fields';
import type { Row } from '../report';
import type { RouteName } from '../routes';
import type { TransferJob, TransferJobs } from '../transfer-jobs';
import { openTransferJobs } from '../transfer-jobs';

/** Registers, updates and removes transfers of Aurora's bucket, and looks at the jobs after each step. */
export async function registerTransfers(demo: Demo): Promise<void> {
  demo.report.progress('Registering transfers');
  const jobs = await openTransferJobs(demo.config);
  try {
    const rows = await registerAll(demo, jobs);
    demo.report.chapter(
      'Transfers registered',
      'Registration only: this demo puts no file into the bucket and runs no transfer.',
    );
    demo.report.table(['status', 'request', 'schedules now (UTC)'], rows);
  } finally {
    await jobs.close();
  }
}

async function registerAll(demo: Demo, jobs: TransferJobs): Promise<Row[]> {
  const { tenantId } = demo.tenants.aurora;
  const bucket = { TenantId: tenantId, BucketName: 'aurora-exports' };
  const [daily, hourly] = [`daily-transfer/${tenantId}`, `hourly-transfer/${tenantId}`];
  const dailyJob = (schedule: string) => toJob('daily', tenantId, schedule, ['shop/daily/', 'crm/']);
  const hourlyJob = toJob('hourly', tenantId, '45 * * * *', []);
  const dailyBody = { ...bucket, DataFolderPaths: ['shop/daily/', 'crm/'] };
  const at = (hour: number, minute: number) => ({
    ...dailyBody,
    DailyJobStartingHourUTC: hour,
    DailyJobStartingMinuteUTC: minute,
  });
  const step = (title: string, route: RouteName, input: Input, envelope: Envelope, expected: readonly TransferJob[]) =>
    takeStep(demo, jobs, { title, route, input, envelope, expected });
  const registered = (kind: string, recurringJobId: string) => ({
    Message: `${kind} transfer registered.`,
    Data: { recurringJobId },
  });
  const unregistered = { Message: 'Transfer unregistered.', Data: {} };

  return [
    await registerHistorical(demo, jobs, bucket),
    await step('daily at 03:30, two folders', 'registerDaily', { body: at(3, 30) }, registered('Daily', daily), [dailyJob('30 3 * * *')]),
    await step('daily again, at 22:05: updated', 'registerDaily', { body: at(22, 5) }, registered('Daily', daily), [dailyJob('5 22 * * *')]),
    await step('daily without a time: midnight', 'registerDaily', { body: dailyBody }, registered('Daily', daily), [dailyJob('0 0 * * *')]),
    await step('hourly at minute 45, whole bucket', 'registerHourly', { body: { ...bucket, HourlyJobStartingMinuteUTC: 45 } }, registered('Hourly', hourly), [dailyJob('0 0 * * *'), hourlyJob]),
    await step('unregister the daily one', 'unregister', { query: { jobId: daily } }, unregistered, [hourlyJob]),
    await step('unregister it again: nothing to do', 'unregister', { query: { jobId: daily } }, unregistered, [hourlyJob]),
  ]; // prettier-ignore
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

/** A one-time transfer has no schedule: its trigger is published at once. */
async function registerHistorical(
  { client, tenants: { aurora } }: Demo,
  jobs: TransferJobs,
  bucket: Fields,
): Promise<Row> {
  const folders = ['archive/2024/', 'archive/2025/'];
  const body = { ...bucket, HistoricalDataFolderPaths: folders };
  const answer = await client.send({ route: 'registerHistorical', body, key: aurora.key });
  const { JobId } = (answer.body as { Data?: { JobId?: string } }).Data ?? {};
  const trigger = {
    jobId: JobId,
    kind: 'historical',
    tenantId: aurora.tenantId,
    bucketName: bucket.BucketName,
    folderPaths: folders,
  };
  const [published, scheduled] = await Promise.all([jobs.nextTrigger(), jobs.list()]);
  const envelope = { Success: true, Message: 'Historical transfer registered.', Data: { JobId: ANY_TEXT } };
  const isOneTime = JobId?.startsWith(`historical-transfer/${aurora.tenantId}/`) ?? false;
  return {
    cells: [answer.status, 'historical, once, two folders', 'none; its trigger is on the topic transfers'],
    problems: [
      ...answerProblems(answer, 200, envelope),
      ...(isOneTime ? [] : [`JobId: ${String(JobId)} is not of the form historical-transfer/<tenant_id>/<unique>`]),
      ...differences(trigger, published, 'trigger'),
      ...differences([], scheduled, 'jobs'),
    ],
  };
}

function toJob(
  kind: 'daily' | 'hourly',
  tenantId: string,
  schedule: string,
  folderPaths: readonly string[],
): TransferJob {
  const trigger = { jobId: `${kind}-transfer/${tenantId}`, kind, tenantId, bucketName: 'aurora-exports', folderPaths };
  return { name: `${kind}-transfer_${tenantId}`, schedule, timeZone: 'Etc/UTC', trigger };
}
