/** Loaded into a function's process before anything else: answers every message from its parent with what it holds. */
import { readdirSync } from 'node:fs';

const HANDLES = '/proc/self/fd';

/** What a process holds after garbage collection. */
export interface HeldState {
  readonly heapBytes: number;
  /** Memory outside the heap, of buffers. */
  readonly externalBytes: number;
  readonly residentBytes: number;
  /** Open files and sockets, the one that lists them included. */
  readonly handles: number;
}

process.on('message', () => {
  global.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = readdirSync(HANDLES).length;
  process.send?.({ heapBytes: heapUsed, externalBytes: external, residentBytes: rss, handles } satisfies HeldState);
});
process.channel?.unref();
