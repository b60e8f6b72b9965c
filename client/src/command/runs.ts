/** The commands about transfers and their runs. */
import type { RecurringRegistration, Run, RunFile, RunWithExamples, Transfer, TransferOptions } from '../index';
import { CommandError } from './command-error';
import type { Context, ExitCode } from './files';
import type { Cell } from './output/format';
import { toCount, toDuration, toJson, toNumber, toSafeText, toTable } from './output/format';
import type { Terminal } from './output/terminal';
import type { Transfers } from '../transfers';

/** What was read, and what became of it: the first number is the sum of the others. */
const ROW_COUNTS = ['Read', 'Stored', 'Invalid', 'Stale', 'Deleted'] as const;
const ROW_HEADER = ROW_COUNTS.map((name) => name.toUpperCase());

/** A look at a run is a request, and counts against the key's limit. */
const WATCH_INTERVAL_MS = 5_000;

const EXIT_CODES: Readonly<Record<Run['Status'], ExitCode>> = {
  running: 0,
  succeeded: 0,
  partial: 1,
  failed: 2,
  cancelled: 2,
};

export async function listRuns(
  { tenant, status, job, limit }: { tenant: string; status?: string; job?: string; limit: string },
  { connection, world, terminal }: Context,
): Promise<ExitCode> {
  const filter = { jobId: job, status: status as Run['Status'] | undefined, signal: world.signal };
  const runs = first(connection.client.transfers(tenant).runs(filter), parseCount('--limit', limit));
  const header = ['RUN', 'KIND', 'STATUS', 'STARTED', ...ROW_HEADER, 'BUCKET'];
  return printAll(runs, header, terminal, ({ RunId, Kind, Status, StartedAt, Rows, BucketName }) => [
    RunId,
    Kind,
    Status,
    StartedAt,
    ...ROW_COUNTS.map((name) => Rows?.[name]),
    BucketName,
  ]);
}

export async function listFiles(
  runId: string,
  { status }: { status?: string },
  { connection, world, terminal }: Context,
): Promise<ExitCode> {
  const filter = { status: status as RunFile['Status'] | undefined, signal: world.signal };
  const files = connection.client.run(runId).files(filter);
  const header = ['OBJECT', 'KIND', 'STATUS', ...ROW_HEADER, 'WHY'];
  return printAll(files, header, terminal, ({ Object: object, Kind, Status, Rows, Error, Reason }) => [
    object,
    Kind,
    Status,
    ...ROW_COUNTS.map((name) => Rows[name]),
    Error ?? Reason,
  ]);
}

export async function listTransfers(
  { tenant }: { tenant: string },
  { connection, world, terminal }: Context,
): Promise<ExitCode> {
  const transfers = await connection.client.transfers(tenant).list({ signal: world.signal });
  const header = ['JOB', 'KIND', 'BUCKET', 'FOLDERS', 'NEXT RUN', 'LAST RUN'];
  return printAll(transfers, header, terminal, (transfer: Transfer) => [
    transfer.JobId,
    transfer.Kind,
    transfer.BucketName,
    transfer.DataFolderPaths?.join(', '),
    transfer.NextRunAt,
    transfer.LastRun?.Status,
  ]);
}

/** The bad rows of a run: CSV for people, or NDJSON. */
export async function printErrors(
  runId: string,
  { object, format }: { object?: string; format: string },
  { connection, world, terminal }: Context,
): Promise<ExitCode> {
  const run = connection.client.run(runId);
  const filter = { object, signal: world.signal };
  if (format === 'csv') {
    for await (const text of run.errorsAsCsv(filter))
      await terminal.print(terminal.isForPeople ? toSafeLines(text) : text);
  } else if (format === 'ndjson') {
    for await (const error of run.allErrors(filter)) await terminal.print(`${toJson(error)}\n`);
  } else throw new CommandError(`--format must be csv or ndjson, not ${format}.`);
  return 0;
}

export async function showRun(runId: string, { watch }: { watch?: boolean }, context: Context): Promise<ExitCode> {
  const { connection, world, terminal } = context;
  const { signal, clock } = world;
  const get = () => connection.client.run(runId).get({ signal });
  let run = await get();
  while (watch === true && run.Status === 'running') {
    const shown = run;
    terminal.showProgress(() => progressOf(shown, clock.nowMs()));
    await clock.sleep(WATCH_INTERVAL_MS, signal);
    if (signal.aborted) throw new CommandError(`The run goes on. Look at it again with: ingest run ${runId} --watch`);
    run = await get();
  }
  await printRun(run, terminal);
  return EXIT_CODES[run.Status];
}

export async function preview(
  bucket: string,
  { tenant, folder, sample, watch }: { tenant: string; folder?: string[]; sample?: string; watch?: boolean },
  context: Context,
): Promise<ExitCode> {
  const options = {
    BucketName: bucket,
    ...(folder && { HistoricalDataFolderPaths: folder }),
    ...(sample !== undefined && { SampleRowsPerFile: parseCount('--sample', sample) }),
  };
  const { connection, world, terminal } = context;
  const started = await connection.client.transfers(tenant).preview(options, { signal: world.signal });
  if (watch === true) return showRun(started.RunId, { watch }, context);
  return printStarted(started, terminal);
}

export async function register(
  kind: string,
  bucket: string,
  { tenant, folder, at }: { tenant: string; folder?: string[]; at?: string },
  { connection, world, terminal }: Context,
): Promise<ExitCode> {
  const transfers = connection.client.transfers(tenant);
  const { signal } = world;
  const folders = folder && { [kind === 'historical' ? 'HistoricalDataFolderPaths' : 'DataFolderPaths']: folder };
  const options = { BucketName: bucket, ...folders, ...startOf(kind, at) };
  const registration = await registerBy(kind, transfers)(options, { signal });
  await terminal.print(`${toJson(registration)}\n`);
  const { BucketAccess, Setup }: Pick<RecurringRegistration, 'BucketAccess' | 'Setup'> = registration;
  if (BucketAccess === 'denied' && Setup) {
    terminal.say(`The bucket cannot be read yet: grant ${Setup.Role} on it to ${Setup.ServiceAccount}.`, 'yellow');
  } else if (BucketAccess === 'notFound') terminal.say('There is no such bucket yet.', 'yellow');
  if (Setup?.Commands) terminal.say(`The bucket's owner has to run this once:\n${Setup.Commands.join('\n')}`);
  return 0;
}

/** What registers a transfer of a kind. */
function registerBy(kind: string, transfers: Transfers): Transfers['registerHistorical' | 'registerDaily'] {
  if (kind === 'historical') return transfers.registerHistorical.bind(transfers);
  if (kind === 'daily') return transfers.registerDaily.bind(transfers);
  return kind === 'hourly' ? transfers.registerHourly.bind(transfers) : transfers.registerLive.bind(transfers);
}

export async function unregister(jobId: string, { connection, world, terminal }: Context): Promise<ExitCode> {
  await connection.client.transfers('').unregister(jobId, { signal: world.signal }); // the job names its tenant
  terminal.say('The transfer is unregistered.');
  return 0;
}

export async function startTransfer(
  jobId: string,
  { watch }: { watch?: boolean },
  context: Context,
): Promise<ExitCode> {
  const { connection, world, terminal } = context;
  const started = await connection.client.transfers('').start(jobId, { signal: world.signal });
  if (watch === true) return showRun(started.RunId, { watch }, context);
  return printStarted(started, terminal);
}

export async function replayRun(runId: string, { watch }: { watch?: boolean }, context: Context): Promise<ExitCode> {
  const { connection, world, terminal } = context;
  const started = await connection.client.run(runId).replay({ signal: world.signal });
  if (watch === true) return showRun(started.RunId, { watch }, context);
  return printStarted(started, terminal);
}

export async function cancelRun(runId: string, { connection, world, terminal }: Context): Promise<ExitCode> {
  await connection.client.run(runId).cancel({ signal: world.signal });
  terminal.say('The run is cancelled. What it has stored stays.');
  return 0;
}

async function printStarted(started: { readonly RunId: string }, terminal: Terminal): Promise<ExitCode> {
  await terminal.print(`${toJson(started)}\n`);
  terminal.say(`Watch it with: ingest run ${toSafeText(started.RunId)} --watch`);
  return 0;
}

/** A table for people, who see it when all has come; lines of JSON for programs, as they come. */
async function printAll<T>(
  items: AsyncIterable<T> | Iterable<T>,
  header: readonly string[],
  terminal: Terminal,
  toCells: (item: T) => readonly Cell[],
): Promise<ExitCode> {
  const rows: (readonly Cell[])[] = [];
  for await (const item of items) {
    if (terminal.isForPeople) rows.push(toCells(item));
    else await terminal.print(`${toJson(item)}\n`);
  }
  if (terminal.isForPeople) await terminal.print(toTable(header, rows));
  return 0;
}

async function printRun(run: RunWithExamples, terminal: Terminal): Promise<void> {
  if (!terminal.isForPeople) return terminal.print(`${toJson(run)}\n`);
  const { Changes, Examples, Files, Rows, Warnings, ...facts } = run;
  const lines = Object.entries({ ...facts, ...Files, ...Rows }).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text === null || text === '' ? [] : [[name, text] as const];
  });
  await terminal.print(
    toTable(
      ['RUN', toSafeText(run.RunId)],
      lines.filter(([name]) => name !== 'RunId'),
    ),
  );
  if (Changes) {
    const columns = ['Created', 'Updated', 'Unchanged', 'Deleted'] as const;
    const changes = Object.entries(Changes).map(([kind, of]) => [kind, ...columns.map((column) => of[column])]);
    const consents = Object.entries(Changes.Customers.Consents).map(([name, of]) => [name, ...Object.values(of)]);
    await terminal.print(`\n${toTable(['CHANGES', ...columns], changes)}`);
    await terminal.print(`\n${toTable(['CONSENTS', 'Granted', 'Withdrawn', 'KeptWithdrawn', 'Erased'], consents)}`);
  }
  for (const { Code, Message, Count } of Warnings) {
    terminal.say(`Warning ${Code} (${Count}): ${toSafeText(Message)}`, 'yellow');
  }
  for (const example of Examples ?? []) await terminal.print(`${toJson(example)}\n`);
}

function progressOf({ Status, StartedAt, Files, Rows }: Run, nowMs: number): string {
  const seconds = (nowMs - Date.parse(StartedAt)) / 1000;
  const parts = [Status, seconds < 0 ? `begins at ${StartedAt}` : toDuration(seconds)];
  if (Files) parts.push(`${Files.Finished + Files.Failed} of ${Files.Found - Files.Skipped} files`);
  if (Rows) parts.push(rowsOf(Rows));
  return parts.join('  ');
}

/** `1,234 rows: 1,200 stored, 34 invalid`. Zeros are left out: the line is cut where the terminal ends. */
function rowsOf({ Read, Stored, Invalid, Stale, Deleted }: RunFile['Rows']): string {
  const counts = { stored: Stored, invalid: Invalid, stale: Stale, deleted: Deleted };
  const parts = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${toNumber(count)} ${name}`] : []));
  return parts.length === 0 ? toCount(Read, 'row') : `${toCount(Read, 'row')}: ${parts.join(', ')}`;
}

/** `03:30` of a daily transfer, `30` of an hourly one. */
function startOf(kind: string, at: string | undefined): Partial<TransferOptions> {
  if (at === undefined) return {};
  const [, hour, minute] = /^(?:(\d{1,2}):)?(\d{1,2})$/.exec(at) ?? [];
  if (kind === 'daily' && hour !== undefined && minute !== undefined) {
    return { DailyJobStartingHourUTC: Number(hour), DailyJobStartingMinuteUTC: Number(minute) };
  }
  if (kind === 'hourly' && hour === undefined && minute !== undefined) {
    return { HourlyJobStartingMinuteUTC: Number(minute) };
  }
  throw new CommandError('--at is a time such as 03:30 of a daily transfer, and a minute such as 30 of an hourly one.');
}

function parseCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(`${option} must be a whole number from 1 on, not ${text}.`);
}

async function* first<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T, void, undefined> {
  let left = count;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

function toSafeLines(text: string): string {
  return text.split('\n').map(toSafeText).join('\n');
}
