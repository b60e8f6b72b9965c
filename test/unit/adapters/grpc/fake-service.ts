import type { MethodDefinition, sendUnaryData, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { Server, ServerCredentials } from '@grpc/grpc-js';

type Message = Record<string, unknown>;
type Service = Record<string, MethodDefinition<Message, Message>>;
type Answer = readonly Message[] | Error | 'none';

export interface ReceivedCall {
  readonly method: string;
  readonly request: Message;
  readonly headers: Readonly<Record<string, string>>;
}

/** The protocol client of an SDK. */
interface SdkClient {
  initialize(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * A service that reads and writes messages with its SDK's own code, remembers the calls and answers what it is told to.
 */
export class FakeService {
  readonly received: ReceivedCall[] = [];
  /** The messages that every call is answered with, or the error; `none`: it is never answered. */
  answer: Answer = [{}];

  private readonly server = new Server();
  private port = 0;

  /** @param sdk the service's client, which is closed; it calls nothing. */
  static async start(sdk: SdkClient): Promise<FakeService> {
    const fake = new FakeService();
    const service = await loadService(sdk);
    const handlers = Object.entries(service).map(([name, method]) => [name, fake.handlerOf(name, method)] as const);
    fake.server.addService(service, Object.fromEntries(handlers));
    fake.port = await new Promise((resolve, reject) => {
      fake.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error) reject(error);
        else resolve(port);
      });
    });
    return fake;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  stop(): void {
    this.server.forceShutdown();
  }

  private handlerOf(name: string, method: MethodDefinition<Message, Message>) {
    if (method.responseStream) {
      return (call: ServerWritableStream<Message, Message>) => {
        this.remember(name, call.request, call.metadata.getMap());
        if (this.answer === 'none') return;
        if (this.answer instanceof Error) {
          call.emit('error', this.answer);
          return;
        }
        for (const message of this.answer) call.write(message);
        call.end();
      };
    }
    return (call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>) => {
      this.remember(name, call.request, call.metadata.getMap());
      if (this.answer === 'none') return;
      if (this.answer instanceof Error) callback(this.answer);
      else callback(null, this.answer[0]);
    };
  }

  private remember(method: string, request: Message, headers: Record<string, unknown>): void {
    this.received.push({ method, request, headers: headers as Record<string, string> });
  }
}

/** The methods of the service as the SDK's stub has them, with its serializers. */
async function loadService(sdk: SdkClient): Promise<Service> {
  const stub = (await sdk.initialize()) as { constructor: { service: Service } };
  await sdk.close();
  return stub.constructor.service;
}
