import { CommanderError } from 'commander';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { systemClock } from '../../shared/platform/clock';
import { RetryLater } from '../../shared/platform/retry-later';
import { configOf, connect } from './connection';
import { OperatorError } from '../../shared/operations/operator-error';
import type { Result, Terminal } from './program';
import { buildProgram } from './program';
import { Progress } from './progress';
import { toTerminalJson } from './terminal-json';

/** Runs the command that the arguments name. @returns the exit code: 0, or 1 after a message on stderr */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  const progress = new Progress(stderr, systemClock);
  const program = buildProgram(
    (options) => async (work) => {
      const operator = connect(configOf(options), {
        progress: (message) => progress.show(message),
        notice: (message) => progress.notice(message),
      });
      try {
        const result = await work(operator);
        progress.clear();
        await printResult(result, stdout, progress);
      } finally {
        progress.end();
        await operator.close();
      }
    },
    terminal,
  );
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // commander has printed why
    stderr.write(`${error instanceof OperatorError ? error.message : explain(error)}\n`);
    return 1;
  }
}

async function printResult(result: Result, stdout: Terminal['stdout'], progress: Progress): Promise<void> {
  if ('document' in result) return write(`${toTerminalJson(result.document, 2)}\n`, stdout);
  for await (const line of result.lines) {
    if (stdout.isTTY === true) progress.clear();
    await write(`${toTerminalJson(line)}\n`, stdout);
  }
  progress.clear();
}

/** Waits when the reader of a pipe is slower than the database. */
async function write(text: string, stdout: Writable): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain');
}

function explain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof RetryLater) return 'The database did not answer in time. Run the command again.';
  if (/UNAVAILABLE|ECONNREFUSED/.test(text)) {
    return 'The database cannot be reached. Start the local stack with npm start, or name a project with --project ID.';
  }
  if (text.includes('default credentials')) {
    return 'There are no credentials for the project. Get some with gcloud auth application-default login.';
  }
  return `The command failed: ${text}`;
}
