/** What the console sends to a browser before anybody has signed in: its page, what that loads, and nothing else. */
import { gunzipSync } from 'node:zlib';
import { PAGES } from '../../../functions/console/pages';
import { makeAssets } from '../../../functions/console/site/make-assets';
import { exchange } from '../../support/http-exchange';
import { useTestService } from '../../support/test-service';

const service = useTestService('console');

const PAGE = '<!doctype html><title>Console</title>';
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchange({ port: service().portOf('console'), method, path, headers });

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
};

describe('the page', () => {
  it.each([
    '/console',
    '/console/',
    '/console?x=1',
    '/',
    '/runs',
    ...PAGES.map((name) => `/console/${name}`),
    '/console/runs/20260301-x/errors?limit=5',
  ])('is at %s, behind a load balancer or not (R-235)', async (path) => {
    const { status, headers, text } = await get(path);
    expect({ status, type: headers['content-type'], text }).toEqual({ status: 200, type: 'text/html; charset=utf-8', text: PAGE }); // prettier-ignore
    expect(headers).toMatchObject({ ...EVERYWHERE, 'cache-control': 'no-cache', vary: 'Accept-Encoding' });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each([
    '/console/nothing',
    '/console/Runs',
    '/console/constructor',
    '/console//runs',
    '/console/%00',
    '/console/runs%2f..',
    '/console/..',
    '/console/../customers',
    '/console/index.html',
    '/console/open?token=x',
    '/console/operator',
  ])('tells by itself that there is no %s, with 404 (R-235)', async (path) => {
    const { status, headers, text } = await get(path, { 'if-none-match': '*' });
    expect({ status, text }).toEqual({ status: 404, text: PAGE });
    expect(headers).toMatchObject(EVERYWHERE);
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers.location).toBeUndefined();
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is 405 to %s, in plain words', async (method) => {
    const { status, headers, text } = await get('/console/runs', {}, method);
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(text).toBe('A page can only be read: please use GET or HEAD.\n');
  });

  it.each(['/console', '/console/assets/x', '/console/session', '/console/api/customers/x', '/console/api/x'])(
    'has browsers ask over HTTPS alone: %s (R-312)',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect((await get(path, {}, method)).headers).toMatchObject({
          'strict-transport-security': 'max-age=31536000',
        });
    },
  );

  it('runs no script but its own, in no frame, and asks no other host (R-235)', async () => {
    const { headers } = await get('/console');
    const policy = headers['content-security-policy']!;
    expect(String(policy).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });
});

describe('a file', () => {
  it.each(['br', 'gzip'])('is sent once, as %s, and kept for a year (R-235)', async (encoding) => {
    const path = '/console/assets/main-1.js';
    const plain = await get(path);
    expect(plain).toMatchObject({ status: 200, text: 'document.title;' });
    expect(plain.headers).toMatchObject({ ...EVERYWHERE, 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=31536000, immutable' }); // prettier-ignore
    const head = await get(path, { 'accept-encoding': encoding }, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-encoding': encoding } });
    const again = await get(path, { 'accept-encoding': encoding, 'if-none-match': head.headers.etag! });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it.each([
    '/console/assets',
    '/console/assets/',
    '/console/assets/x.js',
    '/console/assets/../pages',
    '/console/assets/%2e%2e%2findex.ts',
    '/console/assets/main-1.js/x',
    '/console/assets/__proto__',
    '/console/assets/..%5c..%5cpackage.json',
  ])('that is not there is 404 in plain words: %s', async (path) => {
    const { status, headers, text } = await get(path);
    expect({ status, text }).toEqual({ status: 404, text: 'There is no such file. The console is at /console.\n' });
    expect(headers).toMatchObject({ ...EVERYWHERE, 'content-type': 'text/plain; charset=utf-8' });
  });
});

describe('what is built', () => {
  const assets = makeAssets(process.cwd());
  const textOf = (path: string) => gunzipSync(assets.get(path)!.gzip).toString('utf8');
  const page = textOf('');

  it('loads nothing but what is served, by addresses that hold the contents’ hashes (R-235)', () => {
    const loaded = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(loaded).toHaveLength(3);
    for (const url of loaded) {
      expect(url).toMatch(/^\/console\/assets\/[a-z]+-[A-Za-z0-9]+\.(js|css|svg)$/);
      expect(assets.get(url.slice('/console/'.length))?.isImmutable).toBe(true);
    }
  });

  it('has nothing inline, which the policy would refuse', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[a-z]+[^>]* (?:style|on[a-z]+)=|<base/);
  });

  it('takes at most 100 KB on the wire for the first page, compressed (R-235)', () => {
    const bytes = ['', ...[...page.matchAll(/\/console\/(assets\/[^"]+)"/g)].map(([, path = '']) => path)].map((path) => assets.get(path)!.br.length); // prettier-ignore
    expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(100_000);
  });

  it('is the same again from the same sources', () => {
    expect([...makeAssets(process.cwd())]).toEqual([...assets]);
  });
});
