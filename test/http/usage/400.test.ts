import { MAX_USAGE_DOCUMENTS } from '../../../shared/limits/usage';
import { NO_USAGE } from '../../../shared/domain/usage';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { envelopeOf, expectAnswer } from '../api';
import { describeInvalidTenant } from '../suites/invalid-tenant';
import { useTestService } from '../../support/test-service';

describeInvalidTenant('usage');

const service = useTestService('usage');
const refusal = (message: string) => envelopeOf('usage', false, message);

async function refused(query: string) {
  const { tenantId, key } = await service().createCaller();
  return service().request('GET', `/usage/${tenantId}?${query}`, { key });
}

describe('GET /usage/<tenant_id>', () => {
  const noTime = (name: string) =>
    refusal(`The query parameter ${name} must be a day or time such as 2026-03-01 or 2026-03-01T10:00:00Z.`);

  it.each([
    'yesterday',
    '2026-02-30',
    '2026-03-01T24:00:00Z',
    '1767225600',
    '20260301',
    '2026-03-01T10:00:00Z/PT1H',
    "2026-03-01'",
    '0000-01-01',
    '-1',
    'x'.repeat(5_000),
    '%00',
    '../../apiKeys',
    '__proto__',
  ])('refuses %j as a time, and counts the request (R-183)', async (text) => {
    expectAnswer(await refused(`from=${text}`), 400, noTime('from'), { remaining: 99 });
    expectAnswer(await refused(`to=${text}`), 400, noTime('to'), { remaining: 99 });
  });

  it.each([
    'from=2026-03-01&to=2026-03-01',
    'from=2026-03-02&to=2026-03-01',
    'from=2026-03-01T12:00:31Z',
    'from=2030-01-01&to=2031-01-01',
    'to=0001-01-01',
  ])('refuses a time that has passed before it begins, or has not come: %s (R-183)', async (query) => {
    expectAnswer(await refused(query), 400, refusal('The query parameter from must be before to, and before now.'));
  });

  it.each(['from=2025-11-01', 'from=0001-01-01', 'from=2025-01-01&to=2025-04-02'])(
    'refuses more than is kept: %s (R-183)',
    async (query) => {
      expectAnswer(await refused(query), 400, refusal('The query parameter from must be at most 90 days before to.'));
    },
  );

  it.each([
    ['from=2026-03-01&from=2026-02-28', 'The query parameter from must be given once.'],
    ['to=%E0%A4%A', 'The URL contains a malformed percent-encoding.'],
  ])('refuses %s (D-45)', async (query, message) => {
    expectAnswer(await refused(query), 400, refusal(message));
  });

  it('reads no more counters than an answer may, and says that a shorter time is needed (R-183)', async () => {
    const { tenantId, key } = await service().createCaller();
    const hourMs = Date.parse('2026-02-28T10:00:00Z');
    const usage = [{ hourMs, keyId: 'key', route: 'upsertOrders', counts: { ...NO_USAGE, requests: 1 } }];
    const writes = Array.from({ length: MAX_USAGE_DOCUMENTS }, (_, n) => toUsageWrite(tenantId, `i${n}`, usage));
    await service().store.writeEach(writes, service().deadline());
    const ask = (from: string) => service().request('GET', `/usage/${tenantId}?from=${from}`, { key });
    const message = 'The range has too many counters for one answer. Please ask for a shorter one.';
    expectAnswer(await ask('2026-02-27'), 400, refusal(message));
    expect((await ask('2026-03-01')).status).toBe(200);
  });
});
