/** Callers of streams who take their time, or leave. */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_STREAMS, MAX_STREAMS_OF_KEY, STREAM_IDLE_MS } from '../../../shared/limits/requests';
import type { withFairTimeout } from '../../../shared/platform/async/fair-timeout';
import type { Caller } from '../../support/test-service';
import { storedRunId } from '../../support/stored-run';
import { useTestService } from '../../support/test-service';
import { envelopeOf, expectAnswer } from '../api';

jest.mock('../../../shared/limits/requests', () => ({
  ...jest.requireActual<object>('../../../shared/limits/requests'),
  STREAM_IDLE_MS: 1_000,
}));

/** Takes the place of waiting that ends; undefined: it ends. */
let mockWait: ((ms: number) => void) | undefined;

jest.mock('../../../shared/platform/async/fair-timeout', () => {
  const fairTimeout = jest.requireActual<{ withFairTimeout: typeof withFairTimeout }>(
    '../../../shared/platform/async/fair-timeout',
  );
  const mocked: typeof withFairTimeout = (work, ms) => {
    if (!mockWait) return fairTimeout.withFairTimeout(work, ms);
    mockWait(ms);
    return work;
  };
  return { ...fairTimeout, withFairTimeout: mocked };
});

const POLL_MS = 10;
/** More than the system buffers of a connection, and far less than an endless report. */
const BUFFERED_BYTES = 64 * 1024 * 1024;

const service = useTestService('ingestion');
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  mockWait = undefined;
  jest.restoreAllMocks();
});

const pathOf = ({ tenantId }: Caller) => `/ingestion/google-cloud-storage/runs/${storedRunId(tenantId)}/errors`;
const readNow = (caller: Caller) =>
  service().request('GET', pathOf(caller), { key: caller.key, headers: { accept: 'text/csv' } });

/** Has every report go on for ever. @returns what was read of them, and how many are being read */
function makeEndless(): { bytes: number; open: number } {
  const state = { bytes: 0, open: 0 };
  jest.spyOn(service().storage, 'read').mockImplementation(async function* () {
    state.open += 1;
    try {
      yield await Promise.resolve(Buffer.from('{"object":"a.csv","generation":"1"}\n'));
      for (let line = 1; ; line += 1) {
        const row = Buffer.from(`${JSON.stringify({ line, messages: { '': ['x'.repeat(60_000)] } })}\n`);
        state.bytes += row.length;
        yield row;
      }
    } finally {
      state.open -= 1;
    }
  });
  return state;
}

/** Has every report stop after its first row, until it is told to go on. */
function holdReports(): { open: number; goOn: () => void } {
  const waiting: (() => void)[] = [];
  const state = { open: 0, goOn: () => waiting.splice(0).forEach((resolve) => resolve()) };
  jest.spyOn(service().storage, 'read').mockImplementation(async function* () {
    state.open += 1;
    yield Buffer.from('{"object":"a.csv","generation":"1"}\n{"line":1,"messages":{"":["bad"]}}\n');
    await new Promise<void>((resolve) => waiting.push(resolve));
    state.open -= 1;
  });
  return state;
}

/** Begins a stream of which the caller takes nothing. */
function begin(caller: Caller): Socket {
  const socket = connect(service().portOf('ingestion'), '127.0.0.1');
  socket.on('error', () => undefined);
  const headers = `Host: x\r\nAccept: application/x-ndjson\r\nX-Service-Auth-Key: ${caller.key}\r\n\r\n`;
  socket.write(`GET ${pathOf(caller)} HTTP/1.1\r\n${headers}`);
  sockets.push(socket);
  return socket;
}

async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await sleep(POLL_MS);
}

it('reads no more of the report than the caller takes, and gives up one who takes nothing (R-91)', async () => {
  const caller = await service().createCaller();
  const state = makeEndless();
  const socket = begin(caller);
  await until(() => state.open === 1);
  await until(() => state.open === 0);
  expect(state.bytes).toBeLessThan(BUFFERED_BYTES);
  expect(service().logger.entries).toMatchObject([
    { severity: 'WARNING', details: { error: 'RetryLater', reason: 'The caller of a stream took nothing of it.' } },
  ]);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received = (received + text).slice(-100_000)));
  await closed;
  expect(received.endsWith('0\r\n\r\n')).toBe(false);
});

it('gives a caller who takes something now and then the whole time again (R-91)', async () => {
  const state = makeEndless();
  const waits: number[] = [];
  mockWait = (ms) => {
    if (state.open === 1) waits.push(ms); // before it, the request waits for its counter
  };
  const socket = begin(await service().createCaller());
  for (let times = 1; times <= 5; times += 1) {
    await until(() => waits.length >= times); // the caller has taken as much as it can
    socket.resume();
    await until(() => waits.length > times);
    socket.pause();
  }
  expect(new Set(waits)).toEqual(new Set([STREAM_IDLE_MS]));
  expect(state.open).toBe(1);
});

it('ends the reading when the caller leaves, and logs nothing (R-91)', async () => {
  const state = makeEndless();
  const socket = begin(await service().createCaller());
  await until(() => state.bytes > 0);
  socket.destroy();
  await until(() => state.open === 0);
  expect(service().logger.entries).toEqual([]);
});

it('holds a place until it ends: a key has two, an instance eight, and others are served meanwhile (R-92)', async () => {
  const state = holdReports();
  const callers = await Promise.all(Array.from({ length: MAX_STREAMS / MAX_STREAMS_OF_KEY }, () => service().createCaller())); // prettier-ignore
  const [first] = callers;
  const overloaded = envelopeOf('ingestion', false, 'The service is overloaded. Please try again later.');
  for (let one = 0; one < MAX_STREAMS_OF_KEY; one += 1) begin(first!);
  await until(() => state.open === MAX_STREAMS_OF_KEY);
  const refused = await readNow(first!);
  const ofKey = envelopeOf('ingestion', false, 'Too many streams at once. Please try again later.', { retryAfter: 10 });
  expectAnswer(refused, 429, ofKey, { remaining: 100 - MAX_STREAMS_OF_KEY - 1 });
  expect(refused.headers['retry-after']).toBe('10');
  for (const caller of callers.slice(1)) for (let one = 0; one < MAX_STREAMS_OF_KEY; one += 1) begin(caller);
  await until(() => state.open === MAX_STREAMS);
  const other = await service().createCaller();
  const full = await readNow(other);
  expectAnswer(full, 503, overloaded);
  expect(full.headers['retry-after']).toBe('10');
  expect(state.open).toBe(MAX_STREAMS);
  const run = pathOf(other).replace('/errors', '');
  expect((await service().request('GET', run, { key: other.key })).status).toBe(200);
  state.goOn();
  await until(() => state.open === 0);
  for (let one = 0; one < MAX_STREAMS_OF_KEY; one += 1) begin(first!);
  await until(() => state.open === MAX_STREAMS_OF_KEY);
  state.goOn();
});
