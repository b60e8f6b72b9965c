import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** What some work took of the event loop. */
export interface TurnTimes {
  /** The processor's time of all turns. */
  readonly cpuMs: number;
  /** The processor's time of the longest turn: how long everything else of the instance waited. */
  readonly blockMs: number;
  /**
   * The clock's time of the longest delay of the event loop, collecting garbage included, beyond the longest work that
   * is excused and the longest time for which other processes had the processor.
   */
  readonly delayMs: number;
}

interface Turn {
  readonly startMs: number;
  readonly endMs: number;
  readonly busyMs: number;
}

/** Shorter turns are not looked at again: they block nobody. */
const LOOK_MS = 5;

/** How often the delay of the event loop is looked at. */
const DELAY_RESOLUTION_MS = 5;

/**
 * Measures how long each turn of the event loop holds it, by the processor's time rather than the clock's: what other
 * processes of a busy machine take does not count. Collecting garbage does not count either, nor does what is excused:
 * the parse of a body, and what the fakes of a test do in the place of a database.
 */
export class TurnMeter {
  private excusedMs = 0;
  private longestExcusedMs = 0;

  /** Does synchronous work that does not count. */
  excuse<T>(work: () => T): T {
    const before = busyMs();
    const startMs = performance.now();
    try {
      return work();
    } finally {
      this.excusedMs += busyMs() - before;
      this.longestExcusedMs = Math.max(this.longestExcusedMs, performance.now() - startMs);
    }
  }

  async measure(work: () => Promise<unknown>): Promise<TurnTimes> {
    const pauses: { startMs: number; endMs: number }[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        pauses.push({ startMs: startTime, endMs: startTime + duration });
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    this.longestExcusedMs = 0;
    const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
    delay.enable();
    await new Promise((resolve) => setTimeout(resolve, 4 * DELAY_RESOLUTION_MS)); // it measures from its first ticks on
    const turns: Turn[] = [];
    let isOver = false;
    let cpuMs = 0;
    let startMs = performance.now();
    let beforeMs = busyMs();
    let excusedMs = this.excusedMs;
    let awayMs = 0;
    const look = () => {
      const [endMs, afterMs] = [performance.now(), busyMs()];
      awayMs = Math.max(awayMs, endMs - startMs - (afterMs - beforeMs));
      const busy = Math.max(0, Math.min(endMs - startMs, afterMs - beforeMs) - (this.excusedMs - excusedMs));
      cpuMs += busy;
      if (busy >= LOOK_MS) turns.push({ startMs, endMs, busyMs: busy });
      [startMs, beforeMs, excusedMs] = [endMs, afterMs, this.excusedMs];
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    try {
      await work();
    } finally {
      isOver = true;
      look();
      // The observer and the monitor are told in turns of their own.
      await new Promise((resolve) => setTimeout(resolve, 2 * DELAY_RESOLUTION_MS));
      observer.disconnect();
      delay.disable();
    }
    const blocks = turns.map(({ busyMs: busy, ...turn }) => busy - overlapMs(turn, pauses));
    const delayMs = Math.max(0, delay.max / 1e6 - DELAY_RESOLUTION_MS - this.longestExcusedMs - awayMs);
    return { cpuMs, blockMs: Math.max(0, ...blocks), delayMs };
  }
}

function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

function overlapMs(turn: Span, pauses: readonly Span[]): number {
  const overlap = ({ startMs, endMs }: Span) => Math.min(endMs, turn.endMs) - Math.max(startMs, turn.startMs);
  return pauses.reduce((sum, pause) => sum + Math.max(0, overlap(pause)), 0);
}
