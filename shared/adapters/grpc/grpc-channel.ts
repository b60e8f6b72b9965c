import type { CallOptions, ChannelOptions } from '@grpc/grpc-js';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../platform/clock';
import { RECONNECT_FIRST_WAIT_MS, RECONNECT_LONGEST_WAIT_MS } from '../../limits/platform';
import { googleCredentials } from './google-credentials';

const OPTIONS: ChannelOptions = {
  // One attempt each: the caller repeats.
  'grpc.enable_retries': 0,
  // Looking for the service's configuration in DNS delays the first call, and Google's services have none there.
  'grpc.service_config_disable_resolution': 1,
  // An instance that stood still may find its connection gone. A ping before its next call tells, sooner than the
  // call's own time is over. Google's front ends take one in 30 seconds.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 3_000,
  // By default the wait grows to two minutes, and all calls fail until it is over.
  'grpc.initial_reconnect_backoff_ms': RECONNECT_FIRST_WAIT_MS,
  'grpc.max_reconnect_backoff_ms': RECONNECT_LONGEST_WAIT_MS,
};

/** A service of Google Cloud and how it is called. */
export interface GrpcService {
  /** With its package: `google.firestore.v1.Firestore`. */
  readonly name: string;
  /** `host:port` */
  readonly address: string;
  /** What the token allows: a URL of `www.googleapis.com/auth`. */
  readonly scope: string;
  /** In place of the service, without TLS and credentials: `host:port`. */
  readonly emulator: string | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: ChannelOptions;
}

/** What a call works on. Google's front ends route by it: `['database', 'projects/…']`. */
export type Routing = readonly [field: string, name: string];

/**
 * A connection to a service, or its emulator, that carries calls as bytes. A call that fails rejects with a
 * ServiceError.
 */
export class GrpcChannel {
  private readonly client: Client;

  constructor(
    private readonly service: GrpcService,
    private readonly clock: Clock,
  ) {
    const { address, scope, emulator, options } = service;
    const channelOptions = { ...OPTIONS, ...options };
    this.client =
      emulator === undefined
        ? new Client(address, googleCredentials(scope), channelOptions)
        : new Client(emulator, credentials.createInsecure(), channelOptions);
  }

  /** A call that answers with one message. */
  unary(method: string, request: Buffer, routing: Routing, timeoutMs: number): Promise<Buffer> {
    const call = this.callOf(method, request, routing, timeoutMs);
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(...call, (error, answer) => {
        if (error) reject(error);
        else resolve(answer ?? Buffer.alloc(0));
      });
    });
  }

  /**
   * A call that answers with any number of messages. The first one that `takes` does not take ends it: nothing more is
   * received.
   */
  stream(
    method: string,
    request: Buffer,
    routing: Routing,
    timeoutMs: number,
    takes: (answer: Buffer) => boolean = () => true,
  ): Promise<Buffer[]> {
    const parameters = this.callOf(method, request, routing, timeoutMs);
    return new Promise((resolve, reject) => {
      const answers: Buffer[] = [];
      const call = this.client.makeServerStreamRequest(...parameters);
      let isOver = false;
      call
        .on('data', (answer: Buffer) => {
          if (isOver) return; // it had arrived before the call was cancelled
          if (takes(answer)) answers.push(answer);
          else {
            isOver = true;
            resolve(answers);
            call.cancel(); // emits an error, which changes nothing any more
          }
        })
        .on('error', reject)
        .on('end', () => {
          resolve(answers);
        });
    });
  }

  close(): void {
    this.client.close();
  }

  private callOf(method: string, request: Buffer, routing: Routing, timeoutMs: number) {
    const path = `/${this.service.name}/${method}`;
    const options: CallOptions = { deadline: this.clock.nowMs() + timeoutMs };
    return [path, asItIs, asItIs, request, this.metadata(routing), options] as const;
  }

  private metadata([field, name]: Routing): Metadata {
    const metadata = new Metadata();
    for (const [header, text] of Object.entries(this.service.headers ?? {})) metadata.set(header, text);
    metadata.set('x-goog-request-params', `${field}=${encodeURIComponent(name)}`);
    return metadata;
  }
}

function asItIs(bytes: Buffer): Buffer {
  return bytes;
}
