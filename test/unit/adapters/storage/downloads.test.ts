/**
 * Downloads that do not go as they should: what has come is passed on, and what is missing is an error, never an end.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CloudObjectStorage } from '../../../../shared/adapters/storage/cloud-object-storage';
import type { Clock } from '../../../../shared/platform/clock';
import { systemClock } from '../../../../shared/platform/clock';
import { readConfig } from '../../../../shared/config';
import { DOWNLOAD_IDLE_MS, DOWNLOAD_TRIES } from '../../../../shared/limits/transfers';
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

/** Sends what a server sends that knows no HTTP, and ends. */
function sendRaw(
  response: ServerResponse,
  text: string,
  then: (socket: Socket) => void = (socket) => socket.end(),
): void {
  const socket = response.socket!;
  socket.write(text, () => then(socket));
}

it.each<[string, typeof answer, string]>([
  ['in the middle of its body', (response) => begin(response), 'hello'],
  ['in the message of an error', (response) => response.writeHead(400, { 'content-length': 2 }).write('x'), ''],
])('a download that falls silent %s fails', async (_, respond, content) => {
  answer = respond;
  const startMs = systemClock.nowMs();
  expect(await readAll()).toEqual({ content, end: 'SourceSilent' });
  expect(systemClock.nowMs() - startMs).toBeGreaterThanOrEqual(IDLE_MS - 1);
  await new Promise(setImmediate);
  expect(waits).toBe(0);
});

describe('a connection that ends before the last byte is an error at once, not a silence and not an end:', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  it.each<[string, typeof answer]>([
    ['it is reset', (response) => begin(response, () => response.socket?.resetAndDestroy())],
    ['it is closed', (response) => begin(response, () => response.socket?.destroy())],
    ['the other side ends', (response) => begin(response, () => response.socket?.end())],
    ['chunks without the last one', (response) => response.write('hello', () => response.socket?.end())],
    ['neither length nor chunks', (response) => sendRaw(response, `${HEAD}Connection: close\r\n\r\nhello`)],
    [
      'less than the range that was asked for',
      (response) => response.writeHead(206, { 'content-length': 5, 'content-range': 'bytes 0-99/100' }).end('hello'),
    ],
    [
      'a range that stops before the last byte',
      (response) => response.writeHead(206, { 'content-length': 5, 'content-range': 'bytes 0-4/100' }).end('hello'),
    ],
  ])('%s', async (_, respond) => {
    answer = respond;
    const { content, end } = await readAll();
    expect(end).toBe('DownloadCut');
    expect('hello').toContain(content);
    expect(waits).toBe(0);
  });
});

it('a part of the object that was not asked for is an error', async () => {
  answer = (response) => response.writeHead(200, { 'content-length': 5 }).end('hello');
  const fromTheMiddle = storage.read('acme', { name: 'customers.ndjson', generation: '7' }, 2);
  await expect(fromTheMiddle.next()).rejects.toMatchObject({ name: 'DownloadCut' });
});

it('a request that fails before its first byte is repeated, whether it was answered or cut off', async () => {
  let requests = 0;
  answer = (response) => {
    requests += 1;
    if (requests === 1) response.writeHead(503).end('busy');
    else if (requests === 2) response.socket?.destroy();
    else response.writeHead(200, { 'content-length': 5 }).end('hello');
  };
  expect(await readAll()).toEqual({ content: 'hello', end: 'the end' });
  expect(requests).toBe(3);
  answer = (response) => {
    requests += 1;
    response.writeHead(503).end('busy');
  };
  expect(await readAll()).toEqual({ content: '', end: 'DownloadFailed' });
  expect(requests).toBe(3 + DOWNLOAD_TRIES);
});

it('a refusal whose message is cut off is the refusal that its status tells', async () => {
  answer = (response) => {
    response.writeHead(403, { 'content-type': 'text/plain', 'content-length': 100 });
    response.write('Access is', () => response.socket?.destroy());
  };
  expect(await readAll()).toEqual({ content: '', end: 'AccessDenied' });
});

it('a refusal without an end is read so far as it is shown', async () => {
  answer = (response) => {
    response.writeHead(400);
    const more = () => {
      if (!response.destroyed) response.write('x'.repeat(10_000), more);
    };
    more();
  };
  await expect(download().next()).rejects.toMatchObject({ name: 'RequestRefused' });
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
