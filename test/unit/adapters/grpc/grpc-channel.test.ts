import type * as Grpc from '@grpc/grpc-js';
import { Client, Server, ServerCredentials } from '@grpc/grpc-js';
import { GrpcChannel } from '../../../../shared/adapters/grpc/grpc-channel';
import { Status, withRetry } from '../../../../shared/platform/retry';
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

type Call = Grpc.ServerUnaryCall<Buffer, Buffer>;
type Handler = (call: Call, answer: Grpc.sendUnaryData<Buffer>) => void;

/** A service on a free port unless one is given; by default it answers with what it is sent. */
async function serve(port = 0, handler: Handler = ({ request }, answer) => answer(null, request)) {
  const server = new Server();
  server.addService({ Echo: ECHO }, { Echo: handler });
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

it('tells the service when an attempt is over, so that what was lost on its way is not done later (R-408)', async () => {
  const TIMEOUT_MS = 2_000;
  const calls: Call[] = [];
  const { port, server } = await serve(0, (call) => void calls.push(call)); // it never answers
  const { channel, echo } = connectTo(`127.0.0.1:${port}`);
  const sentMs = Date.now();
  await expect(echo(TIMEOUT_MS)).rejects.toMatchObject({ code: Status.DEADLINE_EXCEEDED });
  const overMs = new Date(calls[0]!.getDeadline()).getTime();
  expect(overMs - sentMs).toBeGreaterThan(TIMEOUT_MS / 2);
  expect(overMs).toBeLessThanOrEqual(Date.now() + TIMEOUT_MS / 2);
  channel.close();
  server.forceShutdown();
});
