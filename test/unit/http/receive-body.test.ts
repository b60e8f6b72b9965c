/** How long a body is waited for, by the time that `FairTimer` measures. */
import type { IncomingMessage } from 'node:http';
import { IncomingMessage as Message } from 'node:http';
import { Socket } from 'node:net';
import {
  BODY_BYTES_PER_SECOND,
  BODY_FLOOR_MS,
  BODY_IDLE_MS,
  BODY_SLOW_MS,
  MAX_SLOW_BODIES,
} from '../../../shared/limits/requests';
import { MAX_BODY_BYTES } from '../../../shared/domain/limits';
import type { Reservation } from '../../../shared/http/capacity';
import { Capacity } from '../../../shared/http/capacity';
import { receiveBody } from '../../../shared/http/receive-body';

let waited: ((waitedMs: number) => void)[] = [];
jest.mock('../../../shared/platform/async/fair-timeout', () => ({
  FairTimer: class {
    constructor(onTick: (waitedMs: number) => void) {
      waited.push(onTick);
    }
    end(): void {
      waited = [];
    }
  },
}));

/** A poor line of 256 kbit/s. */
const POOR_LINE = 32_000;
const TOO_SLOW = { status: 408, headers: { Connection: 'close' } };

let request: IncomingMessage;
let capacity: Capacity;
let reservation: Reservation;
beforeEach(() => {
  waited = [];
  request = new Message(new Socket());
  capacity = new Capacity();
  reservation = capacity.begin('caller');
});

const pass = (ms: number) => waited.forEach((onTick) => onTick(ms));
const arrive = (bytes: number) => void request.emit('data', Buffer.alloc(bytes, ' '));

it('is as long as the largest body takes on a line of 256 kbit/s (R-12)', async () => {
  const body = receiveBody(request, reservation);
  let sent = 0;
  for (let second = 1; sent < MAX_BODY_BYTES; second += 1) {
    const bytes = Math.min(POOR_LINE, MAX_BODY_BYTES - sent);
    arrive(bytes);
    sent += bytes;
    pass(second * 1_000);
  }
  request.emit('end');
  expect((await body).length).toBe(MAX_BODY_BYTES);
});

it('ends when nothing comes', async () => {
  const body = receiveBody(request, reservation);
  arrive(1);
  pass(BODY_IDLE_MS);
  await expect(body).rejects.toMatchObject(TOO_SLOW);
});

it('ends when less comes than a poor line carries', async () => {
  const body = receiveBody(request, reservation);
  let seconds = 0;
  const drip = () => {
    arrive(BODY_BYTES_PER_SECOND / 2);
    pass((seconds += 1) * 1_000);
  };
  for (let drops = 0; drops * 1_000 < BODY_SLOW_MS; drops += 1) drip();
  expect(waited).toHaveLength(1);
  while (waited.length > 0 && seconds < 60) drip();
  await expect(body).rejects.toMatchObject(TOO_SLOW);
});

it('ends when nearly all came at once and the rest drips: what came earns no time (R-12)', async () => {
  const body = receiveBody(request, reservation);
  arrive(MAX_BODY_BYTES - 1_000);
  let seconds = 0;
  while (waited.length > 0 && seconds < 600) {
    pass((seconds += 1) * 1_000);
    if (seconds % 9 === 0) arrive(1);
  }
  await expect(body).rejects.toMatchObject(TOO_SLOW);
  expect(seconds * 1_000).toBeLessThanOrEqual(BODY_FLOOR_MS + 1_000);
});

it('may be silent for a while, again and again, where the line makes up for it', async () => {
  const body = receiveBody(request, reservation);
  for (let second = 1; second <= 180; second += 1) {
    const isSilent = second % 30 < (BODY_IDLE_MS - 2_000) / 1_000;
    if (!isSilent) arrive(Math.ceil((BODY_BYTES_PER_SECOND * 30) / 22));
    pass(second * 1_000);
  }
  request.emit('end');
  expect((await body).length).toBeGreaterThan(180 * 0.9 * BODY_BYTES_PER_SECOND);
});

it('ends for a slow one where there are enough of them (R-12)', async () => {
  const slow = Array.from({ length: MAX_SLOW_BODIES }, () => capacity.begin('caller'));
  for (const one of slow) {
    one.beginBody(() => undefined);
    one.reportSlow(() => undefined);
  }
  const body = receiveBody(request, reservation);
  arrive(1_000_000);
  pass(BODY_SLOW_MS - 500);
  arrive(1_000_000);
  pass(BODY_SLOW_MS);
  await expect(body).rejects.toMatchObject(TOO_SLOW);
});

it('closes the connection of one that never ends and was answered before', async () => {
  const { socket } = request;
  const body = receiveBody(request, reservation);
  reservation.release();
  pass(BODY_IDLE_MS);
  await expect(body).rejects.toMatchObject(TOO_SLOW);
  expect(socket.destroyed).toBe(true);
});

it.each(['end', 'close'])('leaves no listener behind when it is over: %s', async (event) => {
  const before = [request, request.socket].map((emitter) => emitter.eventNames().length);
  const body = receiveBody(request, reservation);
  request.emit(event);
  await body.catch(() => undefined);
  expect([request, request.socket].map((emitter) => emitter.eventNames().length)).toEqual(before);
});
