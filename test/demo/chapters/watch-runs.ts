import type { RunDto } from '../../../functions/ingestion/run-answers';
import type { ApiAnswer } from '../api-client';
import { answerProblems } from '../api-client';
import { differences } from '../compare';
import type { Demo } from '../context';
import type { Row } from '../report';
import type { RouteName } from '../routes';
import { pause } from '../stage';

const LONGEST_WAIT_MS = 30_000;
const POLL_MS = 150;
/** A run may end before its cancellation arrives; then another one is started. */
const CANCELLATION_TRIES = 20;

interface Answered {
  readonly Data?: {
    readonly Runs?: readonly RunDto[];
    readonly Run?: RunDto;
    readonly RunId?: string;
    readonly Files?: readonly unknown[];
    readonly Errors?: readonly unknown[];
    readonly Transfers?: readonly { readonly JobId: string }[];
  };
}

const dataOf = ({ body }: ApiAnswer) => (body as Answered).Data ?? {};

/** Looks at the runs of Aurora as Aurora can, replays one, runs the daily transfer by hand, and cancels a run. */
export async function watchRuns(demo: Demo): Promise<void> {
  const { report, tenants } = demo;
  const { tenantId } = tenants.aurora;
  report.progress('Watching runs');
  const listed = await ask(demo, 'listRuns', {}, { tenantId });
  const partial = dataOf(listed).Runs?.find(({ Kind }) => Kind === 'historical');
  const run = partial?.RunId ?? 'none';
  const found = await ask(demo, 'findRun', { run });
  const files = await ask(demo, 'listFiles', { run });
  const errors = await ask(demo, 'listErrors', { run });
  const transfers = await ask(demo, 'listTransfers', {}, { tenantId });
  const replay = await ask(demo, 'replayRun', { run });
  const replayed = await waitForEnd(demo, dataOf(replay).RunId);
  const jobId = `daily-transfer/${tenantId}`;
  const manual = await ask(demo, 'runTransfer', {}, { jobId });
  const ended = await waitForEnd(demo, dataOf(manual).RunId);
  const cancelled = await cancelOne(demo, jobId);

  report.chapter('Runs watched', 'What a tenant sees and does of its runs, over HTTP.');
  report.table(
    ['status', 'request', ''],
    [
      toRow(listed, 'runs', `${dataOf(listed).Runs?.length ?? 0} runs`),
      toRow(found, 'the historical one', dataOf(found).Run?.Status ?? 'none', differences(partial && { ...partial, Examples: null }, dataOf(found).Run)),
      toRow(files, 'its files', `${dataOf(files).Files?.length ?? 0} files`),
      toRow(errors, 'its bad rows', `${dataOf(errors).Errors?.length ?? 0} rows`, differences(partial?.Rows?.Invalid, dataOf(errors).Errors?.length)),
      toRow(transfers, 'recurring transfers', dataOf(transfers).Transfers?.map(({ JobId }) => JobId).join() ?? '', differences([jobId], dataOf(transfers).Transfers?.map(({ JobId }) => JobId))),
      toRow(replay, 'replay its bad rows', replayed?.Status ?? 'none', differences('replay', replayed?.Kind)),
      toRow(manual, 'run the daily transfer now', ended?.Status ?? 'none', differences(['manual', 'succeeded'], [ended?.Kind, ended?.Status])),
      toRow(cancelled.answer, 'cancel a run', cancelled.run?.Status ?? 'none', differences('cancelled', cancelled.run?.Status)),
    ],
  ); // prettier-ignore
}

function ask(
  { client, tenants }: Demo,
  route: RouteName,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): Promise<ApiAnswer> {
  return client.send({ route, params, query, key: tenants.aurora.key });
}

/** The run when it has ended; undefined when it has not in time. */
async function waitForEnd(demo: Demo, run = 'none'): Promise<RunDto | undefined> {
  for (const startedMs = performance.now(); performance.now() - startedMs < LONGEST_WAIT_MS;) {
    const shown = dataOf(await ask(demo, 'findRun', { run })).Run;
    if (shown && shown.Status !== 'running') return shown;
    await pause(POLL_MS, demo);
  }
  return undefined;
}

async function cancelOne(demo: Demo, jobId: string): Promise<{ answer: ApiAnswer; run: RunDto | undefined }> {
  for (let tries = 1; ; tries += 1) {
    const run = dataOf(await ask(demo, 'runTransfer', {}, { jobId })).RunId;
    const answer = await ask(demo, 'cancelRun', { run: run ?? 'none' });
    const ended = await waitForEnd(demo, run);
    if (answer.status === 200 || !ended || tries === CANCELLATION_TRIES) return { answer, run: ended };
  }
}

function toRow(answer: ApiAnswer, title: string, shown: string, problems: readonly string[] = []): Row {
  return { cells: [answer.status, title, shown], problems: [...answerProblems(answer, 200, answer.body), ...problems] };
}
