/**
 * Promise: SIGTERM during requests loses nothing that was answered: what was answered is stored, what is in flight is
 * still answered or its connection closes without an answer, and the process ends within the 10 s that the platform
 * gives it.
 */
import { DRAIN_MS } from '../../shared/limits/requests';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../shared/operations/keys';
import { exportRecords } from '../../shared/operations/records';
import { showUsage } from '../../shared/operations/usage';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { exchange } from '../support/http-exchange';
import { SeededRandom } from '../support/seeded-random';
import { DeployedFunction } from './load/deployed-function';
import { FAULTS_SEED, ofTier, report } from './tier';

const ENDS = ofTier(2, 40);
/** As many as Cloud Run lets an instance work on at once. */
const CALLERS = 16;
/** Work before the signal. */
const LIFE_MS = { from: 0, to: 500 };
const POLL_MS = 10;
const PLATFORM_MS = 10_000;

let operator: EmulatorOperator;
let key: string;
beforeAll(async () => {
  operator = connectToEmulator();
  ({ key } = await createKey({ organization: 'test', limit: 1_000_000 }, operator));
});
afterAll(() => operator.close());

const running: DeployedFunction[] = [];
afterEach(() => Promise.all(running.splice(0).map((instance) => instance.stop())));

async function start(): Promise<DeployedFunction> {
  const instance = await DeployedFunction.start('customers');
  running.push(instance);
  return instance;
}

it('SIGTERM loses nothing that was answered, and lets the requests in flight finish', async () => {
  const random = new SeededRandom(`shutdown ${FAULTS_SEED}`);
  let [answered, answeredLate, closed] = [0, 0, 0];
  for (let end = 0; end < ENDS; end += 1) {
    const { tenantId } = await operator.createTenant();
    const instance = await start();
    const agent = new Agent({ keepAlive: true });
    const saved: string[] = [];
    const otherAnswers: string[] = [];
    let hasSignal = false;
    const isEnding = () => hasSignal;
    let late = 0;
    const callOnAndOn = async (_: unknown, caller: number) => {
      for (let number = 0; !isEnding(); number += 1) {
        const id = `c${caller}-${number}`;
        const answer = await exchange({
          port: instance.port,
          method: 'POST',
          path: `/${tenantId}`,
          headers: { 'x-service-auth-key': key, 'content-type': 'application/json' },
          body: JSON.stringify([{ CustomerId: id, Name: 'Ada' }]),
          agent,
        }).catch(() => undefined);
        if (answer?.status === 200) saved.push(id);
        else if (answer) otherAnswers.push(`${answer.status} ${answer.text}`);
        else closed += 1;
        if (isEnding() && answer) late += 1;
      }
    };
    const calls = Array.from({ length: CALLERS }, callOnAndOn);
    while (saved.length < CALLERS) await sleep(POLL_MS); // the first requests connect to the database
    await sleep(LIFE_MS.from + random.fraction() * (LIFE_MS.to - LIFE_MS.from));
    hasSignal = true;
    const code = await instance.terminate(PLATFORM_MS);
    await Promise.all(calls);
    agent.destroy();

    const stored = new Set<string>();
    for await (const record of exportRecords(tenantId, 'customers', operator)) {
      stored.add((record as { CustomerId: string }).CustomerId);
    }
    expect({ code, otherAnswers, lost: saved.filter((id) => !stored.has(id)) }).toEqual({
      code: 0,
      otherAnswers: [],
      lost: [],
    });
    expect(late).toBeGreaterThan(0);
    answered += saved.length;
    answeredLate += late;
  }
  const more = `${answered} answers, ${answeredLate} of them after the signal, ${closed} connections closed unanswered`;
  report('SIGTERM loses nothing that was answered', ENDS, 0, more);
});

it('SIGTERM ends an instance at once when nothing is in flight, also with idle connections', async () => {
  const instance = await start();
  const agent = new Agent({ keepAlive: true });
  await exchange({ port: instance.port, method: 'GET', path: '/', headers: {}, agent });
  const startMs = performance.now();
  expect(await instance.terminate(PLATFORM_MS)).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(DRAIN_MS / 2);
  agent.destroy();
});

it('SIGTERM stores what was counted of requests (R-180)', async () => {
  const { tenantId } = await operator.createTenant();
  const instance = await start();
  const headers = { 'x-service-auth-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify([{ CustomerId: 'c1' }, { CustomerId: 'c2' }]);
  for (let n = 0; n < 3; n += 1) {
    await exchange({ port: instance.port, method: 'POST', path: `/${tenantId}`, headers, body });
  }
  expect((await showUsage(tenantId, {}, operator)).totals.requests).toBe(0);
  expect(await instance.terminate(PLATFORM_MS)).toBe(0);
  expect((await showUsage(tenantId, {}, operator)).totals).toMatchObject({ requests: 3, records: 6, errors: 0 });
});

// It takes as long as the platform waits.
ofTier(it.skip, it)(
  'SIGTERM ends an instance in the time that the platform gives, although a request never ends',
  async () => {
    const { tenantId } = await operator.createTenant();
    const instance = await start();
    const headers = { 'x-service-auth-key': key, 'content-length': 9 };
    const upload = request({ port: instance.port, host: '127.0.0.1', method: 'POST', path: `/${tenantId}`, headers });
    const failure = new Promise<string | undefined>((resolve) => {
      upload.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      upload.once('response', ({ statusCode }) => resolve(`an answer: ${statusCode ?? 0}`));
    });
    upload.flushHeaders();
    await sleep(LIFE_MS.to);
    expect(await instance.terminate(PLATFORM_MS)).toBe(0);
    expect(await failure).toBe('ECONNRESET');
  },
);
