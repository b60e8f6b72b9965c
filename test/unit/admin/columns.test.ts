/** Which fields the tables of the command line have for people. */
import { Writable } from 'node:stream';
import { printResult } from '../../../functions/admin/print-result';
import type { Result } from '../../../functions/admin/printing';
import { buildProgram } from '../../../functions/admin/program';
import { Progress } from '../../../functions/admin/progress';
import { tenantPath } from '../../../shared/documents/paths';
import type { Operator } from '../../../shared/operations/operator';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';
import { aRun, aRunFile, putFile, putRun } from '../../support/stored-run';

const TENANT = '3b0e7bde-6f1b-4f3f-9d0c-3d9c36a7b0f1';
const OTHER = '4c1f8cef-7a2c-4a4a-8e1d-4e0d47b8c1a2';
/** As long as the ids of runs are. */
const RUN = '20260301110000123-12345678901234567';
const ROWS = { read: 2_010, stored: 2_000, invalid: 3, stale: 6, deleted: 1 };

let clock: FixedClock;
let store: MemoryDocumentStore;
beforeEach(async () => {
  clock = new FixedClock();
  store = new MemoryDocumentStore(clock);
  const rows = ROWS;
  await store.commit([
    { set: tenantPath(TENANT), data: { organizationId: 'acme', displayName: 'Acme Germany' } },
    putRun(RUN, aRun(TENANT, { rows })),
    putFile(RUN, aRunFile({ rows })),
  ]);
});

/** The lines of a command on a terminal of so many columns, each as its cells. */
async function tableOf(command: string, columns = 80): Promise<readonly (readonly string[])[]> {
  let text = '';
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    text += chunk.toString();
    done();
  };
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stdout = Object.assign(new Writable({ write }), { isTTY: true, columns });
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  const runWith = () => async (work: (operator: Operator) => Promise<Result> | Result) =>
    printResult(await work(operator), stdout, new Progress(silent, clock));
  await buildProgram(runWith, { stdout, stderr: silent }).parseAsync(command.split(' '), { from: 'user' });
  const lines = text.split('\n').slice(0, -1);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  return lines.map((line) => line.split(/ {2,}/));
}

const HEADER = ['read', 'stored', 'invalid', 'stale', 'deleted'];
const COUNTS = ['2010', '2000', '3', '6', '1'];

describe('runs', () => {
  it.each([`transfers runs ${TENANT}`, `runs list ${TENANT}`, 'runs list --all'])(
    'have every count of their rows, so that they add up: %s',
    async (command) => {
      const [header, row, ...others] = await tableOf(command, 120);
      expect(header).toEqual(expect.arrayContaining(['runId', 'status', ...HEADER]));
      expect(row?.slice(header?.indexOf('read'), header!.indexOf('deleted') + 1)).toEqual(COUNTS);
      expect(others).toEqual([]);
    },
  );

  it('have them on a terminal of 100 columns, where no run has an error', async () => {
    const [header, row] = await tableOf(`transfers runs ${TENANT}`, 100);
    expect(header).toEqual(['runId', 'status', 'startedAt', ...HEADER]);
    expect(row?.slice(3)).toEqual(COUNTS);
  });

  it.each([`transfers runs ${TENANT}`, `runs list ${TENANT}`, 'runs list --all'])(
    'have none of them on a terminal of 80 columns, where not all have room: %s',
    async (command) => {
      const [header, row] = await tableOf(command, 80);
      expect(header?.filter((title) => title !== 'tenantId')).toEqual(['runId', 'status', 'startedAt', 'files.fai…']);
      expect(row).toHaveLength(header?.length ?? 0);
    },
  );

  it('show why one has failed also on a narrow terminal', async () => {
    const run = aRun(TENANT, { status: 'failed', error: 'The bucket is gone.', rows: ROWS });
    await store.commit([putRun(RUN, run)]);
    expect((await tableOf(`transfers runs ${TENANT}`, 80))[1]?.slice(0, 4)).toEqual([
      RUN,
      'failed',
      '2026-03-01…',
      'The bucke…',
    ]);
  });
});

describe('files of a run', () => {
  it('have every count of their rows, so that they add up, also on a terminal of 80 columns', async () => {
    const [header, row] = await tableOf(`transfers files ${RUN}`);
    expect(header).toEqual(['object', 'status', ...HEADER, 'error']);
    expect(row?.slice(2, 7)).toEqual(COUNTS);
  });

  it('have none of them there where the name of one is long, and show why one has failed', async () => {
    const object = 'exports/2026/03/01/customers-of-all-shops.ndjson';
    const error = 'The file is gone.';
    await store.commit([putFile(RUN, aRunFile({ object, status: 'failed', rows: ROWS, error }))]);
    const [header, row] = await tableOf(`transfers files ${RUN}`);
    expect(header).toEqual(['object', 'status', 'error']);
    expect(row).toEqual([object, 'failed', error]);
  });
});

describe('tenants', () => {
  const change = (tenantId: string, data: object) =>
    store.commit([{ set: tenantPath(tenantId), data: { organizationId: 'acme', ...data } }]);

  it('show since when one is being erased, also on a terminal of 80 columns (R-193)', async () => {
    await change(OTHER, { displayName: 'Acme Norway', erasingSince: new Date('2026-03-01T12:00:00Z') });
    const [header, ...rows] = await tableOf('tenants list');
    expect(header).toEqual(['tenantId', 'organizationId', 'displayName', 'erasingSince']);
    expect(rows.map((row) => row.at(-1))).toEqual(['-', '2026-03-01T…']);
    const [wide] = await tableOf('tenants list', 200);
    expect(wide).toEqual(expect.arrayContaining(['suspendedSince', 'erasingSince', 'orderCustomer']));
  });

  it('show since when one is suspended, also on a terminal of 80 columns (R-193)', async () => {
    await change(OTHER, { displayName: 'Acme Norway', suspendedSince: new Date('2026-03-01T12:00:00Z') });
    const [header, ...rows] = await tableOf('tenants list');
    expect(header?.at(-1)).toBe('suspendedSi…');
    expect(rows.map((row) => row.at(-1))).toEqual(['-', '2026-03-01T…']);
  });

  it.each(['suspendedSince', 'erasingSince'])(
    'show %s also where one of 300 has it, and not the first',
    async (since) => {
      for (let n = 0; n < 300; n += 1) {
        const data = { displayName: `Shop ${n}`, ...(n === 250 && { [since]: new Date('2026-03-01T12:00:00Z') }) };
        await change(`5d${String(n).padStart(6, '0')}-7a2c-4a4a-8e1d-4e0d47b8c1a2`, data);
      }
      const [header, ...rows] = await tableOf('tenants list');
      expect(header?.at(-1)).toMatch(new RegExp(`^${since.slice(0, 9)}`));
      expect(rows.map((row) => row.at(-1)).filter((cell) => cell !== '-')).toEqual(['2026-03-01T…']);
    },
  );
});
