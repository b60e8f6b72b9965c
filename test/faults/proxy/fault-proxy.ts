/**
 * Stands between a client of Google Cloud and an emulator, and lets calls go wrong as a network and an overloaded
 * service do.
 */
import type {
  ClientHttp2Session,
  Http2Session,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../shared/platform/clock';

/** Statuses of gRPC that pass. */
export const STATUSES = {
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

export type FaultKind = keyof typeof STATUSES | 'reset' | 'delay' | 'silence';

export interface Fault {
  readonly kind: FaultKind;
  /** `before`: the emulator never sees the call; `after`: it has answered, but the answer is lost. */
  readonly when: 'before' | 'after';
}

/** A call in the order in which it came. */
export interface ProxiedCall {
  /** `/google.firestore.v1.Firestore/Commit` */
  readonly path: string;
  /** The emulator has answered it with OK. */
  succeeded: boolean;
}

export interface FaultProxy {
  readonly address: string;
  readonly calls: ProxiedCall[];
  /** What goes wrong with a call; `callIndex`: its index among all calls since `calls` was emptied. */
  faultOf: (path: string, callIndex: number) => Fault | undefined;
  stop(): Promise<void>;
}

const DELAY_MS = 300;
/** How long a transaction whose rollback was lost holds its locks. */
const ABANDONED_MS = 2_000;
const { HTTP2_HEADER_PATH, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR } = constants;
/** What one hop says to the next and no further. */
const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding'];

/** @param target the emulator, `host:port`. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const sessions = new Set<Http2Session>();
  let upstream: ClientHttp2Session | undefined;
  const toUpstream = () => {
    if (!upstream || upstream.closed || upstream.destroyed) {
      upstream = connect(`http://${target}`);
      upstream.on('error', () => undefined); // its streams tell
    }
    return upstream;
  };
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const path = String(headers[HTTP2_HEADER_PATH]);
    const call: ProxiedCall = { path, succeeded: false };
    const fault = proxy.faultOf(path, proxy.calls.push(call) - 1);
    stream.on('error', () => undefined); // the client has gone
    void handle(stream, headers, call, fault, toUpstream).catch(() => refuse(stream, STATUSES.UNAVAILABLE));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    faultOf: () => undefined,
    async stop() {
      upstream?.destroy();
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}

async function handle(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  call: ProxiedCall,
  fault: Fault | undefined,
  toUpstream: () => ClientHttp2Session,
): Promise<void> {
  if (fault?.kind === 'delay') await systemClock.sleep(DELAY_MS);
  const lostBy = fault?.kind === 'delay' ? undefined : fault?.kind;
  if (lostBy && fault?.when === 'before') {
    if (call.path.endsWith('/Rollback')) giveUpLater(await readAll(stream), headers, toUpstream);
    fail(stream, lostBy);
    return;
  }
  const answer = await forward(await readAll(stream), headers, toUpstream());
  call.succeeded = answer.trailers['grpc-status'] === '0';
  if (stream.destroyed) return;
  if (lostBy) {
    fail(stream, lostBy);
    return;
  }
  if (answer.trailers === answer.headers) {
    stream.respond(answer.headers, { endStream: true });
    return;
  }
  stream.respond(answer.headers, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(answer.trailers));
  stream.end(answer.body);
}

/**
 * Ends a transaction whose rollback was lost, as the database does by itself. The emulator would take a minute, and
 * meanwhile it locks out all tenants.
 */
function giveUpLater(request: Buffer, headers: IncomingHttpHeaders, toUpstream: () => ClientHttp2Session): void {
  void systemClock
    .sleep(ABANDONED_MS)
    .then(() => forward(request, headers, toUpstream()))
    .catch(() => undefined);
}

interface UpstreamAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Makes the call and waits for the whole answer. */
async function forward(
  request: Buffer,
  headers: IncomingHttpHeaders,
  session: ClientHttp2Session,
): Promise<UpstreamAnswer> {
  const kept: OutgoingHttpHeaders = { ...headers };
  for (const name of HOP_HEADERS) Reflect.deleteProperty(kept, name);
  const out = session.request({ ...kept, te: 'trailers' });
  let answered: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  out.on('response', (received) => (answered = received));
  out.on('trailers', (received: IncomingHttpHeaders) => (trailers = received));
  out.end(request);
  const body = await readAll(out);
  // An answer without a body has its trailers among the headers.
  return { headers: answered, trailers: 'grpc-status' in trailers ? trailers : answered, body };
}

async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function fail(stream: ServerHttp2Stream, kind: Exclude<FaultKind, 'delay'>): void {
  if (kind === 'silence') return; // the client's own time has to end it
  if (kind === 'reset') stream.close(NGHTTP2_INTERNAL_ERROR);
  else refuse(stream, STATUSES[kind]);
}

function refuse(stream: ServerHttp2Stream, status: number): void {
  if (stream.destroyed) return;
  if (stream.headersSent) {
    stream.close(NGHTTP2_CANCEL);
    return;
  }
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': 'A fault.' },
    { endStream: true },
  );
}
