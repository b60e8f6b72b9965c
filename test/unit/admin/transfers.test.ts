import type { DocumentData } from '../../../shared/domain/records/document';
import type { Operator } from '../../../shared/operations/operator';
import { OperatorError } from '../../../shared/operations/operator-error';
import { listFiles, listRuns, watchRun } from '../../../shared/operations/transfers';
import { deadlineIn } from '../../../shared/platform/deadline';
import {
  runFilePath,
  runFilesPath,
  runPagePath,
  runPath,
  runSkippedFilePath,
  tenantPath,
} from '../../../shared/documents/paths';
import { LIST_PAGE_DOCUMENTS } from '../../../shared/limits/records';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { changesDto } from '../../support/stored-run';

const TENANT = '3b0e7bde-6f1b-4f3f-9d0c-3d9c36a7b0f1';
const ROWS = { read: 2, stored: 2, invalid: 0, stale: 0, deleted: 0 };

let clock: FixedClock;
let store: ObservedDocumentStore;
let said: string[];
let operator: Operator;

beforeEach(async () => {
  clock = new FixedClock();
  store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  said = [];
  const deadline = () => deadlineIn(1_000, clock);
  const say = (message: string) => said.push(message);
  operator = { store, clock, deadline, progress: say, notice: say } as unknown as Operator;
  await store.commit([{ set: tenantPath(TENANT), data: { organizationId: 'acme' } }], deadline());
});

/** Stores a run, and how many of its files are still to be read. */
async function putRun(runId: string, status: 'running' | 'succeeded', pending = 0): Promise<void> {
  const counts = { files: { found: 1, finished: 1, skipped: 0, failed: 0 }, rows: ROWS };
  const startedAt = new Date(clock.nowMs());
  const run = { tenantId: TENANT, jobId: 'j', status, startedAt, finishedAt: null, error: null };
  await store.commit(
    [{ set: runPath(runId), data: status === 'running' ? run : { ...run, ...counts } }],
    operator.deadline(),
  );
  for (let file = 0; file < pending; file += 1) {
    const data = { status: 'pending', rows: ROWS };
    await store.commit([{ set: runFilePath(runId, String(file)), data }], operator.deadline());
  }
}

const readsOf = (path: string) => store.reads.filter(({ paths }) => paths.includes(path)).length;

describe('transfers runs', () => {
  it('shows what a run is warned of, also while it runs (R-100)', async () => {
    await putRun('a', 'running', 1);
    const warned = (code: string, example: DocumentData): DocumentData => ({
      [code]: { count: 3, examples: [example] },
    });
    const file = { status: 'pending', rows: ROWS, object: 'o.csv', warnings: warned('itemsDropped', { line: 2 }) };
    const page = { skipped: 3, warnings: warned('unknownFormat', { object: 'o.txt' }) };
    await store.commit(
      [
        { set: runFilePath('a', '0'), data: file },
        { set: runPagePath('a', '0.0'), data: page },
      ],
      operator.deadline(),
    );
    const [run] = await listRuns(TENANT, operator);
    expect(run?.warnings).toMatchObject([
      { code: 'itemsDropped', count: 3, examples: [{ object: 'o.csv', line: 2 }] },
      { code: 'unknownFormat', count: 3, examples: [{ object: 'o.txt' }] },
    ]);
    for (const { message } of run?.warnings ?? []) expect(message).toMatch(/^These /);
  });

  it('shows the changes with all counts, and null where they are not known (R-85, R-89)', async () => {
    await putRun('a', 'succeeded');
    await putRun('b', 'running', 1);
    const data = { status: 'pending', rows: ROWS, kind: 'customers', changes: { Updated: 2 } };
    await store.commit([{ set: runFilePath('b', '0'), data }], operator.deadline());
    const runs = await listRuns(TENANT, operator);
    const changesOf = (id: string) => runs.find(({ runId }) => runId === id)?.changes;
    expect(changesOf('a')).toBeNull();
    expect(changesOf('b')).toEqual(changesDto({ Updated: 2 }));
  });

  it('shows the newest 100, the newest first', async () => {
    const ids = Array.from({ length: 103 }, (_, index) => `20260301${String(index).padStart(6, '0')}-1`);
    for (const runId of ids) {
      clock.advance(1_000);
      await putRun(runId, 'succeeded');
    }
    expect((await listRuns(TENANT, operator)).map(({ runId }) => runId)).toEqual(ids.slice(3).reverse());
  });

  it('shows all runs when one of them cannot be counted, and says so', async () => {
    await putRun('a', 'succeeded');
    await putRun('b', 'running', 1);
    await putRun('c', 'running', 1);
    store.failing = ({ method, paths }) => method === 'list' && paths.includes(runFilesPath('b'));
    const runs = await listRuns(TENANT, operator);
    expect(Object.fromEntries(runs.map(({ runId, rows }) => [runId, rows]))).toEqual({ a: ROWS, b: null, c: ROWS });
    expect(said).toEqual(['The files of run b cannot be counted now: The database cannot be reached.']);
  });
});

it('transfers runs and files say how far they are where a run has many files', async () => {
  await putRun('a', 'running', LIST_PAGE_DOCUMENTS + 1);
  expect(await listRuns(TENANT, operator)).toMatchObject([{ files: { found: LIST_PAGE_DOCUMENTS + 1 } }]);
  const files: object[] = [];
  for await (const file of listFiles('a', operator)) files.push(file);
  expect(files).toHaveLength(LIST_PAGE_DOCUMENTS + 1);
  expect(said).toEqual([`${LIST_PAGE_DOCUMENTS} files of run a counted`, `${LIST_PAGE_DOCUMENTS} files read`]);
});

it('transfers files names those that the run does not read, behind the others (R-105)', async () => {
  await putRun('a', 'running', 1);
  const skipped = ['0.0', '0.1'].map((pageId) => ({
    set: runSkippedFilePath('a', pageId),
    data: { files: [{ object: `${pageId}.txt`, generation: '1', reason: 'unknown format' }] },
  }));
  await store.commit(skipped, operator.deadline());
  const files: object[] = [];
  for await (const file of listFiles('a', operator)) files.push(file);
  expect(files).toMatchObject([
    { status: 'pending' },
    { object: '0.0.txt', status: 'skipped', reason: 'unknown format' },
    { object: '0.1.txt', status: 'skipped', reason: 'unknown format' },
  ]);
});

describe('transfers watch', () => {
  /** Lets the run end so many milliseconds from now. */
  function endAfter(ms: number): void {
    const endMs = clock.nowMs() + ms;
    clock.sleep = async (sleptMs) => {
      clock.advance(sleptMs);
      if (clock.nowMs() >= endMs) await putRun('a', 'succeeded');
    };
  }

  it('looks every second whether the run has ended, and counts its files every ten seconds', async () => {
    await putRun('a', 'running', 1);
    endAfter(25_000);
    expect(await watchRun('a', operator)).toMatchObject({ status: 'succeeded', rows: ROWS });
    expect(readsOf(runPath('a'))).toBe(26);
    expect(readsOf(runFilesPath('a'))).toBe(3); // after 0, 10 and 20 seconds
    expect(said).toEqual(Array(3).fill('0 of 1 files, 2 rows read, 2 stored, 0 invalid, 0 stale, 0 deleted'));
  });

  it('says when a run begins that waits for its minute (R-373)', async () => {
    await putRun('a', 'running');
    const startedAt = new Date(clock.nowMs() + 15_000);
    const write = { set: runPath('a'), data: { startedAt }, fields: ['startedAt'], when: 'present' } as const;
    await store.commit([write], operator.deadline());
    endAfter(25_000);
    await watchRun('a', operator);
    const begins = `The run begins at ${startedAt.toISOString()}.`;
    const counted = '0 of 0 files, 0 rows read, 0 stored, 0 invalid, 0 stale, 0 deleted';
    expect(said).toEqual([begins, begins, counted]);
  });

  const suspend = () => {
    const data = { suspendedSince: new Date(clock.nowMs()) };
    const write = { set: tenantPath(TENANT), data, fields: ['suspendedSince'], when: 'present' } as const;
    return store.commit([write], deadlineIn(1_000, clock));
  };
  const RESTS = `The run rests: tenant ${TENANT} is suspended (tenants resume).`;

  it('does not wait for the run of a tenant that is suspended, which rests (R-211)', async () => {
    await putRun('a', 'running', 1);
    await suspend();
    await expect(watchRun('a', operator)).rejects.toThrow(new OperatorError(RESTS));
    expect(readsOf(runPath('a'))).toBe(1);
    expect(said).toEqual([]);
  });

  it('ends when the tenant is suspended meanwhile, and shows a run that had ended before (R-211)', async () => {
    await putRun('a', 'running', 1);
    clock.sleep = async (sleptMs) => {
      clock.advance(sleptMs);
      if (readsOf(runPath('a')) === 5) await suspend();
    };
    await expect(watchRun('a', operator)).rejects.toThrow(new OperatorError(RESTS));
    expect(readsOf(runPath('a'))).toBe(11); // with the next count, after ten seconds
    await putRun('a', 'succeeded');
    expect(await watchRun('a', operator)).toMatchObject({ status: 'succeeded' });
  });

  it('counts more seldom where counting takes long', async () => {
    await putRun('a', 'running', 1);
    endAfter(100_000);
    store.failing = ({ method }) => {
      if (method === 'list') clock.advance(2_500); // the files, and the pages of planning
      return false;
    };
    await watchRun('a', operator);
    expect(readsOf(runFilesPath('a'))).toBe(2); // after 0 and 55 seconds
  });
});
