/**
 * `npm run demo`: the whole service on this machine, a sample shop through every route, and whether all is stored as
 * expected.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { connect } from '../../functions/admin/connection';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { toLocalConfig } from '../../shared/emulator-config';
import { onSignals } from '../local/signals';
import type { Stack } from '../local/stack';
import { startStack } from '../local/stack';
import { StackError } from '../local/stack-error';
import { folderBucket } from './bucket';
import { dropOrdinaryLogs } from './quiet-logs';
import { FullReport } from './report';
import type { StoryFigures } from './story';
import { tellStory } from './story';
import { Terminal } from './terminal';

const EXIT_INTERRUPTED = 130;

dropOrdinaryLogs(process.stderr);
const terminal = new Terminal(process.stdout, process.env);

/** Whether a signal came: whatever fails from then on does so because the stack goes. */
let isInterrupted = false;

new Command('npm run demo --')
  .description(
    [
      'Shows the service at work: starts it on this machine (emulators, functions and gateway on free ports),',
      'sends a sample shop of a few hundred records through each of the routes, lets transfers read files',
      'of its bucket, compares every stored record with what is expected, and stops everything. Needs Java and the',
      'Firestore and Pub/Sub emulators; takes less than a minute.',
    ].join(' '),
  )
  .addHelpText(
    'after',
    [
      '',
      'Exit code:',
      '  0    all is stored as expected',
      '  1    something differs, or the stack cannot run',
      '  130  interrupted (Ctrl-C stops the stack too)',
      '',
      'Progress and colours are shown on a terminal only; NO_COLOR=1 turns the colours off.',
    ].join('\n'),
  )
  .action(run)
  .parseAsync()
  .catch(fail);

async function run(): Promise<void> {
  const startedMs = performance.now();
  const report = new FullReport(terminal);
  report.progress('Starting the emulators and the functions');
  const starting = startStack(freePorts(bucketsFolder()), { onFailure: fail });
  stopOnSignals(starting);
  const stack = await starting;
  terminal.line(`The service runs at ${stack.baseUrl} (ready after ${seconds(startedMs)}).`);
  try {
    const { routes, requests, recordsCompared } = await onStage(stack, report);
    report.progress('Stopping');
    await stack.stop();
    report.summary([
      `${routes} routes`,
      `${requests} requests`,
      `${recordsCompared} stored records compared`,
      `${seconds(startedMs)} in all`,
    ]);
  } finally {
    await stack.stop();
  }
  exitWith(report.failed === 0 ? 0 : 1);
}

/** Tells the story on the demo's own stack. */
async function onStage({ baseUrl, config: emulators }: Stack, report: FullReport): Promise<StoryFigures> {
  const config = toLocalConfig(emulators);
  const operator = connect(config);
  const bucket = folderBucket(emulators.storage.root, 'aurora-exports');
  const { signal } = new AbortController();
  try {
    await bucket.create();
    return await tellStory({ baseUrl, config, operator, name: 'demo', bucket, addedHeaders: [], signal }, report);
  } finally {
    await operator.close();
  }
}

/** A temporary folder for the demo's bucket; it goes when this process ends, however it does. */
function bucketsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ingestion-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function freePorts(root: string): EmulatorConfig {
  const any = { port: 0 };
  return {
    projectId: 'demo-shop',
    host: '127.0.0.1',
    gateway: any,
    firestore: any,
    pubsub: any,
    storage: { ...any, root },
    scheduler: any,
  };
}

/** The first signal stops everything in order, a second one at once. */
function stopOnSignals(starting: Promise<Stack>): void {
  const exit = () => process.exit(EXIT_INTERRUPTED);
  onSignals(() => {
    isInterrupted = true;
    terminal.progress('Stopping');
    void starting
      .then((stack) => stack.stop())
      .catch(() => undefined)
      .finally(() => {
        terminal.progress(undefined);
        exit();
      });
  }, exit);
}

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
}

/** The emulators end with this process. */
function fail(error: unknown): void {
  if (isInterrupted) return;
  terminal.progress(undefined);
  const text =
    error instanceof StackError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`, () => process.exit(1));
}

/** Ends the process when all that was written has reached the reader. */
function exitWith(code: number): void {
  if (isInterrupted) return;
  process.stdout.write('', () => process.exit(code));
}

// Whoever reads the output may leave early (`| head`): nothing more to say.
process.stdout.on('error', () => process.exit(1));
