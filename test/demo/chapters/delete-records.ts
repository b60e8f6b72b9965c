import type { ApiAnswer } from '../api-client';
import { answerProblems } from '../api-client';
import { differencesOfNamed, TIME_OF_THIS_RUN } from '../compare';
import type { Demo, DemoTenant } from '../context';
import { forBoth } from '../context';
import type { Row } from '../report';
import type { RouteName } from '../routes';
import { ROUTES, toTarget } from '../routes';
import type { Deletion, Revival } from '../shop/deletions';
import { DELETIONS, REVIVALS } from '../shop/deletions';
import { pause } from '../stage';
import type { Comparison } from '../stored-records';
import { compareAll, storedRecord } from '../stored-records';
import { tableOf } from './compare-stored';
import { deliver } from './send-shop';

const REMOVED_MESSAGES: Readonly<Partial<Record<RouteName, string>>> = {
  deleteCustomer: 'Customer removed.',
  deleteProduct: 'Product removed.',
  deleteVariant: 'Variant removed.',
  deleteOrder: 'Order removed.',
  deleteItem: 'Order item removed.',
  deleteCustomers: 'Customers removed.',
  deleteProducts: 'Products removed.',
  deleteOrders: 'Orders removed.',
};

/** The consumer applies deletions within milliseconds; a busy machine may need longer. */
const LONGEST_WAIT_MS = 15_000;
const POLL_MS = 100;

/** Deletes some of everything, waits until the consumer has applied it, then deletes and writes again at once. */
export async function deleteRecords(demo: Demo): Promise<void> {
  const { report } = demo;
  report.progress('Deleting');
  const deletions = [];
  for (const deletion of DELETIONS) deletions.push(await deleteFromBoth(demo, deletion));
  report.chapter('Deleted', 'Accepted at once, applied a moment later by the deletion consumer.');
  report.table(['Aurora', 'Borealis', 'deleted', ''], deletions);

  report.progress('Waiting until the deletions are applied');
  const { comparisons, waitedMs } = await waitUntilApplied(demo);
  report.chapter(
    'Left',
    `Every record compared again: all deletions were applied within ${waitedMs} ms of the last one.`,
  );
  tableOf(demo, comparisons);

  report.progress('Deleting and writing again');
  const revivals = [];
  for (const revival of REVIVALS) revivals.push(await revive(demo, revival));
  report.chapter(
    'Deleted and written again at once',
    'What is written after a deletion was accepted stays, and nothing of what was before.',
  );
  report.table(['delete', 'upsert', '', 'stored now'], revivals);
}

async function deleteFromBoth(demo: Demo, deletion: Deletion): Promise<Row> {
  const answers = await forBoth(demo, (tenant) => remove(demo, tenant, deletion));
  const target = toTarget(deletion.route, { tenant: '…', ...deletion.params }, deletion.query);
  return {
    cells: [
      ...answers.map(({ answer }) => answer.status),
      deletion.title,
      `${ROUTES[deletion.route].method} ${target.replace(encodeURIComponent('…'), '…')}`,
    ],
    problems: answers.flatMap(({ problems }) => problems),
  };
}

async function remove(
  { client }: Demo,
  tenant: DemoTenant,
  { route, params, query = {}, body, echo, apply }: Deletion,
): Promise<{ answer: ApiAnswer; problems: string[] }> {
  const answer = await client.send({
    route,
    params: { tenant: tenant.tenantId, ...params },
    query,
    body,
    key: tenant.key,
  });
  apply(tenant.expected);
  const data = { ...echo, deletedAt: TIME_OF_THIS_RUN };
  const problems = answerProblems(answer, 200, { success: true, message: REMOVED_MESSAGES[route], data });
  return { answer, problems: problems.map((problem) => `${tenant.title}: ${problem}`) };
}

/** Deletes a record and sends it anew, without waiting in between; then looks at it. */
async function revive(demo: Demo, { deletion, delivery, find, stored: expected }: Revival): Promise<Row> {
  const [aurora, borealis] = await forBoth(demo, async (tenant) => {
    const removed = await remove(demo, tenant, deletion);
    const delivered = await deliver(demo, tenant, delivery);
    const stored = await storedRecord(demo, tenant, { kind: delivery.kind, find });
    const wrong = stored ? differencesOfNamed(expected, stored) : ['the record is not stored'];
    return {
      statuses: [removed.answer.status, delivered.answer.status],
      problems: [...removed.problems, ...delivered.problems, ...wrong.map((problem) => `${tenant.title}: ${problem}`)],
    };
  });
  return {
    cells: [...aurora.statuses, delivery.title, Object.entries(expected).map(describeField).join(', ')],
    problems: [...aurora.problems, ...borealis.problems],
  };
}

function describeField([field, value]: readonly [string, unknown]): string {
  if (value === null) return `no ${field}`;
  return Array.isArray(value) ? `${value.length} in ${field}` : `${field} ${JSON.stringify(value)}`;
}

/** Compares until nothing differs or the time is up. */
async function waitUntilApplied(demo: Demo): Promise<{ comparisons: Comparison[]; waitedMs: number }> {
  const startedMs = performance.now();
  for (;;) {
    const comparisons = await compareAll(demo);
    const waitedMs = Math.round(performance.now() - startedMs);
    const isApplied = comparisons.every(({ problems }) => problems.length === 0);
    if (isApplied || waitedMs > LONGEST_WAIT_MS) return { comparisons, waitedMs };
    await pause(POLL_MS, demo);
  }
}
