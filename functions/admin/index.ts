/** The operator's command line: `npm run --silent admin -- …`. */
import { once } from 'node:events';
import { configOf, connect } from './connection';
import { OperatorError } from './operator-error';
import type { Result } from './program';
import { buildProgram } from './program';
import { toTerminalJson } from './terminal-json';

const CLEAR_LINE = '\r\u001b[K';

/** The cursor stands behind a message of progress. */
let isProgressOpen = false;

async function main(): Promise<void> {
  const program = buildProgram((options) => async (work) => {
    const operator = connect(configOf(options), showProgress);
    try {
      await printResult(await work(operator));
    } finally {
      if (isProgressOpen) process.stderr.write('\n');
      await operator.close();
    }
  });
  await program.parseAsync();
}

async function printResult(result: Result): Promise<void> {
  clearProgress();
  if ('document' in result) return write(`${toTerminalJson(result.document, 2)}\n`);
  for await (const line of result.lines) await write(`${toTerminalJson(line)}\n`);
}

/** Waits while the reader of a pipe is slower than the database. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** On a terminal each message takes the place of the one before, and the last one stays. */
function showProgress(message: string): void {
  process.stderr.write(process.stderr.isTTY ? `${CLEAR_LINE}${message}` : `${message}\n`);
  isProgressOpen = process.stderr.isTTY;
}

function clearProgress(): void {
  if (isProgressOpen) process.stderr.write(CLEAR_LINE);
  isProgressOpen = false;
}

// The reader of a pipe may leave early (`| head`): that is no error.
process.stdout.on('error', () => process.exit(0));

main().catch((error: unknown) => {
  const isKnown = error instanceof OperatorError;
  process.stderr.write(`${isKnown ? error.message : explain(error)}\n`);
  process.exitCode = 1;
});

function explain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /UNAVAILABLE|ECONNREFUSED/.test(text)
    ? 'The database cannot be reached. Start the local stack with npm start, or name a project with --project ID.'
    : `The command failed: ${text}`;
}
