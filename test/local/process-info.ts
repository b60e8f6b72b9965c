import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What identifies a running process: ids are used again, the time of its start is not. */
export interface ProcessInfo {
  /** In the operating system's own form; only for comparing. */
  readonly startedAt: string;
  /** The program and its arguments, separated by spaces. */
  readonly commandLine: string;
}

/** The process with that id; undefined when there is none or only its exit status is left. */
export function findProcess(pid: number): ProcessInfo | undefined {
  return existsSync('/proc/self/stat') ? readFromProc(pid) : readFromPs(pid);
}

function readFromProc(pid: number): ProcessInfo | undefined {
  try {
    // Empty already while a process is ending, but its ports are not free yet.
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold spaces; the state is field 3, the start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = fields[0] === 'Z' ? undefined : fields[19];
    return startedAt === undefined ? undefined : { startedAt, commandLine };
  } catch {
    return undefined;
  }
}

function readFromPs(pid: number): ProcessInfo | undefined {
  try {
    const row = execFileSync('ps', ['-ww', '-o', 'lstart=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    // `lstart` is a date of five words.
    const match = /^(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.+)$/.exec(row);
    return match?.[1] && match[2] ? { startedAt: match[1], commandLine: match[2] } : undefined;
  } catch {
    return undefined;
  }
}
