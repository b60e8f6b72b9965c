/**
 * Keeps every request from the parsers of functions-framework, which run before the function does. They decode the path
 * and parse the body, and inflate up to 1 GiB, before the caller is authenticated. They answer what they cannot read
 * with an HTML 400 that shows a stack trace.
 *
 * So this module removes from every request, before the framework sees it, what would start those parsers: the URL,
 * `Content-Length` and `Transfer-Encoding`. It keeps the URL for `rawUrl`. The bytes of the body are untouched, because
 * Node's HTTP parser does not read these headers again.
 *
 * It takes effect when it is loaded. Tested by test/http/framework-parsing.test.ts.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import { MAX_REQUEST_MS } from '../limits/requests';

// A symbol of the process: a second copy of this module (in a bundle or a test's registry) finds the URL that the first
// one kept.
const RAW_URL = Symbol.for('data-ingestion-service.raw-url');

type RequestWithRawUrl = IncomingMessage & { [RAW_URL]?: string | undefined };

subscribe('http.server.request.start', (event) => {
  const { request, server } = event as { request: RequestWithRawUrl; server: Server };
  server.requestTimeout = MAX_REQUEST_MS; // checked now and then only; receive-body.ts has the limits of a body
  request[RAW_URL] ??= request.url ?? '/';
  request.url = '/';
  delete request.headers['content-length'];
  delete request.headers['transfer-encoding'];
});

/** The request's target as the caller sent it: path and query, not decoded. */
export function rawUrl(request: IncomingMessage): string {
  return (request as RequestWithRawUrl)[RAW_URL] ?? request.url ?? '/';
}
