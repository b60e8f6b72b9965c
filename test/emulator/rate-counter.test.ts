/** The rate counter on the real database, while the process that asks it is busy (D-36). */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gatekeeper } from '../../shared/auth/admission';
import { StoredAdmission } from '../../shared/auth/stored-admission';
import { systemClock } from '../../shared/platform/clock';
import { readConfig } from '../../shared/config';
import { rateCounterPath } from '../../shared/documents/paths';
import { hashApiKey } from '../../shared/domain/api-key';
import { RATE_COUNTER_TIMEOUT_MS } from '../../shared/limits/requests';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { CollectingLogger } from '../support/recording-fakes';
import { aKey } from '../unit/support/key';
import { TRACE } from '../support/traces';

const LIMIT = 5;
const REQUESTS = 20;

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

it('admits no more than the limit while answers of the counter wait to be read (D-36)', async () => {
  const logger = new CollectingLogger();
  const text = randomBytes(32).toString('base64');
  const key = aKey({ hash: hashApiKey(text)!, requestsPerMinute: LIMIT });
  await operator.store.get(rateCounterPath(key.hash, 0), operator.deadline()); // connects
  const dependencies = { admissionStore: new StoredAdmission(operator.store), clock: systemClock, logger };
  const minute = Math.floor(systemClock.nowMs() / 60_000);
  const clock = { ...systemClock, nowMs: () => minute * 60_000 };
  // Each in an instance of its own: none remembers what the others have seen.
  const admissions = Array.from({ length: REQUESTS }, () =>
    new Gatekeeper({ ...dependencies, clock }).begin(text, undefined, { deadline: operator.deadline(), ...TRACE }),
  );
  const ends = Promise.allSettled(admissions.map((admission) => admission.count(key)));
  for (let turn = 0; turn < 20; turn += 1) await nextTurn(); // the calls are on their way
  const heldMs = holdUntilCounted(rateCounterPath(key.hash, minute));
  expect(heldMs).toBeGreaterThan(RATE_COUNTER_TIMEOUT_MS);
  const admitted = (await ends).filter(({ status }) => status === 'fulfilled');
  expect(admitted).toHaveLength(LIMIT);
  expect(logger.entries).toEqual([]);
});

/**
 * Holds this process's event loop for longer than a counter's answer may take, and until the database has counted all
 * requests, however busy it is. Returns for how long, in milliseconds.
 */
function holdUntilCounted(path: string): number {
  const beganMs = performance.now();
  const { projectId, databaseId, emulators } = readConfig();
  const url = `http://${emulators.firestore}/v1/projects/${projectId}/databases/${databaseId}/documents/${path}`;
  const program = `(async () => {
    const end = performance.now() + ${RATE_COUNTER_TIMEOUT_MS + 500};
    for (let count = 0; count < ${REQUESTS} || performance.now() < end; ) {
      const answer = await fetch(${JSON.stringify(url)}, { headers: { authorization: 'Bearer owner' } });
      count = Number((await answer.json()).fields?.count?.integerValue ?? 0);
    }
  })()`;
  execFileSync(process.execPath, ['-e', program], { timeout: 60_000 });
  return performance.now() - beganMs;
}
