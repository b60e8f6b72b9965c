/**
 * The promise of hostile.test.ts for what no HTTP client would send: bytes on a raw socket, and bodies beyond the
 * limit. The answer is a 4xx or none at all, nothing is stored, and the next request is served.
 */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { MAX_BODY_BYTES } from '../../shared/domain/limits';
import type { TestService } from '../support/test-service';
import { useTestService } from '../support/test-service';
import { SeededRandom } from '../support/seeded-random';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(200, 5_000);
const ANSWER_MS = 30_000;

const service = useTestService('customers');

/** What comes back until the server closes; the caller leaves at once if it is told to. */
function converse(port: number, bytes: Buffer, leaves: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(ANSWER_MS, () =>
      socket.destroy(new Error(`Open after ${ANSWER_MS} ms: ${JSON.stringify(bytes)}`)),
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') socket.destroy();
      else reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.write(bytes, () => {
      if (leaves) socket.destroy();
      else socket.end();
    });
  });
}

/** Everything but the counters of keys. */
async function dumpOf(to: TestService): Promise<string> {
  return JSON.stringify([...(await to.store.dump())]);
}

type Draw = (random: SeededRandom, path: string, key: string) => string;
const BODY = '[{"Email":"ada@example.com"}]';
const pick = <T>(random: SeededRandom, items: readonly T[]): T => items[Math.floor(random.fraction() * items.length)]!;
const headersOf = (key: string) => `Host: x\r\nConnection: close\r\nX-Service-Auth-Key: ${key}\r\n`;

/** None of these is a valid request. */
const DRAWS: Readonly<Record<string, Draw>> = {
  'request line': (random, path, key) =>
    `${pick(random, ['POST', 'P\u0000ST', 'post ', ' POST', 'POST\t', ''])} ${path} ${pick(random, ['HTTP/9.9', 'HTP/1.1', 'HTTP/1.', '\u0000'])}\r\n${headersOf(key)}\r\n`,
  'control character in a header': (random, path, key) =>
    `POST ${path} HTTP/1.1\r\n${headersOf(key)}X-A: b${pick(random, ['\u0000', '\u0001', '\u007f', '\u0008'])}c\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'control character in the name of a header': (random, path, key) =>
    `POST ${path} HTTP/1.1\r\n${headersOf(key)}X${pick(random, ['\u0000', ' ', '\t', '(', '\u00e9'])}A: b\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'oversized header': (random, path, key) =>
    `POST ${path} HTTP/1.1\r\n${headersOf(key)}X-A: ${'a'.repeat(17_000 + Math.floor(random.fraction() * 50_000))}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  'garbage instead of chunks': (random, path, key) =>
    `POST ${path} HTTP/1.1\r\n${headersOf(key)}Transfer-Encoding: chunked\r\n\r\n${pick(random, ['zz', '-1', '5;a', 'ffffffffffffffffff', '0x5'])}\r\n${BODY}\r\n${random.bytes(8).toString('hex')}\r\n`,
  'two lengths': (random, path, key) =>
    `POST ${path} HTTP/1.1\r\n${headersOf(key)}Content-Length: ${BODY.length}\r\n${pick(random, ['Content-Length: 3', 'Transfer-Encoding: chunked', 'Content-Length: -1'])}\r\n\r\n${BODY}`,
  'end before the body': (random, path, key) =>
    `POST ${path} HTTP/1.1\r\n${headersOf(key)}Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, Math.floor(random.fraction() * (BODY.length - 1)))}`,
  bytes: (random) => `${random.bytes(1 + Math.floor(random.fraction() * 200)).toString('latin1')}\r\n\r\n`,
};

it('stores nothing of what is no request, answers it with a 4xx or not at all, and goes on', async () => {
  const to = service();
  const random = new SeededRandom(`sockets ${FAULTS_SEED}`);
  const { tenantId, key } = await to.createCaller({ requestsPerMinute: 1e9 });
  const before = await dumpOf(to);
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  const names = Object.keys(DRAWS);
  for (let number = 0; number < CASES; number += 1) {
    const name = names[number % names.length]!;
    const bytes = Buffer.from(DRAWS[name]!(random, `/${tenantId}`, key), 'latin1');
    const answer = await converse(to.portOf('customers'), bytes, random.fraction() < 0.2);
    const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'no answer';
    seen.set(status, (seen.get(status) ?? 0) + 1);
    if (!/^(4\d\d|no answer)$/.test(status) || /<html|node_modules/i.test(answer))
      wrong.push(`${name}: ${answer.slice(0, 100)}`);
    if ((await dumpOf(to)) !== before) wrong.push(`${name}: something was stored: ${bytes.toString('latin1')}`);
  }
  const figures = [...seen].sort().map(([status, count]) => `${count} × ${status}`);
  report('what is no request is refused, and changes nothing', CASES, wrong.length, figures.join(', '));
  expect(wrong).toEqual([]);
  const json = [{ Email: 'ada@example.com' }];
  expect((await to.request('POST', `/customers/${tenantId}`, { key, json })).status).toBe(200);
  expect(await dumpOf(to)).not.toBe(before);
});

it.each([
  ['as it is declared', { raw: Buffer.alloc(MAX_BODY_BYTES + 1, ' ') }],
  ['as it is read', { raw: Buffer.alloc(MAX_BODY_BYTES + 1, ' '), chunked: true }],
  [
    'as it is inflated',
    { raw: gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1, ' ')), headers: { 'content-encoding': 'gzip' } },
  ],
])('a body that is too large %s gets 413 and changes nothing', async (_, options) => {
  const to = service();
  const { tenantId, key } = await to.createCaller();
  const before = await dumpOf(to);
  expect((await to.request('POST', `/customers/${tenantId}`, { key, ...options })).status).toBe(413);
  expect(await dumpOf(to)).toBe(before);
});
