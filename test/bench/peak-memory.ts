import { readFileSync } from 'node:fs';

/**
 * The most memory that this process ever had at once. Where the system tells it of the program alone: what `getrusage`
 * gives to a child on Linux begins with what its parent had when it started it.
 */
export function peakBytes(): number {
  return process.platform === 'linux' ? peakBytesOf('self') : process.resourceUsage().maxRSS * 1024;
}

/** The same of a running process, by its id; Linux only. */
export function peakBytesOf(pid: number | 'self'): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!kibibytes) throw new Error('The system does not tell how much memory the process had.');
  return Number(kibibytes[1]) * 1024;
}
