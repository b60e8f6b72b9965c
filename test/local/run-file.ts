/**
 * Remembers which emulators a run started, so that the next start ends those of a run that crashed (a killed parent
 * leaves its JVMs behind). One file a run, so that several stacks live beside each other; a start sweeps the files of
 * all dead owners.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/platform/clock';
import { findProcess } from './process-info';

/** A process as a run file has it. */
interface RecordedProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** An emulator that a run started. */
interface RecordedEmulator extends RecordedProcess {
  /** Part of its command line by which it is recognized. */
  readonly jar: string;
}

interface RunRecord {
  readonly owner: RecordedProcess;
  readonly emulators: readonly RecordedEmulator[];
}

/** The record of the emulators that this process started in one run. */
export interface RunFile {
  /** Call right after the start of an emulator's JVM; `jar` is in its command line. */
  add(pid: number, jar: string): void;
  /** Call when all of them have ended. */
  remove(): void;
}

/** Of this user alone: another user's emulators could not be ended anyway. */
export const RUN_FOLDER = join(tmpdir(), `data-ingestion-service-${process.getuid?.() ?? 'user'}`);

const KILL_TIMEOUT_MS = 3_000;

/** Begins a run that this process owns. */
export function openRunFile(folder: string = RUN_FOLDER): RunFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `run-${process.pid}-${randomUUID()}.json`);
  const owner = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? '' };
  const emulators: RecordedEmulator[] = [];
  return {
    add(pid, jar) {
      emulators.push({ pid, startedAt: findProcess(pid)?.startedAt ?? '', jar });
      writeFileSync(file, JSON.stringify({ owner, emulators } satisfies RunRecord));
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/**
 * Kills the emulators of crashed runs and forgets those runs; safe to repeat and beside running stacks. A process is
 * killed only when its owner is dead and it is still the emulator that was recorded. Resolves when they have ended, so
 * that their ports are free.
 * @returns the ids of the killed processes.
 */
export async function sweepCrashedRuns(folder: string = RUN_FOLDER): Promise<number[]> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const orphans = readdirSync(folder)
    .filter((name) => name.startsWith('run-') && name.endsWith('.json'))
    .flatMap((name) => sweepRun(join(folder, name)));
  const endedBy = systemClock.nowMs() + KILL_TIMEOUT_MS;
  while (orphans.some((orphan) => isRunning(orphan)) && systemClock.nowMs() < endedBy) await systemClock.sleep(20);
  return orphans.map(({ pid }) => pid);
}

function sweepRun(file: string): RecordedEmulator[] {
  const record = readRecord(file);
  if (!record || isRunning(record.owner)) return [];
  const orphans = record.emulators.filter(isEmulator);
  for (const { pid } of orphans) kill(pid);
  rmSync(file, { force: true });
  return orphans;
}

/** Undefined when another start has just swept the file, or its owner is writing it. */
function readRecord(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  } catch {
    return undefined;
  }
}

function isRunning(recorded: RecordedProcess): boolean {
  return findProcess(recorded.pid)?.startedAt === recorded.startedAt;
}

function isEmulator(recorded: RecordedEmulator): boolean {
  const commandLine = findProcess(recorded.pid)?.commandLine ?? '';
  return isRunning(recorded) && commandLine.includes('java') && commandLine.includes(recorded.jar);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
