/**
 * Promise: at five times the capacity of an instance, with nothing in front of it, each request gets an honest answer:
 * what it cannot take on is 503 with `Retry-After` at once, what it takes on is done; it does not crash, and serves as
 * before within seconds.
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../shared/operations/keys';
import { exportRecords } from '../../shared/operations/records';
import { MAX_REQUESTS_OF_KEY } from '../../shared/limits/requests';
import { percentile } from '../bench/statistics';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { exchange } from '../support/http-exchange';
import { DeployedFunction } from './load/deployed-function';
import { sendAtRate, sendInTurn } from './load/pace';
import { ofTier, report } from './tier';

/** The most that it takes on at once of one key, so that the capacity is the most that it can do. */
const CALLERS = MAX_REQUESTS_OF_KEY;
/** Connections that stay open, as those of a load balancer: Node takes one new connection in each turn of its loop. */
const CONNECTIONS = 256;
/** Earlier than Node's servers close an idle connection, which is 5 s. */
const IDLE_MS = 2_000;
const WARM_UP_MS = ofTier(1_000, 5_000);
const MEASURE_MS = ofTier(1_000, 10_000);
const OVERLOAD = 5;
const MAX_OVERLOAD = 40;
const OVERLOAD_MS = ofTier(2_000, 30_000);
/**
 * Half of the refusals are answered within this time, which is some ten times what they take where all share two cores.
 * The small tier runs beside other tests, which may take most of both.
 */
const FAST_MS = ofTier(20_000, 2_000);
const RECOVERY_MS = ofTier(120_000, 10_000);
const POLL_MS = 50;

let operator: EmulatorOperator;
let instance: DeployedFunction | undefined;
beforeAll(() => (operator = connectToEmulator()));
afterAll(async () => {
  await instance?.stop();
  await operator.close();
});

it('at 5 times the capacity what cannot be done is 503 at once, nothing else fails, and the instance recovers (R-12)', async () => {
  const { tenantId } = await operator.createTenant();
  const { key } = await createKey({ organization: 'test', limit: 1_000_000 }, operator);
  const called = (instance = await DeployedFunction.start('customers'));
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_MS });
  const saved = new Set<string>();
  const wrong: string[] = [];
  const refusedMs: number[] = [];
  let index = 0;

  const send = async () => {
    const id = `c${(index += 1)}`;
    const answer = await exchange({
      port: called.port,
      method: 'POST',
      path: `/${tenantId}`,
      headers: { 'x-service-auth-key': key, 'content-type': 'application/json' },
      body: JSON.stringify([{ CustomerId: id, Name: 'Ada' }]),
      agent,
    }).catch((error: unknown) => wrong.push(String(error)));
    if (typeof answer === 'number') return;
    if (answer.status === 200) saved.add(id);
    else if (answer.status === 503 && answer.headers['retry-after'] === '1') refusedMs.push(answer.elapsedMs);
    else wrong.push(`${answer.status} ${answer.text}`);
  };

  await sendInTurn(CALLERS, WARM_UP_MS, send);
  const capacity = await sendInTurn(CALLERS, MEASURE_MS, send);
  expect({ wrong, refused: refusedMs.length }).toEqual({ wrong: [], refused: 0 });

  const before = await called.state();
  const open = () => exchange({ port: called.port, method: 'GET', path: '/', headers: {}, agent });
  await Promise.all(Array.from({ length: CONNECTIONS }, open));
  const savedBefore = saved.size;
  const startMs = performance.now();
  let sent = 0;
  // What held up the measuring of the capacity made it too low: more is sent until it is too much.
  for (let rate = OVERLOAD * capacity; refusedMs.length === 0 && rate < MAX_OVERLOAD * capacity; rate *= 2) {
    sent += await sendAtRate(rate, OVERLOAD_MS, send);
  }
  const elapsedMs = performance.now() - startMs;
  const savedMeanwhile = saved.size - savedBefore;
  const refused = refusedMs.length;

  const endMs = performance.now();
  const served = async () => {
    const [savedYet, refusedYet] = [saved.size, refusedMs.length];
    await sendInTurn(CALLERS, POLL_MS, send);
    return saved.size > savedYet && refusedMs.length === refusedYet;
  };
  while (!(await served()) && performance.now() - endMs < RECOVERY_MS) await sleep(POLL_MS);
  const recoveredMs = performance.now() - endMs;
  agent.destroy();

  const after = await called.state();
  const stored = new Set<string>();
  for await (const record of exportRecords(tenantId, 'customers', operator)) {
    stored.add((record as { CustomerId: string }).CustomerId);
  }
  expect({ saved: savedMeanwhile > 0, refused: refused > 0 }).toEqual({ saved: true, refused: true });
  const rate = (count: number) => Math.round((1_000 * count) / elapsedMs);
  report(
    'overload is answered honestly',
    sent,
    wrong.length,
    `capacity ${Math.round(capacity)}/s, sent ${rate(sent)}/s, ${rate(savedMeanwhile)}/s done, ${refused} refused in ` +
      `${Math.round(percentile(refusedMs, 0.5))} ms (p99 ${Math.round(percentile(refusedMs, 0.99))} ms), served again ` +
      `after ${Math.round(recoveredMs)} ms, heap ${toMB(before.heapBytes)} → ${toMB(after.heapBytes)} MB`,
  );
  expect({ wrong, errors: called.errors, lost: [...saved].filter((id) => !stored.has(id)) }).toEqual({
    wrong: [],
    errors: [],
    lost: [],
  });
  expect(called.isRunning).toBe(true);
  expect(percentile(refusedMs, 0.5)).toBeLessThan(FAST_MS);
  expect(recoveredMs).toBeLessThan(RECOVERY_MS);
});

function toMB(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
