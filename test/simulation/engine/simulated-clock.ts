/**
 * Simulated time: what is to happen waits in a heap, and time goes from one event to the next. Events of one moment
 * come in the order in which they were planned, so that the same seed gives the same history.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../shared/platform/clock';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

export class SimulatedClock implements Clock {
  private readonly heap: Event[] = [];
  private planned = 0;

  constructor(private timeMs = 0) {}

  nowMs(): number {
    return this.timeMs;
  }

  /** Plans what happens `ms` milliseconds from now. */
  after(ms: number, act: () => void): void {
    this.push({ atMs: this.timeMs + Math.max(0, ms), order: this.planned, act });
    this.planned += 1;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets all events happen up to a time, or until none is left. @returns whether none is left */
  run(untilMs = Infinity): boolean {
    for (let event = this.heap[0]; event && event.atMs <= untilMs; event = this.heap[0]) this.happen();
    return this.heap.length === 0;
  }

  /**
   * Lets time go on while asynchronous code is at work that sleeps by this clock.
   * @throws Error when the work waits for something else
   */
  async runWhile<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const done = work.finally(() => (state.isDone = true));
    done.catch(() => undefined); // its caller gets the error, below
    for (;;) {
      do await nextTurn();
      while (isComputing());
      if (state.isDone) return done;
      if (this.heap.length === 0) throw new Error('The simulated work waits for something that is not simulated.');
      this.happen();
    }
  }

  private happen(): void {
    const event = this.pop();
    if (!event) return;
    this.timeMs = event.atMs;
    event.act();
  }

  private push(event: Event): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  private pop(): Event | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

/**
 * Whether asynchronous code has asked for a turn of the event loop: it computes something long in shares, and does not
 * wait for the clock. All else that it awaits happens within one turn.
 */
function isComputing(): boolean {
  return process.getActiveResourcesInfo().includes('Immediate');
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
