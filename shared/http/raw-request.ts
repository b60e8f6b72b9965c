/**
 * The framework's seam. functions-framework looks at a request before the function does: it decodes the path and parses
 * the body, answers what it cannot read with an HTML 400 that shows a stack trace, inflates up to 1 GiB, and does so
 * before the caller is authenticated. So this module takes from every request, before the framework sees it, what would
 * wake those parsers (the URL, `Content-Length` and `Transfer-Encoding`) and keeps the URL for `rawUrl`. The bytes of
 * the body are untouched: Node's HTTP parser does not look at these headers again.
 *
 * It works from the moment it is loaded. Held by test/http/framework-seam.test.ts.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import { MAX_REQUEST_MS } from '../limits/requests';

// A symbol of the process, so that a second copy of this module (a bundle, a test's registry) finds what the first
// kept.
const RAW_URL = Symbol.for('data-ingestion-service.raw-url');

type Kept = IncomingMessage & { [RAW_URL]?: string | undefined };

subscribe('http.server.request.start', (event) => {
  const { request, server } = event as { request: Kept; server: Server };
  server.requestTimeout = MAX_REQUEST_MS; // it looks at it now and then; the limits of a body are in receive-body.ts
  request[RAW_URL] ??= request.url ?? '/';
  request.url = '/';
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
});

/** The request's target as the caller sent it: path and query, nothing decoded. */
export function rawUrl(request: IncomingMessage): string {
  return (request as Kept)[RAW_URL] ?? request.url ?? '/';
}
