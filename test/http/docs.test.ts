/** The reference, as its function sends it through functions-framework. */
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders, Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { assets } from '../../functions/docs/assets';
import { createDocs } from '../../functions/docs/handler';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

let server: Server;
beforeAll(async () => {
  http('docs', createDocs(assets));
  server = getTestServer('docs');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

function send(method: string, path: string, headers: OutgoingHttpHeaders = {}, sent?: string): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    call.on('error', reject);
    call.on('response', (response) => {
      const { statusCode = 0, headers: received } = response;
      const toAnswer = (body: Buffer) => resolve({ status: statusCode, headers: received as Answer['headers'], body });
      buffer(response).then(toAnswer, reject);
    });
    call.end(sent);
  });
}

const get = (path: string, headers?: OutgoingHttpHeaders) => send('GET', path, headers);
const textOf = async (path: string) => (await get(path)).body.toString('utf8');

/** What the page loads by itself. */
async function loadedFiles(): Promise<string[]> {
  return [...(await textOf('/docs')).matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]+)"/g)].map(
    ([, url = '']) => url,
  );
}

const PATHS = ['/docs', '/docs/openapi.json', '/docs/openapi.yaml', '/docs/icon.svg'];

describe('the reference', () => {
  it.each(['/docs', '/docs/', '/docs?x=1', '/', ''])(
    'is the page at %j, behind a load balancer or not (R-141)',
    async (path) => {
      const { status, headers, body } = await get(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
      expect(body.toString('utf8')).toMatch(/^<!doctype html>/);
    },
  );

  it('loads nothing but what it serves itself, in all below 1.5 MB on the wire (R-140)', async () => {
    const files = await loadedFiles();
    expect(files).toHaveLength(3);
    let bytes = 0;
    for (const path of ['/docs', ...files, '/docs/openapi.json', '/docs/openapi.yaml']) {
      expect(path).toMatch(/^\/docs(\/|$)/);
      const { status, body } = await get(path, { 'accept-encoding': 'gzip' });
      expect(status).toBe(200);
      bytes += body.length;
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(1_500_000);
  });

  it('has no inline script, no inline style and no address of another host but in what it explains', async () => {
    const page = await textOf('/docs');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc="\/docs\/)/);
    expect(page).not.toMatch(/<style|<[a-z]+[^>]* (?:style|on[a-z]+)=/);
    expect(page).not.toMatch(/(?:href|src|action)="(?!#|\/docs(?:\/|"))/);
  });

  it('is the document of the release, whose server is the one it comes from, as JSON and as YAML (R-142)', async () => {
    const committed = JSON.parse(readFileSync(join(__dirname, '../../openapi.json'), 'utf8')) as object;
    const served: unknown = JSON.parse(await textOf('/docs/openapi.json'));
    expect(served).toEqual({ ...committed, servers: [{ url: '/', description: expect.any(String) as unknown }] });
    const yaml = await textOf('/docs/openapi.yaml');
    expect(parse(yaml)).toEqual(served);
    expect(yaml).not.toMatch(/^\s*[^"'#]*: [&*]\w+$/m);
    expect((await get('/docs/openapi.json')).headers['content-type']).toBe('application/json');
    expect((await get('/docs/openapi.yaml')).headers['content-type']).toBe('application/yaml');
  });
});

describe('an answer', () => {
  it.each([
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ['gzip', 'GZIP', gunzipSync],
    ['gzip', 'br;q=0, *', gunzipSync],
    ['br', 'gzip;q=0.5 , br; q=0.1', brotliDecompressSync],
    [undefined, 'identity', (bytes: Buffer) => bytes],
    [undefined, 'gzip;q=0, br;q=0', (bytes: Buffer) => bytes],
    [undefined, 'gzip;q=nonsense', (bytes: Buffer) => bytes],
  ] as const)('is encoded as %s for %j, and is the same file (R-141)', async (encoding, accepted, decode) => {
    for (const path of [...PATHS, ...(await loadedFiles())]) {
      const { headers, body } = await get(path, { 'accept-encoding': accepted });
      expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(body.length) });
      expect(headers['content-encoding']).toBe(encoding);
      expect(decode(body).equals((await get(path)).body)).toBe(true);
    }
  });

  it('is 304 to whoever has it, in its encoding, and whole to everybody else (R-144)', async () => {
    for (const path of PATHS) {
      const { headers, body } = await get(path, { 'accept-encoding': 'br' });
      const etag = headers.etag!;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': known });
        expect({ status: again.status, bytes: again.body.length }).toEqual({ status: 304, bytes: 0 });
        expect(again.headers).toMatchObject({ etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' });
      }
      for (const headersOfOthers of [
        { 'if-none-match': '"other"', 'accept-encoding': 'br' },
        { 'if-none-match': etag },
      ])
        expect((await get(path, headersOfOthers)).status).toBe(200);
      expect(body.length).toBeGreaterThan(0);
    }
  });

  it('is kept for a year where its name has its content, and asked for again where not (R-144)', async () => {
    const named = (await loadedFiles()).filter((path) => /-[0-9a-f]{12}\.(css|js)$/.test(path));
    expect(named).toHaveLength(2);
    for (const path of named)
      expect((await get(path)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const path of PATHS) expect((await get(path)).headers['cache-control']).toBe('no-cache');
  });

  it.each(PATHS)('to HEAD %s has the headers of GET and no body', async (path) => {
    const [got, head] = [await get(path), await send('HEAD', path)];
    const { date: _, ...headers } = got.headers;
    expect(head).toMatchObject({ status: 200, headers, body: Buffer.alloc(0) });
  });

  it.each([
    '/docs/x',
    '/docs/openapi',
    '/docs/..%2fopenapi.json',
    '/docs/%00',
    '/docs//openapi.json',
    '/docs/constructor',
  ])('to GET %s is 404 in plain words', async (path) => {
    const { status, headers, body } = await get(path);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/plain; charset=utf-8' });
    expect(body.toString('utf8')).toBe(
      'There is no such page. The API reference is at /docs, its document at /docs/openapi.json and /docs/openapi.yaml.\n',
    );
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'to %s is 405 in plain words, whatever is sent',
    async (method) => {
      const { status, headers, body } = await send(
        method,
        '/docs',
        { 'content-type': 'application/json', 'content-length': 5 },
        '{"a":',
      );
      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
      expect(body.toString('utf8')).toBe('The reference can only be read: please use GET or HEAD.\n');
    },
  );

  it('lets a browser load from, and send to, its own host alone, and run no script but its own (R-141)', async () => {
    for (const path of [...PATHS, ...(await loadedFiles()), '/docs/x']) {
      const { headers } = await get(path);
      const policy = headers['content-security-policy']!;
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "frame-ancestors 'none'",
          "form-action 'none'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|http|data:|\*/);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});
