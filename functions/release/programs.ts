/** Other programs (git, npm, gh, terraform, gcloud), run one after the other. */
import { spawnSync } from 'node:child_process';

/** The plan of a whole environment as JSON takes some megabytes. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const STDERR = 2;

interface Options {
  /** The folder in which it runs; without it that of this process. */
  readonly cwd?: string;
  /** What it reads; without it nothing. */
  readonly input?: string;
}

/**
 * Runs a program that tells people what it does: on stderr, so that stdout has results alone.
 * @throws Error that names the program and its exit code
 */
export function run(program: string, args: readonly string[], { cwd }: Options = {}): void {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', STDERR, STDERR] });
  requireSuccess(program, args, status, error);
}

/**
 * What a program prints on stdout.
 * @throws Error that names the program and its exit code
 */
export function outputOf(program: string, args: readonly string[], { cwd, input = '' }: Options = {}): string {
  const { status, error, stdout } = spawnSync(program, args, {
    cwd,
    input,
    stdio: ['pipe', 'pipe', STDERR],
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  requireSuccess(program, args, status, error);
  return stdout;
}

function requireSuccess(
  program: string,
  args: readonly string[],
  status: number | null,
  error: Error | undefined,
): void {
  if (error && 'code' in error && error.code === 'ENOENT') throw new Error(`${program} is not installed.`);
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${[program, ...args].join(' ')}\` failed with ${status ?? 'a signal'}.`);
}
