/**
 * functions-framework parses paths and bodies before a function runs, and answers HTML with a stack trace when it
 * cannot. Here the real framework gets what would make it do so; the answers must be the service's own
 * (shared/http/raw-request).
 */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Received } from '../support/http-exchange';
import type { RequestOptions } from '../support/test-service';
import { HTTP_FUNCTIONS } from '../support/test-service';
import {
  call,
  envelopeOf,
  expectAnswer,
  expectHeaders,
  expectProblem,
  hasBody,
  rowsOf,
  UNAUTHORIZED,
  useRouteService,
} from './api';

const service = useRouteService(...HTTP_FUNCTIONS);

const BOMB = gzipSync(Buffer.alloc(40 * 1024 * 1024));

/** Bodies that the framework's parsers refuse, inflate or turn into something else. */
const BODIES: readonly (readonly [title: string, options: RequestOptions, refused: number])[] = [
  ['malformed JSON', { raw: '{"a":' }, 400],
  ['null', { raw: 'null' }, 400],
  ['a bare number', { raw: '42' }, 400],
  ['malformed cloudevents JSON', { raw: '{"a":', headers: { 'content-type': 'application/cloudevents+json' } }, 400],
  ['a cloudevents number', { raw: '1', headers: { 'content-type': 'application/cloudevents+json' } }, 400],
  ['a form', { raw: 'a[b]=c&%E0%A4%A', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ['text in an unknown charset', { raw: 'x', headers: { 'content-type': 'text/plain; charset=klingon' } }, 415],
  ['JSON in an unknown charset', { raw: '[]', headers: { 'content-type': 'application/json; charset=klingon' } }, 415],
  ['an unknown content encoding', { raw: '[]', headers: { 'content-encoding': 'klingon' } }, 415],
  ['broken gzip', { raw: 'no gzip', headers: { 'content-encoding': 'gzip' } }, 400],
  ['a gzip bomb', { raw: BOMB, headers: { 'content-encoding': 'gzip' } }, 413],
  ['malformed JSON in chunks', { raw: '{"a":', chunked: true }, 400],
  ['bytes', { raw: Buffer.from([0, 255, 254]), headers: { 'content-type': 'application/octet-stream' } }, 415],
];

function expectOwnAnswer(answer: Received, status: number): void {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: expect.stringMatching(/^\{.*\}$/) as unknown,
  });
  expect(answer.text).not.toMatch(/<|node_modules|\bat .*:\d+/);
  expectHeaders(answer);
}

describe.each(rowsOf())('%s', (_, route) => {
  it.each(BODIES)('refuses %s of an unknown caller with its own 401, unread (D-34)', async (_title, options) => {
    const { tenantId } = await service().createCaller();
    const answer = await call(service(), route, { tenantId, key: service().unknownKey() }, options);
    expectAnswer(answer, 401, envelopeOf(route.to, false, UNAUTHORIZED));
  });

  it.each(BODIES)(
    'answers %s of a known caller itself, in JSON and counted (D-34)',
    async (_title, options, refused) => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, options);
      expectOwnAnswer(answer, hasBody(route) ? refused : 200);
      expectHeaders(answer, { remaining: 99 });
    },
  );
});

describe.each(HTTP_FUNCTIONS)('the function %s', (to) => {
  it.each([
    '/%E0%A4%A',
    '/%',
    '/%zz/%zz',
    '//',
    '///x',
    '/favicon.ico',
    '/robots.txt',
    '/?a=%E0%A4%A',
    '/..',
    '/\\',
    '/%00',
    '/a?b?c',
    '*',
  ])('answers any method of the path %s itself, in JSON', async (path) => {
    const { key } = await service().createCaller();
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const known = await service().request(method, path, { to, key });
      expectOwnAnswer(known, known.status);
      expect([400, 404, 405]).toContain(known.status);
      const unknown = await service().request(method, path, { to });
      expectOwnAnswer(unknown, unknown.status);
      expect([401, 404, 405]).toContain(unknown.status);
    }
  });

  it('has no X-Powered-By and no ETag', async () => {
    const { headers } = await service().request('GET', '/', { to });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });
});

describe('bodies reach the endpoint as they were sent', () => {
  it('in chunks of unknown total', async () => {
    const { tenantId, key } = await service().createCaller();
    const json = [{ Email: 'ada@example.com' }];
    expect((await service().request('POST', `/customers/${tenantId}`, { key, json, chunked: true })).status).toBe(200);
    expect(await service().records(tenantId, 'customers')).toHaveLength(1);
  });

  it('with Expect: 100-continue', async () => {
    const { tenantId, key } = await service().createCaller();
    const body = '[{"Email":"ada@example.com"}]';
    const received = await converse(service().portOf('customers'), [
      `POST /customers/${tenantId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n`,
      `X-Service-Auth-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    ]);
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(received).toContain('"message":"Customers saved."');
  });

  it('with Expect: 100-continue and garbage', async () => {
    const { tenantId, key } = await service().createCaller();
    const received = await converse(service().portOf('customers'), [
      `POST /customers/${tenantId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n`,
      `X-Service-Auth-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
    ]);
    expect(received).toContain('HTTP/1.1 400 Bad Request');
    expect(received).toContain('The request body is not valid JSON.');
  });

  it('with another expectation not at all: the server itself answers 417', async () => {
    const { tenantId, key } = await service().createCaller();
    const received = await converse(service().portOf('customers'), [
      `POST /customers/${tenantId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: more\r\n`,
      `X-Service-Auth-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`,
    ]);
    expect(received).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
  });

  it('byte by byte, a text split inside a character', async () => {
    const { tenantId, key } = await service().createCaller();
    const body = Buffer.from('[{"Email":"ada@example.com","Name":"Ädä 🍵"}]');
    const received = await converse(service().portOf('customers'), [
      `POST /customers/${tenantId} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Service-Auth-Key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n`,
      ...Array.from(body, (byte) => Buffer.from([byte])),
    ]);
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(await service().records(tenantId, 'customers')).toMatchObject([{ Name: 'Ädä 🍵' }]);
  });

  it('and one that ends early stores nothing and harms nobody else', async () => {
    const { tenantId, key } = await service().createCaller();
    const before = await service().store.dump();
    await converse(service().portOf('customers'), [
      `POST /customers/${tenantId} HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Key: ${key}\r\nContent-Length: 100\r\n\r\n[{"Email":"ada@example.com"}]`,
    ], true); // prettier-ignore
    expect(await service().store.dump()).toEqual(before);
    expect((await service().request('POST', `/customers/${tenantId}`, { key, json: [] })).status).toBe(200);
  });
});

describe('a request whose parser would have to be fooled', () => {
  it('cannot smuggle a second one through a Content-Length that is left out of the headers', async () => {
    const { tenantId, key } = await service().createCaller();
    const head = (length: number) =>
      `POST /customers/${tenantId} HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Key: ${key}\r\nContent-Length: ${length}\r\n`;
    const received = await converse(service().portOf('customers'), [
      `${head(2)}\r\n[]`,
      `${head(2)}Connection: close\r\n\r\n{}`,
    ]);
    expect(received.match(/HTTP\/1\.1 (\d+)/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('problems in the framework’s place', () => {
  it('keep the path of the validation answer (Spec §7.2)', async () => {
    const { tenantId, key } = await service().createCaller();
    const headers = { 'content-type': 'application/cloudevents+json' };
    expectProblem(await service().request('POST', `/customers/${tenantId}`, { key, raw: '{', headers }), {
      '': ['The request body is not valid JSON.'],
    });
  });
});

/**
 * Writes the parts, each in a packet of its own, and reads until the server closes; `leave`: hangs up after the last
 * part.
 */
function converse(port: number, parts: readonly (string | Buffer)[], leave = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('utf8')));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.setTimeout(30_000, () => socket.destroy(new Error('The server neither answered nor closed.')));
    const writeNext = ([part, ...rest]: readonly (string | Buffer)[]): void => {
      if (part === undefined) {
        if (leave) socket.destroy();
        return;
      }
      socket.write(part, () => setImmediate(writeNext, rest));
    };
    socket.on('connect', () => writeNext(parts));
  });
}
