/** Promise: the work of a file is linear in its bytes and in those stored of the records that it names. */
import { stepCounter } from './growth/step-counter'; // before the code whose steps it counts
import { costsOf, describeCosts, excessesOf } from './growth/cost';
import { FILE_INPUTS } from './growth/file-inputs';
import { RUN_INPUTS } from './growth/run-inputs';
import { report } from './tier';

afterAll(() => stepCounter.stop());

it.each([...FILE_INPUTS, ...RUN_INPUTS])('$name', async ({ name, size, prepare }) => {
  const costs = await costsOf(prepare, size, stepCounter);
  const excesses = excessesOf(costs);
  report(`work is linear: ${name}`, costs.length, excesses.length, describeCosts(costs));
  expect(excesses).toEqual([]);
});
