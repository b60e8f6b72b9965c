import { readFileSync } from 'node:fs';

/**
 * The most memory that this process ever had at once. Where the system tells it of the program alone: what `getrusage`
 * gives to a child on Linux begins with what its parent had when it started it.
 */
export function peakBytes(): number {
  const kibibytes =
    process.platform === 'linux' && /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return (kibibytes ? Number(kibibytes[1]) : process.resourceUsage().maxRSS) * 1024;
}
