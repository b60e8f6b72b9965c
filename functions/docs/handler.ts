/**
 * Serves the reference from memory, without a key and without the database. What it sends was made and compressed by
 * the build (`site/`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { rawUrl } from '../../shared/http/raw-request';
import { parseTarget } from '../../shared/http/request-target';
import type { Asset, Assets } from './asset';
import type { Encoding } from './encoding';
import { acceptedEncoding } from './encoding';

const NOT_FOUND =
  'There is no such page. The API reference is at /docs, its document at /docs/openapi.json and /docs/openapi.yaml.\n';
const NOT_ALLOWED = 'The reference can only be read: please use GET or HEAD.\n';

const YEAR_SECONDS = 31_536_000;

/** Nothing comes from another host, nothing is sent to one, and nothing is executed but our script. */
const SECURITY_HEADERS = {
  'Content-Security-Policy': [
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
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Makes the handler of the function.
 * @param assets is called at each request
 */
export function createDocs(assets: () => Assets): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const asset = assets().get(parseTarget(rawUrl(request), 'docs').segments.join('/'));
    if (!asset) sendText(response, 404, NOT_FOUND);
    else if (request.method !== 'GET' && request.method !== 'HEAD')
      sendText(response, 405, NOT_ALLOWED, { Allow: 'GET, HEAD' });
    else sendAsset(request, response, asset);
  };
}

function sendAsset({ headers }: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const encoding = acceptedEncoding(headers['accept-encoding']);
  const etag = `"${asset.version}-${encoding ?? 'plain'}"`;
  const common = {
    ...SECURITY_HEADERS,
    ETag: etag,
    Vary: 'Accept-Encoding',
    // The page names its script and style by their content, so that only the page must be asked for again.
    'Cache-Control': asset.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
  };
  if (isKnown(headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const body = bytesOf(asset, encoding);
  response.writeHead(200, {
    ...common,
    'Content-Type': asset.contentType,
    'Content-Length': body.length,
    ...(encoding && { 'Content-Encoding': encoding }),
  });
  response.end(body); // Node.js leaves it out after HEAD
}

/** Whoever takes no encoding is rare: for him it is unpacked each time. */
function bytesOf(asset: Asset, encoding: Encoding | undefined): Uint8Array {
  return encoding ? asset[encoding] : gunzipSync(asset.gzip);
}

/** Whether `If-None-Match` names what would be sent (RFC 9110, section 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((text) => text.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

function sendText(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(text);
}
