/** Ctrl-C while `npm start` is starting. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireFreePort } from '../local/ports';
import { eventually, processesWith } from '../support/running-stack';

it('ends with 0 and says nothing when it is stopped while it starts, as a terminal stops it: with its emulators', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-test-'));
  const configFile = join(folder, 'emulator.config.json');
  const firestore = await requireFreePort({ host: '127.0.0.1', port: 0, field: 'any' });
  const anyPort = { port: 0 };
  const storage = { ...anyPort, root: join(folder, 'buckets') };
  const ports = { gateway: anyPort, firestore: { port: firestore }, pubsub: anyPort, storage, scheduler: anyPort };
  writeFileSync(configFile, JSON.stringify({ projectId: 'stack-test', host: '127.0.0.1', ...ports }));
  const starting = spawn(process.execPath, ['--import', 'tsx', 'test/local/start.ts', '--config', configFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true, // a group of its own, as a terminal has one for what it runs
  });
  let said = '';
  starting.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
  const ended = once(starting, 'close');
  await eventually(async () => (await processesWith(`--port=${firestore}`)).length > 0);
  process.kill(-starting.pid!, 'SIGINT');
  const [code] = (await ended) as [number | null];
  expect({ code, said }).toEqual({ code: 0, said: '' });
  await eventually(async () => (await processesWith(`--port=${firestore}`)).length === 0);
  rmSync(folder, { recursive: true, force: true });
});
