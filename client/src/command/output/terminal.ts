/** Where a command prints: data to stdout, everything that is said about it to stderr. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../../shared/platform/clock';
import type { Platform } from '../../index';
import type { Environment } from '../connection';

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command needs of the world around it. Tests give their own. */
export interface World {
  readonly stdin: Readable;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Environment;
  readonly clock: Clock;
  /** Aborted when somebody interrupts the command. */
  readonly signal: AbortSignal;
  /** Of tests: what the client runs on. */
  readonly platform?: Platform;
}

const CLEAR_LINE = '\r\u001b[K';
const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2 } as const;
export type Colour = keyof typeof COLOURS;

/** On a terminal a line of progress replaces the one before. Elsewhere one in five seconds is printed. */
const TERMINAL_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 5_000;

export class Terminal {
  private isLineOpen = false;
  private nextProgressMs: number;

  constructor(private readonly world: Pick<World, 'stdout' | 'stderr' | 'env' | 'clock'>) {
    this.nextProgressMs = world.clock.nowMs() + (world.stderr.isTTY === true ? 0 : LOG_INTERVAL_MS);
  }

  /** Whether a person reads the data. */
  get isForPeople(): boolean {
    return this.world.stdout.isTTY === true;
  }

  /** Data. Resolves when the reader of a pipe has room for more. */
  async print(text: string): Promise<void> {
    this.clear();
    const { stdout } = this.world;
    if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once('drain', resolve));
  }

  /** A sentence about what happens. */
  say(text: string, colour?: Colour): void {
    this.clear();
    this.world.stderr.write(`${colour ? this.coloured(text, colour, this.world.stderr) : text}\n`);
  }

  /** @param toText called only when it is time for another one */
  showProgress(toText: () => string): void {
    const nowMs = this.world.clock.nowMs();
    if (nowMs < this.nextProgressMs) return;
    const { stderr } = this.world;
    const isTerminal = stderr.isTTY === true;
    this.nextProgressMs = nowMs + (isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS);
    const text = toText();
    stderr.write(isTerminal ? `${CLEAR_LINE}${text.slice(0, (stderr.columns ?? 80) - 1)}` : `${text}\n`);
    this.isLineOpen = isTerminal;
  }

  /** Removes the line of progress. */
  clear(): void {
    if (this.isLineOpen) this.world.stderr.write(CLEAR_LINE);
    this.isLineOpen = false;
  }

  /** Coloured where it is printed on a terminal that wants colours. */
  coloured(text: string, colour: Colour, stream: Stream = this.world.stdout): string {
    const isPlain = stream.isTTY !== true || (this.world.env['NO_COLOR'] ?? '') !== '';
    return isPlain ? text : `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;
  }
}
