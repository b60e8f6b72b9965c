/**
 * Promise: work is linear in the bytes that are sent and the bytes that are stored of the records that are named,
 * whatever repeats. Each input names the defect that it was made for.
 */
import { stepCounter } from './growth/step-counter'; // before the code whose steps it counts
import { costsOf, describeCosts, excessesOf } from './growth/cost';
import { PUSH_INPUTS } from './growth/push-inputs';
import { ROUTE_INPUTS } from './growth/route-inputs';
import { UPSERT_INPUTS } from './growth/upsert-inputs';
import { report } from './tier';

afterAll(() => stepCounter.stop());

it.each([...UPSERT_INPUTS, ...ROUTE_INPUTS, ...PUSH_INPUTS])('$name', async ({ name, size, prepare }) => {
  const costs = await costsOf(prepare, size, stepCounter);
  const excesses = excessesOf(costs);
  report(`work is linear: ${name}`, costs.length, excesses.length, describeCosts(costs));
  expect(excesses).toEqual([]);
});
