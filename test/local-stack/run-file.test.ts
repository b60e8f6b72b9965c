import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findProcess } from '../local/process-info';
import { RUN_FOLDER, sweepCrashedRuns } from '../local/run-file';

/** A program that starts the emulators, prints that they are ready, and lives on. */
const OWNER = `
  const { startEmulators } = require('./test/local/emulators');
  startEmulators({ host: '127.0.0.1', firestore: { port: 0 }, pubsub: { port: 0 } })
    .then(({ ready }) => ready)
    .then(() => process.stdout.write('ready'));
`;
const NO_LONGER_RUNNING = { pid: 2 ** 22 + 1, startedAt: '1' };

let folder: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-file-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** A process that does nothing, with the given words in its command line. */
async function startIdle(...words: string[]): Promise<{ pid: number; startedAt: string }> {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => 0, 1000)', ...words]);
  children.push(child);
  await once(child.stdout, 'data');
  return { pid: child.pid!, startedAt: findProcess(child.pid!)!.startedAt };
}

function writeRun(content: object): Promise<void> {
  return writeFile(join(folder, 'run-1.json'), JSON.stringify(content));
}

test('the emulators of an owner that was killed are ended by the next start, and its file is gone', async () => {
  const owner = spawn(process.execPath, ['--import', 'tsx', '-e', OWNER], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(owner);
  await once(owner.stdout, 'data');
  const runFolder = join(folder, basename(RUN_FOLDER));
  expect(await sweepCrashedRuns(runFolder)).toEqual([]);
  owner.kill('SIGKILL');
  await once(owner, 'exit');

  const killed = await sweepCrashedRuns(runFolder);
  expect(killed).toHaveLength(2);
  expect(killed.map(findProcess)).toEqual([undefined, undefined]);
  expect(await readdir(runFolder)).toEqual([]);
  expect(await sweepCrashedRuns(runFolder)).toEqual([]);
});

test('an emulator whose owner lives is left alone', async () => {
  const emulator = await startIdle('java', 'emulator.jar');
  const owner = { pid: process.pid, startedAt: findProcess(process.pid)!.startedAt };
  await writeRun({ owner, emulators: [{ ...emulator, jar: 'emulator.jar' }] });
  expect(await sweepCrashedRuns(folder)).toEqual([]);
  expect(findProcess(emulator.pid)).toBeDefined();
  expect(await readdir(folder)).toHaveLength(1);
});

test('an owner whose process id belongs to another process now is dead', async () => {
  const emulator = await startIdle('java', 'emulator.jar');
  const owner = { pid: process.pid, startedAt: '1' };
  await writeRun({ owner, emulators: [{ ...emulator, jar: 'emulator.jar' }] });
  expect(await sweepCrashedRuns(folder)).toEqual([emulator.pid]);
});

test('a process that is not the recorded emulator is never killed', async () => {
  const other = await startIdle('something', 'else');
  const younger = await startIdle('java', 'emulator.jar');
  const emulators = [
    { ...other, jar: 'emulator.jar' },
    { ...younger, startedAt: '1', jar: 'emulator.jar' },
  ];
  await writeRun({ owner: NO_LONGER_RUNNING, emulators });
  expect(await sweepCrashedRuns(folder)).toEqual([]);
  expect(findProcess(other.pid)).toBeDefined();
  expect(findProcess(younger.pid)).toBeDefined();
  expect(await readdir(folder)).toEqual([]);
});

test('a file that cannot be read is left to its owner', async () => {
  await writeFile(join(folder, 'run-1.json'), '{"owner":');
  expect(await sweepCrashedRuns(folder)).toEqual([]);
});
