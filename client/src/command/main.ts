/** The command `ingest`: what it takes of the process, and how it ends. */
import { setMaxListeners } from 'node:events';
import { systemClock } from '../../../shared/platform/clock';
import { runCommand } from './run';

const EXIT_FAILURE = 2;

// Many waits of the client listen to one signal. Node.js would take that for a leak, and say so on stderr.
setMaxListeners(0);
const interruption = new AbortController();

// The first Ctrl-C lets the command say what is stored. The second one ends it at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(EXIT_FAILURE);
    interruption.abort();
  });
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe may stop early (`| head`).
  if (error.code !== 'EPIPE') process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(EXIT_FAILURE);
});

const { stdin, stdout, stderr, env } = process;
const world = { stdin, stdout, stderr, env, clock: systemClock, signal: interruption.signal };
void runCommand(process.argv.slice(2), world).then((code) => {
  process.exitCode = code;
  // A stream that somebody keeps open must not keep the command.
  stdout.write('', () => stderr.write('', () => process.exit()));
});
