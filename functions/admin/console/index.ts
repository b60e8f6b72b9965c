/** `npm run console`: the console of operators, in the foreground and on this machine alone. */
import { Command } from 'commander';
import { OperatorError } from '../../../shared/operations/operator-error';
import type { ConnectionOptions } from '../connection';
import { configOf } from '../connection';
import { startOperatorConsole } from './server';

const MAX_PORT = 65_535;

new Command('npm run console --')
  .description('Opens the console over all tenants in a browser of this machine. Prints its address, which works once.')
  .option('--config <file>', 'the local stack’s configuration', 'emulator.config.json')
  .option('--project <id>', 'a Google Cloud project instead of the local stack (application default credentials)')
  .option('--port <number>', 'the port on which it listens (default: a free one)')
  .showHelpAfterError('(add --help for the usage)')
  .action((options: ConnectionOptions & { readonly port?: string }) => run(options))
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof OperatorError ? error.message : String(error)}\n`);
    process.exit(1);
  });

async function run({ port = '0', ...connection }: ConnectionOptions & { readonly port?: string }): Promise<void> {
  const config = configOf(connection);
  const { url } = await startOperatorConsole(config, parsePort(port));
  process.stdout.write(
    `The console of ${config.projectId}, on this machine alone. Ctrl-C ends it.\nOpen once: ${url}\n`,
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(0));
}

/** @throws OperatorError */
function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= MAX_PORT) return port;
  throw new OperatorError(`--port must be a whole number from 0 to ${MAX_PORT}; it is "${text}".`);
}
