import type { CallOptions, ChannelOptions } from '@grpc/grpc-js';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../platform/clock';
import { RECONNECT_FIRST_WAIT_MS, RECONNECT_LONGEST_WAIT_MS } from '../../limits/platform';
import { googleCredentials } from './google-credentials';

const OPTIONS: ChannelOptions = {
  // One attempt for each call, because the caller retries.
  'grpc.enable_retries': 0,
  // A lookup of the service's configuration in DNS delays the first call, and Google's services have none there.
  'grpc.service_config_disable_resolution': 1,
  // Statistics of channels and calls for channelz, which nobody asks, take a tenth of a call's CPU.
  'grpc.enable_channelz': 0,
  // An instance that was paused may have lost its connection. A ping before its next call detects this before the call
  // times out. Google's front ends accept one ping in 30 seconds.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 3_000,
  // By default the wait grows to two minutes, and all calls fail meanwhile.
  'grpc.initial_reconnect_backoff_ms': RECONNECT_FIRST_WAIT_MS,
  'grpc.max_reconnect_backoff_ms': RECONNECT_LONGEST_WAIT_MS,
};

/** A service of Google Cloud, and how to call it. */
export interface GrpcService {
  /** With its package: `google.firestore.v1.Firestore`. */
  readonly name: string;
  /** `host:port` */
  readonly address: string;
  /** The OAuth scope of the token: a URL of `www.googleapis.com/auth`. */
  readonly scope: string;
  /** `host:port` of an emulator to call instead of the service, without TLS and credentials. */
  readonly emulator: string | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: ChannelOptions;
}

/** The resource of a call, by which Google's front ends route it: `['database', 'projects/…']`. */
export type Routing = readonly [field: string, name: string];

/**
 * A channel to a service or its emulator, for calls whose messages are bytes. A call that fails rejects with a
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
   * A call that answers with any number of messages.
   * @param accepts false for a message ends the call; this message and all after it are dropped
   */
  stream(
    method: string,
    request: Buffer,
    routing: Routing,
    timeoutMs: number,
    accepts: (answer: Buffer) => boolean = () => true,
  ): Promise<Buffer[]> {
    const parameters = this.callOf(method, request, routing, timeoutMs);
    return new Promise((resolve, reject) => {
      const answers: Buffer[] = [];
      const call = this.client.makeServerStreamRequest(...parameters);
      let isEnded = false;
      call
        .on('data', (answer: Buffer) => {
          if (isEnded) return; // it had arrived before the call was cancelled
          if (accepts(answer)) answers.push(answer);
          else {
            isEnded = true;
            resolve(answers);
            call.cancel(); // emits an error, which no longer has an effect
          }
        })
        .on('error', reject)
        .on('end', () => {
          resolve(answers);
        });
    });
  }

  /** A call that answers with any number of messages, received as they are taken. Whoever stops taking ends it. */
  async *messages(method: string, request: Buffer, routing: Routing, timeoutMs: number): AsyncGenerator<Buffer> {
    const call = this.client.makeServerStreamRequest(...this.callOf(method, request, routing, timeoutMs));
    call.on('error', () => undefined); // when nobody takes messages any more, the end of the call is no failure
    try {
      yield* call as AsyncIterable<Buffer>;
    } finally {
      call.cancel();
    }
  }

  close(): void {
    this.client.close();
  }

  private callOf(method: string, request: Buffer, routing: Routing, timeoutMs: number) {
    const path = `/${this.service.name}/${method}`;
    const options: CallOptions = { deadline: this.clock.nowMs() + timeoutMs };
    return [path, identity, identity, request, this.metadata(routing), options] as const;
  }

  private metadata([field, name]: Routing): Metadata {
    const metadata = new Metadata();
    for (const [header, text] of Object.entries(this.service.headers ?? {})) metadata.set(header, text);
    metadata.set('x-goog-request-params', `${field}=${encodeURIComponent(name)}`);
    return metadata;
  }
}

/** The serializer of messages that are encoded already. */
function identity(bytes: Buffer): Buffer {
  return bytes;
}
