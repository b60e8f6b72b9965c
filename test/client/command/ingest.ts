/** The command `ingest` in tests: in this process, on streams that are read at its end, or in one of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { World } from '../../../client/src/command/output/terminal';
import { runCommand } from '../../../client/src/command/run';
import { systemPlatform } from '../../../client/src/http/platform';
import { systemClock } from '../../../shared/platform/clock';

export interface Ingested {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface IngestOptions {
  readonly url?: string;
  readonly key?: string;
  readonly stdin?: string | Buffer;
  /** Whether stdout and stderr are terminals. */
  readonly isTerminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly clock?: World['clock'];
}

/** Waits of the client that take so much of their time: a lost answer would hold products back for half a minute. */
const HURRY = 1 / 200;

export async function ingest(args: readonly string[], options: IngestOptions = {}): Promise<Ingested> {
  const { url, key, stdin = '', isTerminal = false, env, signal = new AbortController().signal } = options;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(stdout), text(stderr)]);
  if (isTerminal) for (const stream of [stdout, stderr]) Object.assign(stream, { isTTY: true, columns: 200 });
  const platform = systemPlatform();
  const code = await runCommand(args, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    env: { ...(url !== undefined && { INGEST_URL: url }), ...(key !== undefined && { INGEST_KEY: key }), ...env },
    clock: options.clock ?? systemClock,
    signal,
    platform: { ...platform, after: (ms, callback) => platform.after(ms < 60_000 ? ms * HURRY : ms, callback) },
  });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err };
}

/** The command in a process of its own, which `end` may kill when it has printed something. */
export async function ingestProcess(
  args: readonly string[],
  { url = '', key = '' }: IngestOptions,
  signalled?: { readonly after: Promise<void>; readonly signal: NodeJS.Signals },
): Promise<Ingested> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'client/src/command/main.ts', ...args], {
    env: { ...process.env, INGEST_URL: url, INGEST_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  void signalled?.after.then(() => child.kill(signalled.signal));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** A folder of its own for every test of the file. */
export function useFolder(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ingest-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return () => folder;
}
