/**
 * Downloads that do not go as they should: what has come is passed on, and what is missing is an error, never an end.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudObjectStorage } from '../../../../shared/adapters/storage/cloud-object-storage';
import type { Clock } from '../../../../shared/clock';
import { systemClock } from '../../../../shared/clock';
import { readConfig } from '../../../../shared/config';
import { DOWNLOAD_IDLE_MS } from '../../../../shared/domain/limits';
import { rawUrl } from '../../../../shared/http/raw-request';

/** So many times as fast as real time, so that a test need not wait for 30 s. */
const SPEED = 50;
const IDLE_MS = DOWNLOAD_IDLE_MS / SPEED;

let server: Server;
let storage: CloudObjectStorage;
let answer: (response: ServerResponse, request: IncomingMessage) => void;
/** Waits that have not ended. */
let waits: number;

const clock: Clock = {
  nowMs: () => systemClock.nowMs(),
  async sleep(ms, signal) {
    waits += 1;
    await systemClock.sleep(ms / SPEED, signal);
    waits -= 1;
  },
};

beforeAll(async () => {
  server = createServer((request, response) => answer(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = new CloudObjectStorage(readConfig({ GOOGLE_CLOUD_PROJECT: 'p', STORAGE_EMULATOR_HOST: endpoint }), clock);
});
beforeEach(() => (waits = 0));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const download = (name = 'customers.ndjson') => storage.read('acme', { name, generation: '7' }, 0);

/** What comes of a download, and how it ends. */
async function readAll(): Promise<{ content: string; end: unknown }> {
  let content = '';
  try {
    for await (const piece of download()) content += piece.toString();
    return { content, end: 'the end' };
  } catch (error) {
    return { content, end: (error as Error).name };
  }
}

function begin(response: ServerResponse, whenSent?: () => void): void {
  response.writeHead(200, { 'content-length': 100 });
  response.write('hello', whenSent);
}

it.each<[string, typeof answer, string]>([
  ['is cut off in the middle of its body', (response) => begin(response), 'hello'],
  [
    'is an error whose message does not come',
    (response) => response.writeHead(400, { 'content-length': 2 }).write('x'),
    '',
  ],
])('a download that %s, and is silent from then on, fails', async (_, respond, content) => {
  answer = respond;
  const startMs = systemClock.nowMs();
  expect(await readAll()).toEqual({ content, end: 'SourceSilent' });
  expect(systemClock.nowMs() - startMs).toBeGreaterThanOrEqual(IDLE_MS - 1);
  await new Promise(setImmediate);
  expect(waits).toBe(0);
});

it('a body that is shorter than its Content-Length, and ends as if nothing were missing, fails', async () => {
  answer = (response) => begin(response, () => response.socket?.end());
  expect(await readAll()).toEqual({ content: 'hello', end: 'SourceSilent' });
});

it('a body in chunks without the last one fails', async () => {
  answer = (response) => response.write('hello', () => response.socket?.end());
  expect(await readAll()).toEqual({ content: 'hello', end: 'Error' });
});

it('a refusal whose message is cut off fails the download, and not the process', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  answer = (response) => {
    response.writeHead(403, { 'content-type': 'text/plain' });
    response.write('Access is', () => response.socket?.destroy());
  };
  expect(await readAll()).toEqual({ content: '', end: 'Error' });
  await systemClock.sleep(50);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

it('the time that the user takes for a piece is not counted, and no timer is left when the download ends', async () => {
  answer = (response) => {
    begin(response);
    setTimeout(() => response.end('x'.repeat(95)), IDLE_MS / 2);
  };
  let length = 0;
  for await (const piece of download()) {
    length += piece.length;
    expect(waits).toBe(0);
    await systemClock.sleep(IDLE_MS * 2);
  }
  expect(length).toBe(100);
  expect(waits).toBe(0);
});

it('a download that is left early closes its own connection, and leaves the others alone', async () => {
  const half = Buffer.alloc(1024 ** 2);
  let whenLeft: Promise<unknown> = Promise.resolve();
  answer = (response, request) => {
    response.writeHead(200, { 'content-length': 2 * half.length });
    response.write(half);
    if (rawUrl(request).includes('left')) whenLeft = once(response, 'close');
    else void whenLeft.then(() => response.end(half));
  };
  const left = download('left')[Symbol.asyncIterator]();
  await left.next();
  const kept = download('kept')[Symbol.asyncIterator]();
  let length = (await kept.next()).value!.length;
  await left.return();
  for (let next = await kept.next(); !next.done; next = await kept.next()) length += next.value.length;
  expect(length).toBe(2 * half.length);
});
