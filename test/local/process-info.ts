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
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    if (commandLine === '') return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold spaces; the start is field 22.
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
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
