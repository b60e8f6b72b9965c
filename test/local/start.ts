/** `npm start`: the local stack in the foreground, with a demo tenant to try it. */
import { Command } from 'commander';
import { systemClock } from '../../shared/platform/clock';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { readEmulatorConfig, toLocalConfig } from '../../shared/emulator-config';
import { keyFileBeside, keyFileIn } from './data/demo-key';
import { seedDemoTenant } from './seed';
import { onSignals } from './signals';
import type { KeptData, Stack } from './stack';
import { startStack } from './stack';
import { StackError } from './stack-error';

interface StartOptions {
  readonly config: string;
  /** Absent: nothing is kept but buckets. */
  readonly data?: string;
  readonly watch?: boolean;
}

new Command('npm start --')
  .description('Starts the emulators, all functions and the gateway on this machine, and seeds a demo tenant.')
  .option('--config <file>', 'the emulator configuration', 'emulator.config.json')
  .option('--data <folder>', 'keeps records, keys, buckets, runs and jobs there for the next start')
  .option('--watch', 'builds and restarts the functions when a source in functions/ or shared/ changes')
  .addHelpText(
    'after',
    [
      '',
      'The demo key stays the same: it is kept in .local/demo-key beside the configuration, or in the data folder, for',
      'this user alone. Remove the file for a new one.',
      '',
      'Without --data a stop leaves the buckets, in storage.root of the configuration, and the demo key; everything else',
      'is in memory. With it, one stack at a time uses the folder. It is saved when the stack stops and about once a',
      'minute. After a crash the stack goes on from what was saved last, and says so.',
      '',
      'With --watch requests are answered by the version before until the new one is ready, also where a change cannot be',
      'built. Types are not checked (npm run typecheck). The ports and what is stored stay as they are.',
    ].join('\n'),
  )
  .action(run)
  .parseAsync()
  .catch(fail);

async function run({ config: configFile, data: dataFolder, watch = false }: StartOptions): Promise<void> {
  const startedAtMs = systemClock.nowMs();
  const kept = dataFolder === undefined ? {} : { dataFolder };
  const starting = startStack(readConfigFile(configFile), { ...kept, watch, onFailure: fail, say });
  stopOnSignals(starting);
  const stack = await starting;
  const keyFile = dataFolder === undefined ? keyFileBeside(configFile) : keyFileIn(dataFolder);
  const local = toLocalConfig(stack.config);
  const { tenantId, key, curl } = await seedDemoTenant(local, stack.baseUrl, keyFile);
  // Only now: it loads sources of functions, and --watch tells before what is wrong with them.
  const { startOperatorConsole } = await import('../../functions/admin/console/server');
  const operators = await startOperatorConsole(local, 0);
  const seconds = ((systemClock.nowMs() - startedAtMs) / 1_000).toFixed(1);
  const lines = [
    ...describeParts(stack.config),
    ...describeData(stack.data),
    toRow('Demo tenant', tenantId),
    toRow('Demo key', key),
    toRow('API reference', `${stack.baseUrl}/docs`),
    toRow('Console', `${stack.baseUrl}/console, signed in with the demo key`),
    toRow('Operators’ console', `${operators.url} (works once)`),
    ...(watch ? ['A change of a source in functions/ or shared/ restarts the functions.'] : []),
    `Started in ${seconds} s; Ctrl-C stops everything.`,
    `Ready: ${stack.baseUrl}`,
    curl,
  ];
  say(lines.join('\n'));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readConfigFile(file: string): EmulatorConfig {
  try {
    return readEmulatorConfig(file);
  } catch (error) {
    throw new StackError((error as Error).message);
  }
}

function describeParts({ host, projectId, storage, ...ports }: EmulatorConfig): string[] {
  return [
    toRow('Gateway', `${host}:${ports.gateway.port}`),
    toRow('Firestore emulator', `${host}:${ports.firestore.port}, project ${projectId}`),
    toRow('Pub/Sub emulator', `${host}:${ports.pubsub.port}`),
    toRow('Cloud Storage', `${host}:${storage.port}, buckets in ${storage.root}`),
    toRow('Cloud Scheduler', `${host}:${ports.scheduler.port}`),
  ];
}

function describeData(data: KeptData | undefined): string[] {
  if (!data) return [];
  const { folder, restored, wasKilled } = data;
  const what = restored ? `${restored.documents} documents, saved at ${restored.savedAt}` : 'nothing was saved before';
  return [
    toRow('Data', `${folder}: ${what}`),
    ...(wasKilled ? ['The stack before did not end in order. What it did after its last snapshot is lost.'] : []),
  ];
}

function toRow(title: string, value: string): string {
  return `${title.padEnd(20)}${value}`;
}

/** Whether a signal came. */
let isInterrupted = false;

/** The first signal stops everything in order, a second one at once. */
function stopOnSignals(starting: Promise<Stack>): void {
  onSignals(
    () => {
      isInterrupted = true;
      const started = starting.catch(() => undefined); // what fails after the signal is no failure
      started.then((stack) => stack?.stop()).then(() => process.exit(0), endWith);
    },
    () => process.exit(1),
  );
}

/**
 * The emulators end with this process. A terminal sends them its signal, too: what fails after it is no failure, but
 * how everything stops.
 */
function fail(error: unknown): void {
  if (!isInterrupted) endWith(error);
}

function endWith(error: unknown): never {
  process.stderr.write(`${error instanceof StackError ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exit(1);
}
