/**
 * What one instance takes on at once, in requests and in bytes. A request has a place while it is worked on.
 * While its body arrives it has none: bodies that never come keep nobody out. When its body is there, it waits for the
 * memory that the work on it takes, and holds no more than the bytes that were sent meanwhile. One caller has a share
 * of everything, so that others always find some.
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
  SMALL_BODY_BYTES,
  SMALL_WORK_BYTES,
  SMALL_WORK_TOTAL_BYTES,
  WORK_WAIT_MS,
} from '../limits/requests';
import { ConcurrencyLimit } from '../platform/async/concurrency-limit';
import { bodyRefused, overloaded, RequestAborted } from './problems';

/** What is in use, by all requests or by those of one caller. */
interface Usage {
  places: number;
  bodies: number;
  slowBodies: number;
  arrivingBytes: number;
  /** Those of the arriving bytes that belong to small bodies. */
  smallBytes: number;
  workBytes: number;
}

interface Waiting {
  readonly hold: Reservation;
  readonly bytes: number;
  readonly begin: () => void;
  readonly giveUp: (reason: Error) => void;
}

/** Work is small or large; each has its own memory, so that small work never waits for large work. */
class Lane {
  inUse = 0;
  readonly line: Waiting[] = [];

  constructor(readonly bytes: number) {}

  /** Whether it has room. Something always fits into an empty one. */
  hasRoomFor(bytes: number): boolean {
    return this.inUse === 0 || this.inUse + bytes <= this.bytes;
  }

  /** Who is next: of the callers that have the least work, who came first. So nobody waits for ever. */
  next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.line) {
      if (!next || waiting.hold.callerWorkBytes < next.hold.callerWorkBytes) next = waiting;
    }
    return next;
  }
}

export class Capacity {
  private readonly all = noUsage();
  private readonly callers = new Map<string, Usage>();
  private readonly small = new Lane(SMALL_WORK_TOTAL_BYTES);
  private readonly large = new Lane(LARGE_WORK_BYTES);
  /** Whose bodies take long. */
  readonly slowBodies = new Set<Reservation>();
  /** Whose turn it is to inflate a body. */
  readonly inflating = new ConcurrencyLimit(INFLATED_AT_ONCE);

  /** Begins a request. `caller`: whose share it takes from; the text of its key, or what tells callers apart. */
  begin(caller: string): Reservation {
    const usage = this.callers.get(caller) ?? noUsage();
    this.callers.set(caller, usage);
    const forget = () => {
      if (Object.values(usage).every((value) => value === 0)) this.callers.delete(caller);
    };
    return new Reservation(this, this.all, usage, forget);
  }

  /**
   * Ends slow bodies until there are no more than may be, in their number and their bytes: of the callers that have the
   * most the largest, of equal ones the last. So whoever drips many does not end the one of somebody else.
   */
  limitSlowBodies(): void {
    for (;;) {
      let bytes = 0;
      let worst: Reservation | undefined;
      for (const hold of this.slowBodies) {
        bytes += hold.bodyBytes;
        if (!worst || !worst.isWorseThan(hold)) worst = hold;
      }
      if (!worst || (this.slowBodies.size <= MAX_SLOW_BODIES && bytes <= MAX_SLOW_BYTES)) return;
      worst.endSlowBody();
    }
  }

  laneFor(bytes: number): Lane {
    return bytes <= SMALL_WORK_BYTES ? this.small : this.large;
  }
}

/** What one request holds. */
export class Reservation {
  /** Whether the request was answered: what still arrives of its body is not kept. */
  isAnswered = false;
  private hasPlace = false;
  private hasBody = false;
  private arrivingBytes = 0;
  /** Those of them that count as a small body's: all or none. */
  private smallBytes = 0;
  /** Of a slow body. */
  private onTooSlow: (() => void) | undefined;
  private work: { readonly lane: Lane; bytes: number } | undefined;
  private waiting: Waiting | undefined;

  constructor(
    private readonly capacity: Capacity,
    private readonly all: Usage,
    private readonly caller: Usage,
    private readonly forgetCaller: () => void,
  ) {}

  get hasFreeSlot(): boolean {
    return this.all.places < MAX_REQUESTS_IN_FLIGHT && this.caller.places < MAX_REQUESTS_OF_KEY;
  }

  /** @throws HttpProblem 503; RequestAborted when the request is answered. */
  takeSlot(): void {
    this.requireOpen();
    if (!this.hasFreeSlot) throw overloaded();
    this.hasPlace = true;
    this.add('places', 1);
  }

  /** The body begins to arrive: the place is free meanwhile. @throws HttpProblem 503 */
  beginBody(): void {
    const isFull = this.all.bodies >= MAX_BODIES_ARRIVING || this.caller.bodies >= MAX_BODIES_ARRIVING_OF_KEY;
    if (isFull) throw bodyRefused();
    this.leavePlace();
    this.hasBody = true;
    this.add('bodies', 1);
  }

  /** More of the body has arrived, and is kept; a slow body may end by it. @throws HttpProblem 503 */
  addBodyBytes(bytes: number): void {
    const kept = this.arrivingBytes + bytes;
    const isSmall = kept <= SMALL_BODY_BYTES;
    const { arrivingBytes, smallBytes } = this.all;
    const isFull = isSmall
      ? smallBytes + bytes > MAX_SMALL_ARRIVING_BYTES
      : arrivingBytes - smallBytes + bytes + this.smallBytes > MAX_ARRIVING_BYTES;
    if (isFull || this.caller.arrivingBytes + bytes > MAX_ARRIVING_BYTES_OF_KEY) throw bodyRefused();
    this.setKept(kept);
    if (this.onTooSlow) this.capacity.limitSlowBodies();
  }

  /**
   * The body takes long. It may go on as long as there are not too many such. A repeat does nothing.
   * @param onTooSlow it may not, now or later: the body is to end.
   */
  reportSlow(onTooSlow: () => void): void {
    if (this.onTooSlow) return;
    this.onTooSlow = onTooSlow;
    this.capacity.slowBodies.add(this);
    this.add('slowBodies', 1);
    this.capacity.limitSlowBodies();
  }

  /** Whether this slow body is to end rather than another one. */
  isWorseThan({ caller, arrivingBytes }: Reservation): boolean {
    const more = this.caller.slowBodies - caller.slowBodies;
    return more === 0 ? this.arrivingBytes > arrivingBytes : more > 0;
  }

  get bodyBytes(): number {
    return this.arrivingBytes;
  }

  /** Tells the slow body to end. */
  endSlowBody(): void {
    const { onTooSlow } = this;
    this.leaveSlow();
    onTooSlow?.();
  }

  /** The body has arrived, or never will. A repeat does nothing. */
  endBody(): void {
    this.leaveSlow();
    if (this.hasBody) this.add('bodies', -1);
    this.hasBody = false;
    if (this.isAnswered) this.forgetCaller();
  }

  /** Inflates a body when it is its turn. */
  inflate<T>(work: () => Promise<T>): Promise<T> {
    return this.capacity.inflating.run(work);
  }

  /**
   * Begins the work on a body, which takes so many bytes of memory; false: there are not as many now.
   * @throws RequestAborted when the request is answered.
   */
  tryToReserveMemory(bytes: number): boolean {
    this.requireOpen();
    const lane = this.capacity.laneFor(bytes);
    if (lane.line.length > 0 || !lane.hasRoomFor(bytes)) return false;
    this.beginWork(lane, bytes);
    return true;
  }

  /** The same, but waits for them in line. @throws HttpProblem 503 when that takes too long; RequestAborted */
  async waitForMemory(bytes: number): Promise<void> {
    if (this.tryToReserveMemory(bytes)) return;
    const { line } = this.capacity.laneFor(bytes);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((begin, giveUp) => {
        timer = setTimeout(() => giveUp(overloaded()), WORK_WAIT_MS);
        line.push((this.waiting = { hold: this, bytes, begin, giveUp }));
      });
    } finally {
      clearTimeout(timer);
      const index = line.findIndex(({ hold }) => hold === this);
      if (index !== -1) line.splice(index, 1);
      this.waiting = undefined;
    }
  }

  /** The work takes less than was thought. */
  reduceMemory(bytes: number): void {
    if (!this.work || bytes >= this.work.bytes) return;
    const spare = this.work.bytes - bytes;
    this.work.bytes = bytes;
    this.giveBack(this.work.lane, spare);
  }

  /** The request is answered. */
  release(): void {
    this.isAnswered = true;
    this.waiting?.giveUp(answered());
    this.leavePlace();
    this.setKept(0);
    const { work } = this;
    this.work = undefined;
    if (work) this.giveBack(work.lane, work.bytes);
    this.forgetCaller();
  }

  get callerWorkBytes(): number {
    return this.caller.workBytes;
  }

  private requireOpen(): void {
    if (this.isAnswered) throw answered();
  }

  private beginWork(lane: Lane, bytes: number): void {
    this.setKept(0); // from here on they are a part of the work
    this.work = { lane, bytes };
    lane.inUse += bytes;
    this.add('workBytes', bytes);
  }

  private giveBack(lane: Lane, bytes: number): void {
    lane.inUse -= bytes;
    this.add('workBytes', -bytes);
    for (let next = lane.next(); next && lane.hasRoomFor(next.bytes); next = lane.next()) {
      lane.line.splice(lane.line.indexOf(next), 1);
      next.hold.beginWork(lane, next.bytes);
      next.begin();
    }
  }

  private setKept(bytes: number): void {
    const small = bytes <= SMALL_BODY_BYTES ? bytes : 0;
    this.add('arrivingBytes', bytes - this.arrivingBytes);
    this.add('smallBytes', small - this.smallBytes);
    this.arrivingBytes = bytes;
    this.smallBytes = small;
  }

  private leaveSlow(): void {
    if (this.capacity.slowBodies.delete(this)) this.add('slowBodies', -1);
    this.onTooSlow = undefined;
  }

  private leavePlace(): void {
    if (this.hasPlace) this.add('places', -1);
    this.hasPlace = false;
  }

  private add(what: keyof Usage, amount: number): void {
    this.all[what] += amount;
    this.caller[what] += amount;
  }
}

function answered(): RequestAborted {
  return new RequestAborted('The request was answered before its body was there.');
}

function noUsage(): Usage {
  return { places: 0, bodies: 0, slowBodies: 0, arrivingBytes: 0, smallBytes: 0, workBytes: 0 };
}
