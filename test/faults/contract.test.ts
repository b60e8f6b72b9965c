/**
 * Promise: the document and the code say the same. Requests are drawn from `openapi.json`, as it allows them and with a
 * mistake. One that it allows is refused as malformed only for a rule that it names in words; one that it does not
 * allow is no success; no answer is a 5xx; each answer is as documented.
 */
import * as fc from 'fast-check';
import { CONTRACT } from '../support/conformance/contract';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { ContractProbe } from './contract/contract-probe';
import { callsOf } from './contract/drawn-call';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES_OF_OPERATION = ofTier(50, 2_000);

const service = useTestService(...HTTP_FUNCTIONS);

it('takes and refuses what openapi.json says, and answers as it says (R-147)', async () => {
  const { operations } = CONTRACT;
  const probe = new ContractProbe(service(), CONTRACT);
  for (const described of operations) {
    const property = fc.asyncProperty(callsOf(CONTRACT, described), (call) => probe.send(described, call));
    await fc.assert(property, { numRuns: CASES_OF_OPERATION, seed: FAULTS_SEED });
  }
  probe.close();
  const { outcomes } = probe;
  const count = (isAllowed: boolean, isMeant: (status: number) => boolean) =>
    outcomes.filter((one) => one.isAllowed === isAllowed && isMeant(one.status)).length;
  const done = count(true, (status) => status === 200);
  const byRule = count(true, (status) => status === 400);
  const refused = count(false, (status) => status >= 400);
  report(
    'requests drawn from openapi.json get what it says',
    operations.length * CASES_OF_OPERATION,
    0,
    `${operations.length} operations, ${done} allowed and done, ${byRule} refused by a rule in words, ` +
      `${refused} with a mistake refused`,
  );
  // Every operation was done, and has refused mistakes.
  const has = (id: string, isAllowed: boolean, isMeant: (status: number) => boolean) =>
    outcomes.some((one) => one.operationId === id && one.isAllowed === isAllowed && isMeant(one.status));
  const untried = operations
    .map(({ operation }) => operation.operationId)
    .filter((id) => !has(id, true, (status) => status === 200) || !has(id, false, (status) => status >= 400));
  expect(untried).toEqual([]);
  expect(byRule).toBeGreaterThan(0);
});
