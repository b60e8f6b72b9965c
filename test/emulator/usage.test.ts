/** Counters of usage in the real database, written as a deployed function does. */
import { randomUUID } from 'node:crypto';
import { apiKeyPath } from '../../shared/documents/paths';
import { hashApiKey } from '../../shared/domain/api-key';
import { fromKeyDocument } from '../../shared/auth/tenant-documents';
import { createKey } from '../../shared/operations/keys';
import { showUsage, sumAllUsage } from '../../shared/operations/usage';
import { UsageCounters } from '../../shared/usage/usage-counters';
import { FixedClock } from '../support/fixed-clock';
import type { EmulatorOperator } from '../support/emulator-operator';
import { connectToEmulator } from '../support/emulator-operator';
import { keysOf } from '../support/keys-of';
import { CollectingLogger } from '../support/recording-fakes';

const INSTANCES = 4;
const REQUESTS = 25;

let operator: EmulatorOperator;
beforeAll(() => {
  operator = connectToEmulator();
});
afterAll(() => operator.close());

it('are what instances have counted together, and the hour of the key’s last use (R-180, R-182)', async () => {
  const { tenantId, organizationId } = await operator.createTenant({ organization: `org-${randomUUID()}` });
  const { key: text } = await createKey({ organization: organizationId }, operator);
  const hash = hashApiKey(text)!;
  const stored = await operator.store.get(apiKeyPath(hash), operator.deadline());
  const key = fromKeyDocument(hash, stored!.data);
  const clock = new FixedClock(operator.clock.nowMs());
  const logger = new CollectingLogger();
  await Promise.all(
    Array.from({ length: INSTANCES }, async () => {
      const counters = new UsageCounters({ ...operator, clock, logger });
      for (let n = 0; n < REQUESTS; n += 1) {
        const counts = { requests: 1, records: 3 };
        counters.count({ key, tenantId, route: 'upsertOrders', begunMs: clock.nowMs(), counts });
        if (n % 10 === 0) await counters.store(operator.deadline());
      }
      await counters.store(operator.deadline());
    }),
  );
  expect(logger.entries).toEqual([]);
  const totals = { requests: INSTANCES * REQUESTS, records: 3 * INSTANCES * REQUESTS };
  expect(await showUsage(tenantId, {}, operator)).toMatchObject({ totals, routes: [{ route: 'upsertOrders' }] });
  const [shown] = await keysOf(organizationId, operator);
  expect(shown?.lastUsedAt).toMatch(/T\d\d:00:00\.000Z$/);
  const { top } = await sumAllUsage({ top: 1_000 }, operator);
  expect(top.requests.find((one) => one.tenantId === tenantId)).toMatchObject(totals);
});
