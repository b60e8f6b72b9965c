/**
 * A gRPC server between a function and an emulator that hands every call on and records what it was. Each call is
 * held back a little, so that calls which run side by side overlap for certain. For counting; nothing is timed through
 * it.
 */
import type { ClientHttp2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { connect, createServer, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallDetails, FirestoreCall } from './call-summary';

const HELD_BACK_MS = 40;
/** A call may follow an answer that was already given. */
const QUIET_MS = 100;
const LENGTH_PREFIX_BYTES = 5;
/** The status of gRPC of a call that ended without one: its caller gave it up. */
const UNKNOWN = 2;

/** What a call was, from its gRPC messages and status. */
export type CallReader = (method: string, requests: Buffer[], responses: Buffer[], status: string) => CallDetails;

export class CountingProxy {
  private calls: FirestoreCall[] = [];
  private open = 0;

  private constructor(
    private readonly upstream: ClientHttp2Session,
    private readonly readCall: CallReader,
    private readonly holdMs: (method: string) => number,
    private readonly server = createServer(),
  ) {}

  /**
   * @param address `host:port` of the emulator
   * @param holdMs how long a call of a method is held back; 0 where the order of calls does not matter
   */
  static async start(
    address: string,
    readCall: CallReader,
    holdMs: (method: string) => number = () => HELD_BACK_MS,
  ): Promise<CountingProxy> {
    const upstream = connect(`http://${address}`);
    const proxy = new CountingProxy(upstream, readCall, holdMs);
    proxy.server.on('stream', (stream, headers) => proxy.handle(stream, headers));
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits until no call is under way, and returns those that have ended since it was last asked. */
  async takeCalls(): Promise<FirestoreCall[]> {
    do await sleep(QUIET_MS);
    while (this.open > 0);
    const { calls } = this;
    this.calls = [];
    return calls;
  }

  stop(): void {
    this.upstream.destroy();
    this.server.close();
  }

  private handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.open += 1;
    const startMs = performance.now();
    const method = (headers[':path'] ?? '').replace(/^.*\//, '');
    const requests: Buffer[] = [];
    const responses: Buffer[] = [];
    let trailers: IncomingHttpHeaders = {};
    const call = this.upstream.request(headers);

    const held = sleep(this.holdMs(method));
    stream.on('data', (chunk: Buffer) => {
      requests.push(chunk);
      void held.then(() => call.write(chunk));
    });
    stream.on('end', () => void held.then(() => call.end()));
    stream.on('close', () => {
      if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) call.close(stream.rstCode);
    });
    stream.on('error', () => undefined); // the caller has given up; `close` tells the emulator
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.on('response', (received, flags) => {
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      if (isWhole) trailers = received;
      if (!stream.destroyed) stream.respond(received, isWhole ? { endStream: true } : { waitForTrailers: true });
    });
    call.on('data', (chunk: Buffer) => {
      responses.push(chunk);
      stream.write(chunk);
    });
    call.on('trailers', (received: IncomingHttpHeaders) => (trailers = received));
    call.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    call.on('close', () => {
      this.open -= 1;
      const endMs = performance.now();
      const status = String(trailers['grpc-status'] ?? UNKNOWN);
      const details = this.readCall(
        method,
        messagesOf(Buffer.concat(requests)),
        messagesOf(Buffer.concat(responses)),
        status,
      );
      const bytes = [...requests, ...responses].reduce((sum, { length }) => sum + length, 0);
      this.calls.push({ method, startMs, endMs, bytes, ...details, status: Number(status) });
      if (!stream.writableEnded) stream.end();
    });
  }
}

/** The messages of a gRPC stream: each has a byte that says whether it is compressed, and its length. */
function messagesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let start = 0; start + LENGTH_PREFIX_BYTES <= bytes.length;) {
    const end = start + LENGTH_PREFIX_BYTES + bytes.readUInt32BE(start + 1);
    messages.push(bytes.subarray(start + LENGTH_PREFIX_BYTES, end));
    start = end;
  }
  return messages;
}
