/** `npm start`: the local stack in the foreground, with a demo tenant to try it. */
import { Command } from 'commander';
import { startOperatorConsole } from '../../functions/admin/console/server';
import { systemClock } from '../../shared/platform/clock';
import type { EmulatorConfig } from '../../shared/emulator-config';
import { readEmulatorConfig, toLocalConfig } from '../../shared/emulator-config';
import { seedDemoTenant } from './seed';
import type { Stack } from './stack';
import { startStack } from './stack';
import { StackError } from './stack-error';

/**
 * A signal that comes again within this time is the same one: a terminal and the program that started this one both
 * send it.
 */
const SAME_SIGNAL_MS = 500;

new Command('npm start --')
  .description('Starts the emulators, all functions and the gateway on this machine, and seeds a demo tenant.')
  .option('--config <file>', 'the emulator configuration', 'emulator.config.json')
  .action(({ config }: { config: string }) => run(config))
  .parseAsync()
  .catch(fail);

async function run(configFile: string): Promise<void> {
  const startedAtMs = systemClock.nowMs();
  const starting = startStack(readConfigFile(configFile), { onFailure: fail });
  stopOnSignals(starting);
  const stack = await starting;
  const local = toLocalConfig(stack.config);
  const { tenantId, key, curl } = await seedDemoTenant(local, stack.baseUrl);
  const operators = await startOperatorConsole(local, 0);
  const seconds = ((systemClock.nowMs() - startedAtMs) / 1_000).toFixed(1);
  const lines = [
    ...describeParts(stack.config),
    toRow('Demo tenant', tenantId),
    toRow('Demo key', key),
    toRow('API reference', `${stack.baseUrl}/docs`),
    toRow('Console', `${stack.baseUrl}/console, signed in with the demo key`),
    toRow('Operators’ console', `${operators.url} (works once)`),
    `Started in ${seconds} s; Ctrl-C stops everything.`,
    `Ready: ${stack.baseUrl}`,
    curl,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
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

function toRow(title: string, value: string): string {
  return `${title.padEnd(20)}${value}`;
}

/** When the first signal came; undefined: none has. */
let firstSignalMs: number | undefined;

/** The first signal stops everything in order, a second one at once. */
function stopOnSignals(starting: Promise<Stack>): void {
  const onSignal = () => {
    if (firstSignalMs === undefined) {
      firstSignalMs = systemClock.nowMs();
      void starting.then((stack) => stack.stop()).finally(() => process.exit(0));
    } else if (systemClock.nowMs() - firstSignalMs > SAME_SIGNAL_MS) {
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

/**
 * The emulators end with this process. A terminal sends them its signal, too: what fails after it is no failure, but
 * how everything stops.
 */
function fail(error: unknown): void {
  if (firstSignalMs !== undefined) return;
  process.stderr.write(`${error instanceof StackError ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exit(1);
}
