/**
 * A shop erases customers while a file of theirs is read, and some sign up again: on the whole stack, as a tenant's
 * engineer would try it. Afterwards each stored customer, and each that is not, is what the requests explain.
 */
import { exportRecords } from '../../shared/operations/records';
import type { ListedRun } from '../../shared/operations/transfers';
import { listRuns } from '../../shared/operations/transfers';
import { chunksOf } from '../../shared/platform/chunks';
import { pendingDeletions } from '../support/pending-deletions';
import type { RunningStack } from '../support/running-stack';
import { admin, callStack, eventually, operatorOf, putObject, runStack } from '../support/running-stack';
import { SeededRandom } from '../support/seeded-random';
import { FAULTS_SEED, ofTier, report } from './tier';

/** Customers who are stored first. A quarter as many rows, a twentieth of them deletions, and as many are erased. */
const STORED = ofTier(2_000, 20_000);
const ROWS = STORED / 4;
const DELETING_ROWS = STORED / 20;
const NEW_ROWS = STORED / 20;
const ERASED = STORED / 20;
/** Of each group of those who are erased, every second signs up again; of the deleting rows' others, as many. */
const SIGN_UPS_OF_DELETED = 20;
/** Elements of one request, and of one of erasures: several, so that the file is read between them. */
const BATCH = 1_000;
const ERASURE_BATCH = ERASED / 10;

/** Whether the file is so large that it must be read while customers are erased; a small one may have ended by then. */
const IS_READ_MEANWHILE = ofTier(false, true);

/** Requests that are answered by 503 in all. */
const MOST_OVERDUE = 20;

/** What a customer is told apart by. */
interface Shown {
  readonly Email: string;
  readonly CustomerId: string | null;
  readonly Name: string | null;
  readonly Surname: string | null;
}

let stack: RunningStack;
let operator: ReturnType<typeof operatorOf>;
beforeAll(async () => {
  stack = await runStack();
  operator = operatorOf(stack);
});
afterAll(async () => {
  await operator.close();
  await stack.stop();
});

const emailOf = (number: number) => `c${number}@example.com`;
const idOf = (number: number) => `c-${number}`;
const both = (number: number) => ({ Email: emailOf(number), CustomerId: idOf(number) });
const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** By number: those with deleting rows, known ones whom the file updates, others, and new ones of the file. */
const deleting = range(0, DELETING_ROWS);
const updated = range(DELETING_ROWS, ROWS - DELETING_ROWS - NEW_ROWS);
const untouched = range(ROWS - NEW_ROWS, STORED - ROWS + NEW_ROWS);
const created = range(STORED, NEW_ROWS);

/**
 * Whom the requests erase: as many of each group, nearly all by the identifier with priority. The emulator goes through
 * all customers for each of the others.
 */
const quarter = ERASED / 4;
const BY_CUSTOMER_ID = 20;
const erasures = [
  ...deleting.slice(0, quarter).map((number) => ({ number, element: { Email: emailOf(number) } })),
  ...updated.slice(0, quarter).map((number) => ({ number, element: { Email: emailOf(number) } })),
  ...untouched.slice(0, quarter).map((number) => ({ number, element: both(number) })),
  ...created.slice(0, quarter).map((number, index) => ({
    number,
    element: index < BY_CUSTOMER_ID ? { CustomerId: idOf(number) } : { Email: emailOf(number) },
  })),
];
const erased = new Set(erasures.map(({ number }) => number));
const isSignedUpAgain = (number: number) => erased.has(number) && number % 2 === 0;
/** Not erased, but deleted by a row; their sign-ups may come before that row or after it. */
const signedUpBesideRow = new Set(deleting.slice(quarter, quarter + SIGN_UPS_OF_DELETED));

function inAnyOrder<T>(values: readonly T[]): T[] {
  const random = new SeededRandom(`order ${FAULTS_SEED}`);
  return values
    .map((value) => ({ value, place: random.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

/** What may be stored of a customer in the end; null: nothing. */
function explained(number: number): (Shown | null)[] {
  const stored: Shown = { ...both(number), Name: 'stored', Surname: 'kept' };
  const signedUp: Shown = { Email: emailOf(number), CustomerId: null, Name: 'again', Surname: null };
  if (isSignedUpAgain(number)) return [signedUp];
  if (erased.has(number)) return [null];
  // Before the row, the sign-up changes who is stored, and is newer than the row; after it, nobody is.
  if (signedUpBesideRow.has(number)) return [{ ...stored, Name: 'again' }, signedUp];
  if (number < DELETING_ROWS) return [null];
  if (number >= STORED) return [{ ...both(number), Name: 'file', Surname: null }];
  return number < ROWS - NEW_ROWS ? [{ ...stored, Name: 'file' }] : [stored];
}

it('explains every customer after erasures and sign-ups beside a file that also deletes (D-43, D-54, R-08, R-27)', async () => {
  const tenantId = String((await json('tenants', 'create', '--organization', 'shop')).tenantId);
  const key = String((await json('keys', 'create', '--organization', 'shop')).key);
  let overdue = 0;
  /** Sends a request again after 503, as its answer asks: the emulator goes through all customers for each query. */
  const call = async (method: string, path: string, body: unknown) => {
    for (;;) {
      const answer = await callStack<{ readonly data?: { readonly count?: number } }>(stack, method, path, key, body);
      if (answer.status !== 503 || overdue >= MOST_OVERDUE) return answer;
      overdue += 1;
    }
  };

  for (const numbers of chunksOf(range(0, STORED), BATCH)) {
    const answer = await call(
      'POST',
      `/customers/${tenantId}`,
      numbers.map((number) => ({ ...both(number), Name: 'stored', Surname: 'kept' })),
    );
    expect(answer.status).toBe(200);
  }

  const DeletedAt = new Date().toISOString();
  const rows = inAnyOrder([
    ...deleting.map((number) => ({ Email: emailOf(number), DeletedAt })),
    ...[...updated, ...created].map((number) => ({ ...both(number), Name: 'file' })),
  ]);
  putObject(stack, 'shop', 'all/customers.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const registered = await call('POST', '/ingestion/google-cloud-storage/register/historical-transfer', {
    TenantId: tenantId,
    BucketName: 'shop',
    HistoricalDataFolderPaths: ['all/'],
  });
  expect(registered.status).toBe(200);

  await eventually(async () => (await newestRun(tenantId)) !== undefined);
  const besideRow = inAnyOrder([...signedUpBesideRow]);
  let wasReading = false;
  for (const batch of chunksOf(inAnyOrder(erasures), ERASURE_BATCH)) {
    const answer = await call(
      'POST',
      `/customers/${tenantId}/deletions`,
      batch.map(({ element }) => element),
    );
    expect(answer).toMatchObject({ status: 200, body: { data: { count: batch.length } } });
    const again = batch.map(({ number }) => number).filter(isSignedUpAgain);
    const signUps = [...again, ...besideRow.splice(0, SIGN_UPS_OF_DELETED / 10)];
    const signedUp = await call(
      'POST',
      `/customers/${tenantId}`,
      signUps.map((number) => ({ Email: emailOf(number), Name: 'again' })),
    );
    expect(signedUp.status).toBe(200);
    wasReading ||= (await newestRun(tenantId))?.status === 'running';
  }
  if (IS_READ_MEANWHILE) expect(wasReading).toBe(true);
  await eventually(async () => ((await newestRun(tenantId))?.status ?? 'running') !== 'running');
  await eventually(async () => (await pendingDeletions(tenantId, operator.store, operator.deadline())).length === 0);

  const run = await newestRun(tenantId);
  expect(run).toMatchObject({ status: 'succeeded', error: null, rows: { read: ROWS, invalid: 0 } });
  const { stored = 0, deleted = 0, stale = 0 } = run?.rows ?? {};
  expect(stored + deleted + stale).toBe(ROWS);
  expect(deleted).toBeLessThanOrEqual(DELETING_ROWS);
  // Of the others none can be stale.
  expect(stale).toBeLessThanOrEqual(quarter * 3 + SIGN_UPS_OF_DELETED);

  const found = new Map<string, Shown>();
  let exported = 0;
  for await (const record of exportRecords(tenantId, 'customers', operator)) {
    const { Email, CustomerId = null, Name = null, Surname = null } = record as Partial<Shown> & Pick<Shown, 'Email'>;
    found.set(Email, { Email, CustomerId, Name, Surname });
    exported += 1;
  }
  const everyone = range(0, STORED + NEW_ROWS);
  const unexplained = everyone.filter((number) => {
    const actual = JSON.stringify(found.get(emailOf(number)) ?? null);
    return !explained(number).some((expected) => JSON.stringify(expected) === actual);
  });
  const more = `${deleted} rows deleted, ${stale} stale, ${exported} customers left, ${wasReading ? '' : 'not '}while the file was read, ${overdue} answers of 503`;
  report('erasures and sign-ups beside a file', everyone.length, unexplained.length, more);
  expect(
    unexplained.map((number) => ({ number, is: found.get(emailOf(number)) ?? null, mayBe: explained(number) })),
  ).toEqual([]);
  // Nobody is stored twice, and nobody else.
  const isStored = (number: number) => explained(number).every((expected) => expected !== null);
  expect(exported).toBe(everyone.filter(isStored).length);
  expect(await json('records', 'count', tenantId, 'customers')).toEqual({ count: exported });
});

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await admin(stack, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function newestRun(tenantId: string): Promise<ListedRun | undefined> {
  const [newest] = await listRuns(tenantId, operator);
  return newest;
}
