/**
 * Promise: whatever id a deletion names, it is answered, and its tenant goes on: the next upsert is stored, the next
 * deletion is applied, nothing stays pending and nothing has to be set aside.
 */
import * as fc from 'fast-check';
import { HTTP_FUNCTIONS, useTestService } from '../support/test-service';
import { probeDeletion } from './hostile/deletion-probe';
import { drawnDeletion } from './hostile/drawn-deletion';
import { FAULTS_SEED, ofTier, report } from './tier';

const CASES = ofTier(300, 20_000);

const service = useTestService(...HTTP_FUNCTIONS);
afterEach(() => jest.restoreAllMocks());

it('no id of a deletion harms its tenant, whatever its length and alphabet (R-32)', async () => {
  const to = service();
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(drawnDeletion, fc.boolean(), fc.boolean(), async (sent, isDelivered, isBatch) => {
    const status = await probeDeletion(to, sent, isDelivered, isBatch);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns: CASES, seed: FAULTS_SEED });
  const seen = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  report('no id of a deletion harms its tenant', CASES, 0, seen);
  expect(statuses.get(200)).toBeGreaterThan(CASES / 2);
});
