/**
 * Requests as they leave a caller: nothing is normalised, so that `//`, `%E0%A4%A` and `..` arrive as they are written.
 */
import type { Agent, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';

export interface Outgoing {
  readonly port: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** Sent in chunks of unknown total, without `Content-Length`. */
  readonly chunked?: boolean;
  /** A new connection for each request unless one is given. */
  readonly agent?: Agent;
  /** For so long the connection may be silent. */
  readonly silentMs?: number;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when it is empty. @throws SyntaxError when it is no JSON. */
  readonly json: unknown;
  /** The caller's port: two answers of one connection have the same. */
  readonly connection: number | undefined;
  /** From when the agent had a connection for it to its last byte: a wait for one is the callers' own. */
  readonly elapsedMs: number;
}

const DEFAULT_SILENT_MS = 30_000;

/** Sends a request and waits for its whole answer. */
export function exchange(outgoing: Outgoing): Promise<Received> {
  const { port, method, path, headers, body, chunked = false, agent, silentMs = DEFAULT_SILENT_MS } = outgoing;
  return new Promise((resolve, reject) => {
    const framing =
      body === undefined
        ? {}
        : chunked
          ? { 'transfer-encoding': 'chunked' }
          : { 'content-length': Buffer.byteLength(body) };
    const call = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...framing, ...headers },
      agent: agent ?? false,
    });
    let startMs = performance.now();
    call.on('socket', () => (startMs = performance.now()));
    call.on('response', (response) => {
      const connection = response.socket.localPort;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: received } = response;
        const elapsedMs = performance.now() - startMs;
        resolve({ status, headers: received, text, connection, elapsedMs, get json() { return parse(text); } }); // prettier-ignore
      });
    });
    call.setTimeout(silentMs, () => call.destroy(new Error(`There was no answer within ${silentMs} ms.`)));
    // A server that answers early may close while the body is still on its way; what counts is the answer.
    call.on('error', reject);
    if (chunked && body !== undefined) call.write(Buffer.from(body));
    call.end(chunked ? undefined : body);
  });
}

function parse(text: string): unknown {
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}
