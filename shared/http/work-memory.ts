/** A request that waits for memory. */
export interface Waiter {
  /** Bytes of memory that its work takes. */
  readonly bytes: number;
  /** Bytes that the work of its caller takes now. */
  readonly callerWorkBytes: () => number;
  /** Begins its work; the memory is taken. */
  readonly begin: () => void;
}

/** The memory that work of one size class shares, and the requests that wait for it. */
export class WorkMemory {
  private inUse = 0;
  private readonly queue: Waiter[] = [];

  constructor(private readonly totalBytes: number) {}

  /** Takes memory; false if others are waiting for some, or if there is not enough. */
  tryToTake(bytes: number): boolean {
    if (this.queue.length > 0 || !this.hasRoomFor(bytes)) return false;
    this.inUse += bytes;
    return true;
  }

  /** Queues a request. Its work begins when enough memory was given back. */
  enqueue(waiter: Waiter): void {
    this.queue.push(waiter);
  }

  /** Removes a request that waits no longer. A repeat does nothing. */
  dequeue(waiter: Waiter): void {
    const index = this.queue.indexOf(waiter);
    if (index !== -1) this.queue.splice(index, 1);
  }

  /** Gives memory back, and begins the work of the next requests for which there is enough. */
  giveBack(bytes: number): void {
    this.inUse -= bytes;
    for (let next = this.next(); next && this.hasRoomFor(next.bytes); next = this.next()) {
      this.dequeue(next);
      this.inUse += next.bytes;
      next.begin();
    }
  }

  /** Work larger than the whole memory fits when nothing else is in use. */
  private hasRoomFor(bytes: number): boolean {
    return this.inUse === 0 || this.inUse + bytes <= this.totalBytes;
  }

  /** The earliest request of the caller whose work takes the least memory. This way nobody waits for ever. */
  private next(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of this.queue) {
      if (!next || waiter.callerWorkBytes() < next.callerWorkBytes()) next = waiter;
    }
    return next;
  }
}
