/**
 * Promise: the limit is exact, also for bursts over several instances, and unknown keys are cheap: at most one read
 * each that the instance remembers.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { toKeyDocument } from '../../shared/auth/tenant-documents';
import { apiKeyPath } from '../../shared/documents/paths';
import { hashApiKey, PERMISSIONS } from '../../shared/domain/api-key';
import { inParallel } from '../../shared/platform/async/in-parallel';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { exchange } from '../support/http-exchange';
import { SeededRandom } from '../support/seeded-random';
import { useTestService } from '../support/test-service';
import { WorkerProcesses } from '../support/worker-processes';
import { FAULTS_SEED, ofTier, report } from './tier';

const BURSTS = ofTier(3, 100);
const REQUESTS = 500;
const INSTANCES = 3;
/** Connections of the callers to one instance. */
const SOCKETS = 15;
const FLOOD_KEYS = ofTier(500, 5_000);

describe('bursts', () => {
  let operator: EmulatorOperator;
  let processes: WorkerProcesses;
  const instances: { readonly child: ChildProcess; readonly port: number; readonly agent: Agent }[] = [];

  beforeAll(async () => {
    operator = connectToEmulator();
    processes = new WorkerProcesses('test/faults/bursts/instance.ts');
    for (let instance = 0; instance < INSTANCES; instance += 1) {
      const { child, greeting } = await processes.take();
      instances.push({ child, port: greeting as number, agent: new Agent({ keepAlive: true, maxSockets: SOCKETS }) });
    }
  });
  afterAll(async () => {
    for (const { agent } of instances) agent.destroy();
    await processes.stop();
    await operator.close();
  });

  async function createKey(key: string, requestsPerMinute: number): Promise<void> {
    const hash = hashApiKey(key)!;
    const stored = {
      hash,
      keyId: `key_${hash.slice(0, 6)}`,
      organizationId: 'bursts',
      permissions: PERMISSIONS,
      requestsPerMinute,
      createdAtMs: 0,
      revokedAtMs: null,
    };
    await operator.store.commit([{ set: apiKeyPath(hash), data: toKeyDocument(stored) }], operator.deadline());
  }

  /** What a window's requests got. */
  interface WindowCounts {
    /** The count that each admitted request was, which its answer tells by what remains. */
    readonly admitted: number[];
    refused: number;
  }

  /** Sends a burst and gives what it got, by window. */
  async function burst(key: string, limit: number): Promise<Map<string, WindowCounts>> {
    const windows = new Map<string, WindowCounts>();
    const send = async (index: number) => {
      const { port, agent } = instances[index % INSTANCES]!;
      const headers = { 'x-service-auth-key': key };
      // What is asked for does not matter: every request counts.
      const answer = await exchange({ port, method: 'DELETE', path: '/no-guid', headers, agent });
      const reset = String(answer.headers['x-ratelimit-reset']);
      const count = limit - Number(answer.headers['x-ratelimit-remaining']);
      const counts = windows.get(reset) ?? { admitted: [], refused: 0 };
      windows.set(reset, counts);
      if (answer.status === 429) counts.refused += 1;
      else if (answer.status !== 400) throw new Error(`The answer was ${answer.status}.`);
      else counts.admitted.push(count);
    };
    await Promise.all(Array.from({ length: REQUESTS }, (_, index) => send(index)));
    return windows;
  }

  /** Requests that were let through by now because the counter did not answer in time (D-36). */
  async function letThrough(): Promise<number> {
    const counts = instances.map(async ({ child }) => {
      child.send('how many');
      return ((await once(child, 'message')) as [number])[0];
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  /** Exactly the limit, each count once; those that were let through may come on top. */
  function isExact({ admitted, refused }: WindowCounts, limit: number, uncounted: number): boolean {
    const isOnce = new Set(admitted).size >= admitted.length - uncounted && admitted.length <= limit + uncounted;
    return isOnce && admitted.length >= Math.min(limit, admitted.length + refused);
  }

  it('admit exactly the limit in each window', async () => {
    const random = new SeededRandom(`bursts ${FAULTS_SEED}`);
    const wrong: string[] = [];
    let uncounted = 0;
    for (let number = 0; number < BURSTS; number += 1) {
      const key = operator.random.bytes(32).toString('base64');
      const limit = 1 + Math.floor(random.fraction() * 200);
      await createKey(key, limit);
      const windows = await burst(key, limit);
      const before = uncounted;
      uncounted = await letThrough();
      for (const [window, counts] of windows) {
        if (!isExact(counts, limit, uncounted - before))
          wrong.push(`window ${window}, limit ${limit}: ${JSON.stringify(counts)}`);
      }
    }
    const more = `${REQUESTS} requests each, ${uncounted} let through uncounted`;
    report(`the limit is exact over ${INSTANCES} instances`, BURSTS, wrong.length, more);
    expect(wrong).toEqual([]);
  });
});

describe('a flood of unknown keys', () => {
  const service = useTestService('customers');

  it('reads each key at most once, counts nothing, and reads nothing for what cannot be a key', async () => {
    const to = service();
    const random = new SeededRandom(`keys ${FAULTS_SEED}`);
    const keys = Array.from({ length: FLOOD_KEYS }, () => random.bytes(32).toString('base64'));
    const malformed = keys.map((key) => key.slice(0, Math.floor(random.fraction() * 40)));
    const { tenantId } = await to.createCaller();
    const wrong: string[] = [];
    to.store.calls.length = 0;
    for (let round = 0; round < 3; round += 1) {
      await inParallel([...keys, ...malformed], 20, async (key) => {
        const { status } = await to.request('DELETE', `/customers/${tenantId}?email=a@x.com`, { key });
        if (status !== 401) wrong.push(`${status} for the key ${key}`);
      });
    }
    const reads = to.store.calls.length;
    if (reads !== FLOOD_KEYS) wrong.push(`${reads} reads`);
    wrong.push(...to.store.writes.map((write) => `wrote ${JSON.stringify(write)}`));
    report('unknown keys are cheap', 2 * FLOOD_KEYS, wrong.length, `${reads} reads in 3 rounds`);
    expect(wrong).toEqual([]);
  });
});
