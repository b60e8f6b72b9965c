/**
 * How many requests, and how many bytes of them, one instance takes on at once.
 *
 * - A request holds a slot while it is worked on. It holds none while its body arrives, so bodies that never come keep
 *   nobody out.
 * - Once its body has arrived, a request waits for the memory that its work takes. Meanwhile it keeps only the bytes
 *   that were sent.
 * - A stream holds its slot until it ends. Only some slots are for streams.
 * - One caller gets only a share of everything, so there is always some left for others.
 */
import {
  INFLATED_AT_ONCE,
  LARGE_WORK_BYTES,
  MAX_ARRIVING_BYTES,
  MAX_ARRIVING_BYTES_OF_KEY,
  MAX_BODIES_ARRIVING,
  MAX_BODIES_ARRIVING_OF_KEY,
  MAX_REQUESTS_IN_FLIGHT,
  MAX_REQUESTS_OF_KEY,
  MAX_SLOW_BODIES,
  MAX_SLOW_BYTES,
  MAX_SMALL_ARRIVING_BYTES,
  MAX_STREAMS,
  MAX_STREAMS_OF_KEY,
  SMALL_BODY_BYTES,
  SMALL_WORK_BYTES,
  SMALL_WORK_TOTAL_BYTES,
  STREAM_RETRY_SECONDS,
  WORK_WAIT_MS,
} from '../limits/requests';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import { bodyRefused, overloaded, RequestAborted, tooManyAtOnce } from './problems';
import type { Waiter } from './work-memory';
import { WorkMemory } from './work-memory';

/** What is in use, by all requests or by those of one caller. */
interface Usage {
  slots: number;
  /** The slots that send streams. */
  streams: number;
  bodies: number;
  slowBodies: number;
  arrivingBytes: number;
  /** The part of `arrivingBytes` that belongs to small bodies. */
  smallBytes: number;
  workBytes: number;
}

/** The capacity of one instance. */
export class Capacity {
  /** How the bodies that are arriving are ended, the oldest first. */
  readonly arriving = new Map<Reservation, () => void>();
  private readonly all = noUsage();
  private readonly callers = new Map<string, Usage>();
  /** Small and large work have separate memory, so small work never waits for large work. */
  private readonly smallWork = new WorkMemory(SMALL_WORK_TOTAL_BYTES);
  private readonly largeWork = new WorkMemory(LARGE_WORK_BYTES);
  /** The requests whose bodies arrive slowly. */
  readonly slowBodies = new Set<Reservation>();
  readonly inflating = new ConcurrencyLimit(INFLATED_AT_ONCE);

  /** @param maxArriving bodies that arrive at once; of more the oldest gives way to the new one */
  constructor(private readonly maxArriving = Infinity) {}

  /**
   * Begins a request, which holds nothing yet.
   * @param caller whose share the request takes from: the text of its key, or another text that tells callers apart
   */
  begin(caller: string): Reservation {
    const usage = this.callers.get(caller) ?? noUsage();
    this.callers.set(caller, usage);
    const forget = () => {
      if (Object.values(usage).every((value) => value === 0)) this.callers.delete(caller);
    };
    return new Reservation(this, this.all, usage, forget);
  }

  /** Ends the oldest body that is arriving when a new one would be one too many. */
  makeRoomForBody(): void {
    if (this.arriving.size < this.maxArriving) return;
    const [giveWay] = this.arriving.values();
    giveWay?.();
  }

  /**
   * Ends slow bodies until their number and their bytes are within the limits. The callers with the most slow bodies
   * come first, and of those the largest body; of equal ones the last. So a caller who sends many slow bodies does not
   * end those of others.
   */
  limitSlowBodies(): void {
    for (;;) {
      let bytes = 0;
      let worst: Reservation | undefined;
      for (const slow of this.slowBodies) {
        bytes += slow.bodyBytes;
        if (!worst || !worst.endsBefore(slow)) worst = slow;
      }
      if (!worst || (this.slowBodies.size <= MAX_SLOW_BODIES && bytes <= MAX_SLOW_BYTES)) return;
      worst.endSlowBody();
    }
  }

  /** The memory from which work of this size takes its bytes. */
  memoryFor(bytes: number): WorkMemory {
    return bytes <= SMALL_WORK_BYTES ? this.smallWork : this.largeWork;
  }
}

/** What one request holds of an instance's capacity. */
export class Reservation {
  /** Whether the request was answered. What still arrives of its body is not kept. */
  isAnswered = false;
  private hasSlot = false;
  private isStream = false;
  private hasBody = false;
  private arrivingBytes = 0;
  /** Equal to `arrivingBytes` while the body is small, else 0. */
  private smallBytes = 0;
  /** Ends the body; set while the body is slow. */
  private onTooSlow: (() => void) | undefined;
  private work: { readonly memory: WorkMemory; bytes: number } | undefined;
  /** Set while the request waits for memory. */
  private stopWaiting: ((reason: Error) => void) | undefined;

  constructor(
    private readonly capacity: Capacity,
    private readonly all: Usage,
    private readonly caller: Usage,
    private readonly forgetCaller: () => void,
  ) {}

  get hasFreeSlot(): boolean {
    return this.all.slots < MAX_REQUESTS_IN_FLIGHT && this.caller.slots < MAX_REQUESTS_OF_KEY;
  }

  /** @throws HttpProblem 503; RequestAborted when the request was answered. */
  takeSlot(): void {
    this.requireUnanswered();
    if (!this.hasFreeSlot) throw overloaded();
    this.hasSlot = true;
    this.add('slots', 1);
  }

  /**
   * The answer is a stream, which keeps its slot until it has ended.
   * @throws HttpProblem 429 when the caller has as many as one may; 503 when the instance has
   */
  takeStream(): void {
    if (this.caller.streams >= MAX_STREAMS_OF_KEY) throw tooManyAtOnce('streams', STREAM_RETRY_SECONDS);
    if (this.all.streams >= MAX_STREAMS) throw overloaded(STREAM_RETRY_SECONDS);
    this.isStream = true;
    this.add('streams', 1);
  }

  /**
   * The body begins to arrive; the slot is free meanwhile.
   * @param giveWay ends the body; called when it has to make room for a new one
   * @throws HttpProblem 503
   */
  beginBody(giveWay: () => void): void {
    this.capacity.makeRoomForBody();
    const isFull = this.all.bodies >= MAX_BODIES_ARRIVING || this.caller.bodies >= MAX_BODIES_ARRIVING_OF_KEY;
    if (isFull) throw bodyRefused();
    this.releaseSlot();
    this.hasBody = true;
    this.capacity.arriving.set(this, giveWay);
    this.add('bodies', 1);
  }

  /** More of the body has arrived, and is kept. This may end a slow body. @throws HttpProblem 503 */
  addBodyBytes(bytes: number): void {
    const total = this.arrivingBytes + bytes;
    const isSmall = total <= SMALL_BODY_BYTES;
    const { arrivingBytes, smallBytes } = this.all;
    const isFull = isSmall
      ? smallBytes + bytes > MAX_SMALL_ARRIVING_BYTES
      : arrivingBytes - smallBytes + bytes + this.smallBytes > MAX_ARRIVING_BYTES;
    if (isFull || this.caller.arrivingBytes + bytes > MAX_ARRIVING_BYTES_OF_KEY) throw bodyRefused();
    this.setBodyBytes(total);
    if (this.onTooSlow) this.capacity.limitSlowBodies();
  }

  /**
   * The body arrives slowly. It may go on while there are not too many slow bodies. A repeat does nothing.
   * @param onTooSlow ends the body; called now or later, once there are too many
   */
  reportSlow(onTooSlow: () => void): void {
    if (this.onTooSlow) return;
    this.onTooSlow = onTooSlow;
    this.capacity.slowBodies.add(this);
    this.add('slowBodies', 1);
    this.capacity.limitSlowBodies();
  }

  /** Whether this slow body has to end before the other one. */
  endsBefore({ caller, arrivingBytes }: Reservation): boolean {
    const difference = this.caller.slowBodies - caller.slowBodies;
    return difference === 0 ? this.arrivingBytes > arrivingBytes : difference > 0;
  }

  get bodyBytes(): number {
    return this.arrivingBytes;
  }

  endSlowBody(): void {
    const { onTooSlow } = this;
    this.leaveSlowBodies();
    onTooSlow?.();
  }

  /** The body has arrived, or never will. A repeat does nothing. */
  endBody(): void {
    this.leaveSlowBodies();
    if (this.hasBody) this.add('bodies', -1);
    this.hasBody = false;
    this.capacity.arriving.delete(this);
    if (this.isAnswered) this.forgetCaller();
  }

  /** Inflates a body when it is its turn. */
  inflate<T>(work: () => Promise<T>): Promise<T> {
    return this.capacity.inflating.run(work);
  }

  /**
   * Takes the memory for the work on the body; false if there is not enough now.
   * @throws RequestAborted when the request was answered.
   */
  tryToReserveMemory(bytes: number): boolean {
    this.requireUnanswered();
    const memory = this.capacity.memoryFor(bytes);
    if (!memory.tryToTake(bytes)) return false;
    this.beginWork(memory, bytes);
    return true;
  }

  /** The same, but waits in the queue. @throws HttpProblem 503 after WORK_WAIT_MS; RequestAborted */
  async waitForMemory(bytes: number): Promise<void> {
    if (this.tryToReserveMemory(bytes)) return;
    const memory = this.capacity.memoryFor(bytes);
    let waiter: Waiter | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const begin = () => {
          this.beginWork(memory, bytes);
          resolve();
        };
        waiter = { bytes, callerWorkBytes: () => this.caller.workBytes, begin };
        timer = setTimeout(() => reject(overloaded()), WORK_WAIT_MS);
        this.stopWaiting = reject;
        memory.enqueue(waiter);
      });
    } finally {
      clearTimeout(timer);
      if (waiter) memory.dequeue(waiter);
      this.stopWaiting = undefined;
    }
  }

  /** The work takes less memory than was reserved; the rest is given back. */
  reduceMemory(bytes: number): void {
    if (!this.work || bytes >= this.work.bytes) return;
    const spare = this.work.bytes - bytes;
    this.work.bytes = bytes;
    this.giveBack(this.work.memory, spare);
  }

  /** The request is answered: everything is given back. */
  release(): void {
    this.isAnswered = true;
    this.stopWaiting?.(answeredEarly());
    this.releaseSlot();
    this.setBodyBytes(0);
    const { work } = this;
    this.work = undefined;
    if (work) this.giveBack(work.memory, work.bytes);
    this.forgetCaller();
  }

  private requireUnanswered(): void {
    if (this.isAnswered) throw answeredEarly();
  }

  private beginWork(memory: WorkMemory, bytes: number): void {
    this.setBodyBytes(0); // the memory of the work includes the body
    this.work = { memory, bytes };
    this.add('workBytes', bytes);
  }

  private giveBack(memory: WorkMemory, bytes: number): void {
    this.add('workBytes', -bytes); // first, because the queue prefers the callers with the least work
    memory.giveBack(bytes);
  }

  private setBodyBytes(bytes: number): void {
    const small = bytes <= SMALL_BODY_BYTES ? bytes : 0;
    this.add('arrivingBytes', bytes - this.arrivingBytes);
    this.add('smallBytes', small - this.smallBytes);
    this.arrivingBytes = bytes;
    this.smallBytes = small;
  }

  private leaveSlowBodies(): void {
    if (this.capacity.slowBodies.delete(this)) this.add('slowBodies', -1);
    this.onTooSlow = undefined;
  }

  private releaseSlot(): void {
    if (this.hasSlot) this.add('slots', -1);
    if (this.isStream) this.add('streams', -1);
    this.hasSlot = false;
    this.isStream = false;
  }

  private add(what: keyof Usage, amount: number): void {
    this.all[what] += amount;
    this.caller[what] += amount;
  }
}

function answeredEarly(): RequestAborted {
  return new RequestAborted('The request was answered before its body was there.');
}

function noUsage(): Usage {
  return { slots: 0, streams: 0, bodies: 0, slowBodies: 0, arrivingBytes: 0, smallBytes: 0, workBytes: 0 };
}
