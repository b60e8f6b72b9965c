import type { ChannelOptions } from '@grpc/grpc-js';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../../clock';
import type { Config } from '../../../config';
import { EMULATOR_HEADERS } from '../emulator-headers';
import { googleCredentials } from './google-credentials';

const ADDRESS = 'firestore.googleapis.com:443';
const SERVICE = '/google.firestore.v1.Firestore';

const OPTIONS: ChannelOptions = {
  // One attempt each: the store repeats.
  'grpc.enable_retries': 0,
  // Looking for the service's configuration in DNS delays the first call, and Firestore has none there.
  'grpc.service_config_disable_resolution': 1,
  // An instance that stood still may find its connection gone. A ping before its next call tells, sooner than the call's
  // own time is over. Google's front ends take one in 30 seconds.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 3_000,
  // Bytes that answers may be ahead of their reader; with the 64 KiB of HTTP/2 a chunk of documents takes several round trips.
  'grpc-node.flow_control_window': 1024 * 1024,
  // A document is at most 1 MiB as it is stored, but a list of flags takes four times as much in an answer.
  'grpc.max_receive_message_length': 8 * 1024 * 1024,
};

/** What a call works on. Google's front ends route by it: `['database', 'projects/…']`. */
export type Routing = readonly ['database' | 'parent', string];

/** A connection to Firestore, or its emulator, that carries calls as bytes. A call that fails rejects with a ServiceError. */
export class FirestoreChannel {
  private readonly client: Client;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    { emulators, projectId, databaseId }: Pick<Config, 'emulators' | 'projectId' | 'databaseId'>,
    private readonly clock: Clock,
  ) {
    const emulator = emulators.firestore;
    this.client =
      emulator === undefined
        ? new Client(ADDRESS, googleCredentials(), OPTIONS)
        : new Client(emulator, credentials.createInsecure(), OPTIONS);
    this.headers = {
      'google-cloud-resource-prefix': `projects/${projectId}/databases/${databaseId}`,
      ...(emulator !== undefined && EMULATOR_HEADERS),
    };
  }

  /** A call that answers with one message. */
  unary(method: string, request: Buffer, routing: Routing, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        `${SERVICE}/${method}`,
        asItIs,
        asItIs,
        request,
        this.metadata(routing),
        this.options(timeoutMs),
        (error, answer) => {
          if (error) reject(error);
          else resolve(answer ?? Buffer.alloc(0));
        },
      );
    });
  }

  /** A call that answers with any number of messages. */
  stream(method: string, request: Buffer, routing: Routing, timeoutMs: number): Promise<Buffer[]> {
    return new Promise((resolve, reject) => {
      const answers: Buffer[] = [];
      this.client
        .makeServerStreamRequest(
          `${SERVICE}/${method}`,
          asItIs,
          asItIs,
          request,
          this.metadata(routing),
          this.options(timeoutMs),
        )
        .on('data', (answer: Buffer) => answers.push(answer))
        .on('error', reject)
        .on('end', () => {
          resolve(answers);
        });
    });
  }

  close(): void {
    this.client.close();
  }

  private metadata([name, value]: Routing): Metadata {
    const metadata = new Metadata();
    for (const [header, text] of Object.entries(this.headers)) metadata.set(header, text);
    metadata.set('x-goog-request-params', `${name}=${encodeURIComponent(value)}`);
    return metadata;
  }

  private options(timeoutMs: number) {
    return { deadline: this.clock.nowMs() + timeoutMs };
  }
}

function asItIs(bytes: Buffer): Buffer {
  return bytes;
}
