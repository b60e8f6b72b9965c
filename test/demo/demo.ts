/**
 * `npm run demo`: the whole service on this machine, a sample shop through every route, and whether all is stored as
 * expected.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { EmulatorConfig } from '../../shared/emulator-config';
import type { Stack } from '../local/stack';
import { startStack } from '../local/stack';
import { StackError } from '../local/stack-error';
import { BUCKET } from './bucket';
import { dropOrdinaryLogs } from './quiet-logs';
import { Report } from './report';
import { tellStory } from './story';
import { Terminal } from './terminal';

/** A signal that comes again within this time is the same one: a terminal and npm both send it. */
const SAME_SIGNAL_MS = 500;

const EXIT_INTERRUPTED = 130;

dropOrdinaryLogs(process.stderr);
const terminal = new Terminal(process.stdout, process.env);

/** When the first signal came; whatever fails from then on does so because the stack goes. */
let interruptedMs: number | undefined;

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
  const report = new Report(terminal);
  report.progress('Starting the emulators and the functions');
  const starting = startStack(freePorts(bucketsFolder()), { onFailure: fail });
  stopOnSignals(starting);
  const stack = await starting;
  terminal.line(`The service runs at ${stack.baseUrl} (ready after ${seconds(startedMs)}).`);
  try {
    const { routes, requests, recordsCompared } = await tellStory(stack, report);
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

/** A temporary folder with the demo's bucket; it goes when this process ends, however it does. */
function bucketsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ingestion-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, BUCKET));
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
  const onSignal = () => {
    if (interruptedMs === undefined) {
      interruptedMs = performance.now();
      terminal.progress('Stopping');
      void starting
        .then((stack) => stack.stop())
        .catch(() => undefined)
        .finally(() => {
          terminal.progress(undefined);
          process.exit(EXIT_INTERRUPTED);
        });
    } else if (performance.now() - interruptedMs > SAME_SIGNAL_MS) {
      process.exit(EXIT_INTERRUPTED);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
}

/** The emulators end with this process. */
function fail(error: unknown): void {
  if (interruptedMs !== undefined) return;
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
  if (interruptedMs !== undefined) return;
  process.stdout.write('', () => process.exit(code));
}

// Whoever reads the output may leave early (`| head`): nothing more to say.
process.stdout.on('error', () => process.exit(1));
