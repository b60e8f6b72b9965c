/**
 * Loaded into a measured process before anything else: answers every message from its parent with what it has used so
 * far.
 */

import { peakBytes } from './peak-memory';

/** What a process has used since it started. */
export interface Usage {
  /** User and system time. */
  readonly cpuMs: number;
  /** The most memory that it ever had at once. */
  readonly peakBytes: number;
}

process.on('message', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  process.send?.({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: peakBytes() } satisfies Usage);
});
process.channel?.unref();
