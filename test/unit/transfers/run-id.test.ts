/** Ids of runs sort by the time at which the runs were started. */
import fc from 'fast-check';
import { historicalJobId, toTrigger } from '../../../shared/domain/transfer';
import type { TenantId } from '../../../shared/domain/tenant';
import { runIdOf, timedId } from '../../../shared/transfers/runs/run-id';

const TENANT = '11111111-1111-4111-8111-111111111111' as TenantId;
const SECOND = Date.parse('2026-03-01T12:00:30Z');
const suffix = fc.constantFrom('-manual', '-replay', '_preview', '-', '');

it('runs of one second keep their order, whatever they are (R-73)', () => {
  const moment = fc.tuple(fc.integer({ min: 0, max: 999 }), suffix, fc.stringMatching(/^[0-9a-f]{12}$/));
  fc.assert(
    fc.property(moment, moment, ([ms, end, unique], [laterBy, laterEnd, laterUnique]) => {
      const id = timedId(new Date(SECOND + ms), end + unique);
      const later = timedId(new Date(SECOND + ms + 1 + laterBy), laterEnd + laterUnique);
      expect(later > id).toBe(true);
    }),
  );
});

it('the run of a historical transfer has the id that its job was given (R-16)', () => {
  const unique = timedId(new Date(SECOND), 'abc');
  const jobId = historicalJobId(TENANT, unique);
  const trigger = toTrigger('historical', TENANT, jobId, { TenantId: TENANT, BucketName: 'b' });
  expect(runIdOf(trigger, { messageId: '1', publishedAt: new Date(SECOND) })).toBe('20260301120030000abc');
});
