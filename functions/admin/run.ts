import { CommanderError } from 'commander';
import { systemClock } from '../../shared/platform/clock';
import { RetryLater } from '../../shared/platform/retry-later';
import { configOf, connect } from './connection';
import { explainCredentials } from './credentials';
import { OperatorError, withHint } from '../../shared/operations/operator-error';
import { printResult } from './print-result';
import type { Terminal } from './printing';
import { buildProgram } from './program';
import { Progress } from './progress';

/**
 * Runs the command that the arguments name.
 * @returns the exit code: 1 after a message on stderr, else 0 or what the result says
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  const progress = new Progress(stderr, systemClock);
  let exitCode = 0;
  const program = buildProgram(
    (options) => async (work) => {
      const operator = connect(configOf(options), {
        progress: (message) => progress.show(message),
        notice: (message, hint) => progress.notice(withHint(message, hint)),
      });
      try {
        const result = await work(operator);
        progress.clear();
        await printResult(result, stdout, progress);
        if ('document' in result) exitCode = result.exitCode ?? 0;
      } finally {
        progress.end();
        await operator.close();
      }
    },
    terminal,
  );
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // commander has printed why
    stderr.write(`${explain(error)}\n`);
    return 1;
  }
}

/** What to say of an error that ends a command. */
export function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof RetryLater) return 'The database did not answer in time. Run the command again.';
  if (/UNAVAILABLE|ECONNREFUSED/.test(text)) {
    return 'The database cannot be reached. Start the local stack with npm start, or name a project with --project ID.';
  }
  return explainCredentials(text) ?? `The command failed: ${text}`;
}
