/** Runs that wait for their minute, in the real database: those that are due are found, and begin once. */
import { RUNS, runPath } from '../../shared/documents/paths';
import { beginDueRuns } from '../../shared/transfers/runs/waiting/begin-due-runs';
import { fromRunDocument, toRunDocument } from '../../shared/transfers/runs/run';
import { timedId } from '../../shared/transfers/runs/run-id';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { aRunningRun } from '../support/stored-run';

const TENANT = '11111111-1111-4111-8111-111111111111';
const DUE = 310;

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

it('begins all runs that are due, page by page, and nothing else of them changes (R-373)', async () => {
  const nowMs = operator.clock.nowMs();
  const put = (index: number, startedAt: Date) => {
    const run = { ...aRunningRun(TENANT), startedAt, begins: 'later' } as const;
    return { set: runPath(timedId(startedAt, `-${index}`)), data: toRunDocument(run) };
  };
  const due = Array.from({ length: DUE }, (_, index) => put(index, new Date(nowMs - index)));
  const later = put(DUE, new Date(nowMs + 600_000));
  await operator.store.writeEach([...due, later], operator.deadline());
  const published: object[] = [];
  const publisher = { publish: (_topic: string, event: object) => Promise.resolve(void published.push(event)) };
  const begin = () => beginDueRuns(operator.deadline(), { ...operator, publisher, transfersTopic: 'transfers' });

  expect(await begin()).toBe(true);
  expect(await begin()).toBe(true);
  expect(published).toHaveLength(DUE);
  expect(new Set(published.map((event) => (event as { runId: string }).runId)).size).toBe(DUE);
  const waiting = await operator.store.findWhere(RUNS, 'begins', 'later', { limit: 10 }, operator.deadline());
  expect(waiting.map(({ path }) => path)).toEqual([later.set]);
  const begun = await operator.store.get(due[0]!.set, operator.deadline());
  expect(fromRunDocument(begun!)).toEqual({ ...due[0]!.data, begins: undefined });
});
