/** Sends files for browsers from memory. What it sends was made and compressed by the build. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Asset } from './asset';
import type { Encoding } from './encoding';
import { acceptedEncoding } from './encoding';

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
 * Answers GET and HEAD with a file, and 304 to whoever has it. Other methods are 405, told in words.
 * @param status other than 200: the file tells that there is no such page
 */
export function serveAsset(
  request: IncomingMessage,
  response: ServerResponse,
  asset: Asset,
  notAllowed: string,
  status = 200,
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response, 405, notAllowed, { Allow: 'GET, HEAD' });
    return;
  }
  const { headers } = request;
  const encoding = acceptedEncoding(headers['accept-encoding']);
  const etag = `"${asset.version}-${encoding ?? 'plain'}"`;
  const common = {
    ...SECURITY_HEADERS,
    ETag: etag,
    Vary: 'Accept-Encoding',
    // A page names its script and style by their content, so that only the page must be asked for again.
    'Cache-Control': asset.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
  };
  if (status === 200 && isKnown(headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const body = bytesOf(asset, encoding);
  response.writeHead(status, {
    ...common,
    'Content-Type': asset.contentType,
    'Content-Length': body.length,
    ...(encoding && { 'Content-Encoding': encoding }),
  });
  response.end(body); // Node.js leaves it out after HEAD
}

/** Sends words to a person. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(text);
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
