import type { ShownRun } from '../../../shared/operations/transfers';
import { listBadRows, listRuns, runTransfer } from '../../../shared/operations/transfers';
import { answerProblems } from '../api-client';
import { ANY_TEXT, differences, differencesOfNamed, TIME_OF_THIS_RUN } from '../compare';
import type { Demo } from '../context';
import type { Fields } from '../fields';
import type { Row } from '../report';
import type { ShopFile } from '../shop/files';
import { archiveFiles, laterFiles, WITHDRAWER } from '../shop/files';
import { pause } from '../stage';
import { storedRecord } from '../stored-records';
import { deliver } from './send-shop';

/** What the recurring transfers of the demo read; all of the archive was read by the historical one before. */
export const DAILY_FOLDERS = ['archive/', 'crm/'];
const HISTORICAL_FOLDERS = ['archive/2024/', 'archive/2025/'];

const LONGEST_WAIT_MS = 30_000;
const POLL_MS = 150;
/** Cloud Storage may know a role a minute after it was granted; the shop was sent meanwhile. */
const LONGEST_ROLE_WAIT_MS = 45_000;
const ROLE_POLL_MS = 1_000;

/** Half a day from now, so that the job does not fire by itself while the demo counts its runs. */
export function farHour(): number {
  return (new Date().getUTCHours() + 12) % 24;
}

/** Half an hour from now, for the same reason. */
export function farMinute(): number {
  return (new Date().getUTCMinutes() + 30) % 60;
}

/** Puts files into the bucket and reads all of them once. */
export async function runHistoricalTransfer(demo: Demo): Promise<void> {
  const { report, client, tenants, bucket } = demo;
  const { aurora } = tenants;
  const files = archiveFiles();
  report.progress('Putting files into the bucket');
  await bucket.put(files);
  report.chapter('Files', `What the shop Aurora has put into its bucket ${bucket.name}.`);
  report.table(['bytes', 'object', ''], files.map(toFileRow));
  const withdrawal = await withdrawConsent(demo);
  report.table([], [await untilReadable(demo)]);

  const body = { TenantId: aurora.tenantId, BucketName: bucket.name, HistoricalDataFolderPaths: HISTORICAL_FOLDERS };
  await previewTransfer(demo, body, files);
  report.progress('Running the historical transfer');
  const answer = await client.send({ route: 'registerHistorical', body, key: aurora.key });
  const { JobId = '' } = (answer.body as { Data?: { JobId?: string } }).Data ?? {};
  const data = { JobId: ANY_TEXT, BucketAccess: 'ok' };
  const envelope = { Success: true, Message: 'Historical transfer registered.', Data: data };
  const isOneTime = JobId.startsWith(`historical-transfer/${aurora.tenantId}/`);
  const run = await waitForRun(demo, JobId);
  expectStored(demo, files);

  report.chapter(
    'Historical transfer',
    'Registered over HTTP, it runs at once: every file, row by row, as a request would.',
  );
  report.table(RUN_HEADERS, [
    toRunRow(run, 'partial', files, 1, [
      ...answerProblems(answer, 200, envelope),
      ...(isOneTime ? [] : [`JobId: ${JobId} is not of the form historical-transfer/<tenant_id>/<unique>`]),
    ]),
  ]);
  report.note('Its report (admin transfers report RUNID): the bad rows, which have stopped nothing.');
  report.table([], await reportRows(demo, run, files));
  report.note('What is older than what is stored yields (stale):');
  report.table(
    [],
    [withdrawal.row, await storedNow(demo, 'stored now, though the file says true', withdrawal.expected)],
  );
}

/** The service sees whether it may read the bucket when it registers a transfer; a role just granted counts later. */
async function untilReadable(demo: Demo): Promise<Row> {
  const { report, client, tenants, bucket } = demo;
  const { tenantId, key } = tenants.aurora;
  const body = { TenantId: tenantId, BucketName: bucket.name, DailyJobStartingHourUTC: farHour() };
  const data = { recurringJobId: `daily-transfer/${tenantId}`, BucketAccess: 'ok' };
  const envelope = { Success: true, Message: 'Daily transfer registered.', Data: data };
  report.progress('Waiting until the service may read the bucket');
  for (const startedMs = performance.now(); ;) {
    const answer = await client.send({ route: 'registerDaily', body, key });
    const problems = answerProblems(answer, 200, envelope);
    if (problems.length === 0 || answer.status !== 200 || performance.now() - startedMs > LONGEST_ROLE_WAIT_MS)
      return { cells: [answer.status, 'a daily transfer registered; the service may read the bucket'], problems };
    await pause(ROLE_POLL_MS, demo);
  }
}

/** Looks at what the historical transfer would do. */
async function previewTransfer(demo: Demo, body: Fields, files: readonly ShopFile[]): Promise<void> {
  const { report, client, tenants } = demo;
  const { tenantId, key } = tenants.aurora;
  report.progress('Previewing the historical transfer');
  const answer = await client.send({ route: 'previewTransfer', body, key });
  const { RunId = 'none' } = (answer.body as { Data?: { RunId?: string } }).Data ?? {};
  const envelope = { Success: true, Message: 'Preview started.', Data: { RunId: ANY_TEXT } };
  const run = await waitForRun(demo, `preview-transfer/${tenantId}/${RunId.replace('_', '')}`);
  report.chapter('Preview', 'What the historical transfer would do, row by row: nothing is stored.');
  report.table(RUN_HEADERS, [toRunRow(run, 'partial', files, 1, answerProblems(answer, 200, envelope))]);
}

/** Runs the daily transfer that is registered, after some files have changed. */
export async function runDailyTransfer(demo: Demo): Promise<void> {
  const { report, operator, tenants, bucket } = demo;
  const { tenantId } = tenants.aurora;
  const later = laterFiles();
  report.progress('Running the daily transfer');
  await bucket.put(later);
  const { jobId } = await runTransfer(`daily-transfer/${tenantId}`, operator);
  const run = await waitForRun(demo, jobId);
  expectStored(demo, later);
  const unchanged = archiveFiles().filter(({ name }) => !later.some((file) => file.name === name));
  report.chapter(
    'Daily transfer',
    'Run now, outside its schedule (admin transfers run JOBID): each file is read once.',
  );
  report.table(['bytes', 'object', ''], later.map(toFileRow));
  report.table(RUN_HEADERS, [toRunRow(run, 'succeeded', later, unchanged.length)]);
  report.table(
    [],
    [
      await storedNow(demo, 'that customer now: the file brings a phone', {
        EmailOptin: false,
        SmsOptin: false,
        Phone: '+49 30 901820',
      }),
    ],
  );
}

const RUN_HEADERS = [
  'files',
  'finished',
  'skipped',
  'failed',
  'rows',
  'stored',
  'invalid',
  'stale',
  'deleted',
  'status',
];

function toRunRow(
  run: ShownRun | undefined,
  status: ShownRun['status'],
  files: readonly ShopFile[],
  skipped: number,
  problems: readonly string[] = [],
): Row {
  const { rows, ...rest } = expectedRun(status, files, skipped);
  const found = run && { status: run.status, error: run.error, files: run.files, finishedAt: run.finishedAt };
  return {
    cells: run
      ? [
          run.files.found, run.files.finished, run.files.skipped, run.files.failed,
          run.rows.read, run.rows.stored, run.rows.invalid, run.rows.stale, run.rows.deleted, run.status,
        ] // prettier-ignore
      : ['no run'],
    problems: [...problems, ...differences(rest, found, 'run'), ...differences(rows, run?.rows, 'rows')],
  };
}

function expectedRun(status: ShownRun['status'], files: readonly ShopFile[], skipped: number) {
  const withRows = files.flatMap(({ rows }) => rows ?? []);
  const sum = (count: (rows: (typeof withRows)[number]) => number) =>
    withRows.reduce((total, rows) => total + count(rows), 0);
  const counts = {
    stored: sum(({ stored }) => stored.length),
    invalid: sum(({ bad }) => bad.length),
    stale: sum(({ stale }) => stale),
  };
  return {
    status,
    error: null,
    finishedAt: TIME_OF_THIS_RUN,
    files: { found: withRows.length + skipped, finished: withRows.length, skipped, failed: 0 },
    rows: { read: counts.stored + counts.invalid + counts.stale, deleted: 0, ...counts },
  };
}

/** Tells the model what the files bring. */
function expectStored({ tenants: { aurora } }: Demo, files: readonly ShopFile[]): void {
  for (const { rows } of files) {
    if (!rows) continue;
    aurora.expected.upsert(rows.kind, rows.stored);
    aurora.sent[rows.kind] += rows.stored.length;
  }
}

/** The run of a job, when it has ended; undefined when none has in time. */
async function waitForRun(demo: Demo, jobId: string): Promise<ShownRun | undefined> {
  const { operator, report, tenants } = demo;
  const startedMs = performance.now();
  while (performance.now() - startedMs < LONGEST_WAIT_MS) {
    const run = (await listRuns(tenants.aurora.tenantId, operator)).find((listed) => listed.jobId === jobId);
    if (run?.files && run.rows) {
      const { files, rows } = run;
      if (run.status !== 'running') return { ...run, files, rows };
      report.progress(`Reading files: ${files.finished} of ${files.found}, ${rows.read} rows`);
    }
    await pause(POLL_MS, demo);
  }
  return undefined;
}

/** A row for each line of the run's report, which must be those that are expected. */
async function reportRows({ operator }: Demo, run: ShownRun | undefined, files: readonly ShopFile[]): Promise<Row[]> {
  const found: { object: string; line: number; messages: unknown }[] = [];
  if (run) {
    for await (const { object, line, messages } of listBadRows(run.runId, operator))
      found.push({ object, line, messages });
  }
  found.sort((a, b) => a.object.localeCompare(b.object) || a.line - b.line);
  const expected = files.flatMap(({ name, rows }) => (rows?.bad ?? []).map((bad) => ({ object: name, ...bad })));
  return Array.from({ length: Math.max(found.length, expected.length) }, (_, i) => {
    const { object = '', line = 0, messages = {} } = found[i] ?? {};
    const text = Object.entries(messages as Record<string, string[]>).map(([path, all]) => `${path} ${all.join(' ')}`);
    return { cells: [object, line, text.join(' ').trim()], problems: differences(expected[i], found[i]) };
  });
}

/** After the export was made, a customer takes consents back through the API. */
async function withdrawConsent(demo: Demo): Promise<{ row: Row; expected: Fields }> {
  const expected = { EmailOptin: false, SmsOptin: false };
  const batch = [{ Email: WITHDRAWER.email, ...expected }];
  const title = 'consents withdrawn through the API after the file was made';
  const { answer, problems } = await deliver(demo, demo.tenants.aurora, { kind: 'customers', title, batch });
  return { row: { cells: [title, `${WITHDRAWER.email}, ${answer.status}`], problems }, expected };
}

async function storedNow(demo: Demo, title: string, expected: Fields): Promise<Row> {
  const stored = await storedRecord(demo, demo.tenants.aurora, {
    kind: 'customers',
    find: { email: WITHDRAWER.email },
  });
  const shown = Object.keys(expected).map((field) => `${field} ${JSON.stringify(stored?.[field])}`);
  return {
    cells: [title, shown.join(', ')],
    problems: stored ? differencesOfNamed(expected, stored) : ['the record is not stored'],
  };
}

function toFileRow({ name, title, content }: ShopFile): Row {
  return { cells: [content.length, name, title] };
}
