/**
 * The folder of `npm start -- --data`: all that a stack keeps when it stops. One stack at a time uses it.
 *
 *   buckets/         the buckets, each a folder
 *   demo-key         the key of the demo tenant, for this user alone
 *   snapshot.ndjson  documents, jobs and messages, as they were last saved (`snapshot-file.ts`)
 *   in-use.json      which process uses the folder; left behind by one that was killed
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findProcess } from '../process-info';
import { makeFolder } from '../storage/make-folder';
import { StackError } from '../stack-error';

/** The folder while this process has it. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly buckets: string;
  readonly snapshotFile: string;
  /** Whether the stack before was killed, so that it could not save what it had. */
  readonly wasKilled: boolean;
  /** Gives the folder back; safe to repeat. */
  close(): void;
}

interface Owner {
  readonly pid: number;
  readonly startedAt: string;
}

/** Opens the folder; makes it if there is none. @throws StackError when another stack has it, or it cannot be made */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  const ownerFile = join(path, 'in-use.json');
  try {
    makeFolder(path, 0o700);
    const wasKilled = take(ownerFile, path);
    const close = () => rmSync(ownerFile, { force: true });
    return { path, buckets: join(path, 'buckets'), snapshotFile: join(path, 'snapshot.ndjson'), wasKilled, close };
  } catch (error) {
    if (error instanceof StackError) throw error;
    throw new StackError(`The data folder ${path} cannot be used: ${(error as Error).message}. Name another folder.`);
  }
}

/** @returns whether it was taken from an owner who has ended without giving it back */
function take(ownerFile: string, path: string): boolean {
  const owner: Owner = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? '' };
  const write = () => writeFileSync(ownerFile, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  try {
    write();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { pid, startedAt } = readOwner(ownerFile);
  if (findProcess(pid)?.startedAt === startedAt) {
    throw new StackError(
      `Another stack (process ${pid}) uses the data folder ${path}: stop it, or name another folder.`,
    );
  }
  rmSync(ownerFile, { force: true });
  write();
  return true;
}

/** Who has the folder. What cannot be read was written by a process that was killed meanwhile: nobody. */
function readOwner(ownerFile: string): Owner {
  try {
    return JSON.parse(readFileSync(ownerFile, 'utf8')) as Owner;
  } catch {
    return { pid: 0, startedAt: '' };
  }
}
