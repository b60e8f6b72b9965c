/**
 * Promise: under mixed traffic at 80 % of the measured capacity, with deletions applied and files transferred
 * meanwhile, there is no error, neither memory nor open handles grow, and the queues drain. FAULTS_LOAD_MINUTES says
 * how long (`npm run test:load`: 30 minutes); without it, a few seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../shared/operations/keys';
import type { ListedRun } from '../../shared/operations/transfers';
import { listRuns } from '../../shared/operations/transfers';
import { deletionsPath } from '../../shared/documents/paths';
import type { Tenant } from '../../shared/domain/tenant';
import { historicalJobId } from '../../shared/domain/transfer';
import { encodeRecords } from '../support/file-formats';
import { useTransferLab } from '../support/transfer-lab';
import type { LoadStack } from './load/load-stack';
import { startLoadStack } from './load/load-stack';
import { sendAtRate, sendInTurn } from './load/pace';
import type { HeldState } from './load/state-probe';
import { Traffic } from './load/traffic';
import { report } from './tier';

const MINUTES = process.env.FAULTS_LOAD_MINUTES;
const LOAD_MS = MINUTES === undefined ? 2_000 : Number(MINUTES) * 60_000;
const WARM_UP_MS = MINUTES === undefined ? 500 : 10_000;
const MEASURE_MS = MINUTES === undefined ? 1_000 : 10_000;
const SHARE_OF_CAPACITY = 0.8;
/** After each of them the queues must drain, and what the functions hold is measured. */
const PARTS = MINUTES === undefined ? 2 : 10;
const CALLERS = 16;
const DRAIN_MS = 60_000;
const POLL_MS = MINUTES === undefined ? 100 : 1_000;
const REST_MS = 200;
/** Wrong answers that a failure shows. */
const SHOWN = 5;
const FILE_ROWS = 1_000;
/** How much more than after the first part they may hold: caches that fill, pages that the allocator keeps. */
const MAX_GROWTH = { heapShare: 1.25, heapBytes: 4_000_000, residentShare: 1.3, residentBytes: 32_000_000, handles: 8 };
const TEST_MS = 3 * LOAD_MS + 300_000;

type States = Readonly<Record<string, HeldState>>;

const lab = useTransferLab();
let stack: LoadStack | undefined;
afterEach(() => stack?.stop());

it(
  'mixed traffic makes no error, lets neither memory nor handles grow, and the queues drain',
  async () => {
    const { operator } = lab();
    const { tenant, bucket } = await lab().openShop();
    const rows = Array.from({ length: FILE_ROWS }, (_, row) => ({ CustomerId: `file-${row}`, Name: `Name ${row}` }));
    bucket.put('customers.ndjson', encodeRecords(rows, 'ndjson'));
    const { key } = await createKey({ organization: tenant.organizationId, limit: 1_000_000 }, operator);
    const { functions, startTransfer } = (stack = await startLoadStack(lab()));
    const { customers, products, orders } = functions;
    const ports = { customers: customers.port, products: products.port, orders: orders.port };
    const traffic = new Traffic({ ports, tenantId: tenant.tenantId, key });

    await sendInTurn(CALLERS, WARM_UP_MS, traffic.send);
    const runs: ListedRun[] = [];
    /** Runs one transfer after the other while the work is done, and waits until the queues have drained. */
    const transferMeanwhile = async (work: Promise<number>): Promise<number> => {
      let isWorking = true;
      const isAtWork = () => isWorking;
      void work.finally(() => (isWorking = false));
      while (isAtWork()) {
        const jobId = historicalJobId(tenant.tenantId, String(runs.length));
        await startTransfer({ jobId, tenantId: tenant.tenantId, bucketName: bucket.name, folderPaths: [] });
        await until(async () => {
          const ended = await endedRun(tenant, jobId);
          if (ended) runs.push(ended);
          return ended !== undefined;
        }, `${jobId} does not end`);
      }
      await until(() => isApplied(tenant), 'The deletions are not applied');
      return work;
    };
    /** @throws Error when it does not hold within a minute. */
    const until = async (holds: () => Promise<boolean>, otherwise: string): Promise<void> => {
      const byMs = performance.now() + DRAIN_MS;
      while (!(await holds())) {
        if (performance.now() > byMs) {
          const seen = { wrong: traffic.wrong.slice(-SHOWN), errors: errorsOf(functions).slice(-SHOWN) };
          throw new Error(`${otherwise}. ${JSON.stringify(seen)}`);
        }
        await sleep(POLL_MS);
      }
    };
    const capacity = await transferMeanwhile(sendInTurn(CALLERS, MEASURE_MS, traffic.send));
    const states: States[] = [];
    let sent = 0;
    for (let part = 0; part < PARTS; part += 1) {
      const rate = SHARE_OF_CAPACITY * capacity;
      sent += await transferMeanwhile(sendAtRate(rate, LOAD_MS / PARTS, traffic.send));
      traffic.disconnect();
      await sleep(REST_MS);
      states.push(await statesOf(functions));
    }

    const [first, last] = [states[0]!, states.at(-1)!];
    report('a lasting load', sent, traffic.wrong.length, `capacity ${Math.round(capacity)}/s; ${inWords(first, last)}`);
    expect(sent).toBeGreaterThan(0);
    const failures = { wrong: traffic.wrong.slice(0, SHOWN), errors: errorsOf(functions).slice(0, SHOWN) };
    expect(failures).toEqual({ wrong: [], errors: [] });
    expect(grownTooMuch(first, last)).toEqual([]);
    expect(runs.map(toOutcome)).toEqual(runs.map(() => ({ status: 'succeeded', stored: FILE_ROWS, invalid: 0 })));
  },
  TEST_MS,
);

/** The run of a transfer; undefined while it has not ended. */
async function endedRun({ tenantId }: Tenant, ofJob: string): Promise<ListedRun | undefined> {
  const runs = await listRuns(tenantId, lab().operator);
  return runs.find(({ jobId, status }) => jobId === ofJob && status !== 'running');
}

/** Whether every accepted deletion is applied. */
async function isApplied({ tenantId }: Tenant): Promise<boolean> {
  const { store, deadline } = lab().operator;
  return (await store.list(deletionsPath(tenantId), { limit: 1 }, deadline())).length === 0;
}

function toOutcome({ status, rows }: ListedRun): object {
  return { status, stored: rows?.stored, invalid: rows?.invalid };
}

function errorsOf(functions: LoadStack['functions']): string[] {
  return Object.values(functions).flatMap(({ errors }) => errors);
}

async function statesOf(functions: LoadStack['functions']): Promise<States> {
  const states = Object.entries(functions).map(async ([name, instance]) => [name, await instance.state()] as const);
  return Object.fromEntries(await Promise.all(states));
}

/** The functions that hold more at the end than they may. */
function grownTooMuch(first: States, last: States): string[] {
  const { heapShare, heapBytes, residentShare, residentBytes, handles } = MAX_GROWTH;
  return Object.keys(last).filter((name) => {
    const [before, after] = [first[name]!, last[name]!];
    const isWithin =
      heldBytes(after) <= heapShare * heldBytes(before) + heapBytes &&
      after.residentBytes <= residentShare * before.residentBytes + residentBytes &&
      after.handles <= before.handles + handles;
    return !isWithin;
  });
}

function heldBytes({ heapBytes, externalBytes }: HeldState): number {
  return heapBytes + externalBytes;
}

function inWords(first: States, last: States): string {
  const toMB = (bytes: number) => Math.round(bytes / 1_000_000);
  const toWords = (name: string) => {
    const [before, after] = [first[name]!, last[name]!];
    const held = `heap ${toMB(heldBytes(before))} → ${toMB(heldBytes(after))} MB`;
    const resident = `resident ${toMB(before.residentBytes)} → ${toMB(after.residentBytes)} MB`;
    return `${name} ${held}, ${resident}, handles ${before.handles} → ${after.handles}`;
  };
  return Object.keys(last).map(toWords).join('; ');
}
