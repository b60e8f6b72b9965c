import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Elements, Result, Terminal } from './printing';
import type { Progress } from './progress';
import { toTable } from './table';
import { toTerminalJson } from './terminal-json';

/** The width of a terminal that does not tell it. */
const USUAL_WIDTH = 80;

/** Prints what a command has found. Where it pipes, what is printed depends on nothing but the result. */
export async function printResult(result: Result, stdout: Terminal['stdout'], progress: Progress): Promise<void> {
  if ('document' in result) return write(`${toTerminalJson(result.document, 2)}\n`, stdout);
  for await (const line of toLines(result, stdout)) {
    if (stdout.isTTY === true) progress.clear();
    await write(`${line}\n`, stdout);
  }
  progress.clear();
}

function toLines(result: Exclude<Result, { document: unknown }>, stdout: Terminal['stdout']): AsyncIterable<string> {
  if ('lines' in result) return toJsonLines(result.lines);
  if (stdout.isTTY !== true) return toJsonLines(result.list);
  const { columns: width = USUAL_WIDTH } = stdout;
  return toTable(result.list, result.columns, { width, isColoured: stdout.hasColors?.() ?? false });
}

async function* toJsonLines(elements: Elements): AsyncGenerator<string> {
  for await (const element of elements) yield toTerminalJson(element);
}

/** Waits when the reader of a pipe is slower than the database. */
async function write(text: string, stdout: Writable): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain');
}
