import type * as Grpc from '@grpc/grpc-js';
import { Client, Server, ServerCredentials } from '@grpc/grpc-js';
import { GrpcChannel } from '../../../../shared/adapters/grpc/grpc-channel';
import { withRetry } from '../../../../shared/platform/retry';
import { systemClock } from '../../../../shared/platform/clock';
import { deadlineIn } from '../../../../shared/platform/deadline';
import { CALL_TIMEOUT_MS } from '../../../../shared/limits/platform';
import { systemRandom } from '../../../../shared/platform/random';

jest.mock('@grpc/grpc-js', () => {
  const grpc = jest.requireActual<typeof Grpc>('@grpc/grpc-js');
  return {
    ...grpc,
    Client: jest.fn((...options: ConstructorParameters<typeof Client>) => new grpc.Client(...options)),
  };
});

const asItIs = (bytes: Buffer) => bytes;
const ECHO = {
  path: '/test.Service/Echo',
  requestStream: false,
  responseStream: false,
  requestSerialize: asItIs,
  requestDeserialize: asItIs,
  responseSerialize: asItIs,
  responseDeserialize: asItIs,
} as const;

/** A service that answers with what it is sent, on a free port unless one is given. */
async function serve(port = 0): Promise<{ readonly port: number; readonly server: Server }> {
  const server = new Server();
  server.addService({ Echo: ECHO }, { Echo: ({ request }: { request: Buffer }, answer: Grpc.sendUnaryData<Buffer>) => answer(null, request) }); // prettier-ignore
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) => {
      if (error) reject(error);
      else resolve(at);
    });
  });
  return { port: bound, server };
}

function connectTo(address: string) {
  const service = { name: 'test.Service', address: 'unused:443', scope: 'unused', emulator: address };
  const channel = new GrpcChannel(service, systemClock);
  const echo = (timeoutMs: number) => channel.unary('Echo', Buffer.from('text'), ['name', 'n'], timeoutMs);
  return { channel, echo };
}

it('tries a lost connection again well before the deadline of a call that is repeated', () => {
  connectTo('127.0.0.1:1').channel.close();
  const { 'grpc.initial_reconnect_backoff_ms': first, 'grpc.max_reconnect_backoff_ms': longest } =
    jest.mocked(Client).mock.lastCall![2]!;
  expect(first).toBeLessThan(1_000);
  expect(longest).toBeLessThan(CALL_TIMEOUT_MS / 2);
});

it('gets through when the service was away and is back, and fails meanwhile', async () => {
  const before = await serve();
  const { channel, echo } = connectTo(`127.0.0.1:${before.port}`);
  await echo(CALL_TIMEOUT_MS);
  before.server.forceShutdown();
  const away = deadlineIn(1_500, systemClock);
  while (away.remainingMs() > 0) {
    await expect(echo(CALL_TIMEOUT_MS)).rejects.toThrow();
    await systemClock.sleep(100);
  }
  const after = await serve(before.port);
  const dependencies = { clock: systemClock, random: systemRandom };
  const answer = await withRetry(echo, deadlineIn(CALL_TIMEOUT_MS, systemClock), dependencies);
  expect(answer.toString()).toBe('text');
  channel.close();
  after.server.forceShutdown();
});
