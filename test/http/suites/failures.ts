import type { ApiRoute } from '../api';
import { call, changesSomething, envelopeOf, expectAnswer, rowsOf, useRouteService } from '../api';
import { REQUEST_DEADLINE_MS } from '../../../shared/domain/limits';
import { RetryLater } from '../../../shared/platform/retry-later';

const FAILURE = new Error('The service behind cannot be reached.');

/** 500 of every route of a function (Spec §4.6, §7.1, D-37). */
export function describeFailures(to: ApiRoute['to']): void {
  const service = useRouteService(to);

  describe.each(rowsOf(to))('%s', (_, route) => {
    const failed = envelopeOf(to, false, route.failureMessage);

    it('has its own message when the key cannot be read, and logs the failure (Spec §7.1)', async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ paths }) => paths.some((path) => path.startsWith('apiKeys/'));
      expectAnswer(await call(service(), route, caller), 500, failed, { remaining: 100 });
      expect(service().logger.entries).toMatchObject([
        { severity: 'ERROR', details: { function: to, error: 'Error' } },
      ]);
    });

    it('has its own message when the tenant cannot be read, and counts the request (Spec §7.1)', async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ paths }) => paths.includes(`tenants/${caller.tenantId}`);
      expectAnswer(await call(service(), route, caller), 500, failed, { remaining: 99 });
    });

    it('logs a failure with the trace id that the caller sees (Spec §7.1)', async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ paths }) => paths.includes(`tenants/${caller.tenantId}`);
      const answer = await call(service(), route, caller);
      expect(service().logger.entries).toMatchObject([{ details: { traceId: answer.headers['x-trace-id'] } }]);
    });

    it('recovers: the next request succeeds (Spec §7.1)', async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ method }) => method !== 'increment';
      expect((await call(service(), route, caller)).status).toBe(500);
      service().store.failing = () => false;
      expect((await call(service(), route, caller)).status).toBe(200);
    });
  });

  for (const [title, route] of rowsOf(to, (row) => row.to !== 'ingestion' && changesSomething(row))) {
    it(`${title} has its own message when the database refuses the write (Spec §7.1)`, async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ method }) => method === 'commit' || method === 'writeEach';
      expectAnswer(await call(service(), route, caller), 500, envelopeOf(to, false, route.failureMessage), {
        remaining: 99,
      });
    });
  }

  for (const [title, route] of rowsOf(to)) {
    it(`${title} has its own message when what is behind it fails until its time is over (Spec §7.1)`, async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ paths }) => {
        const isMet = paths.includes(`tenants/${caller.tenantId}`);
        if (isMet) service().clock.advance(REQUEST_DEADLINE_MS);
        return isMet;
      };
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 500, envelopeOf(to, false, route.failureMessage), { remaining: 99 });
    });

    it(`${title} is 503 with Retry-After, and counted, when its time is over before it is finished (R-42)`, async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ paths }) => {
        if (!paths.includes(`tenants/${caller.tenantId}`)) return false;
        throw new RetryLater('There was no time left for a call.');
      };
      const answer = await call(service(), route, caller);
      const message = 'The request could not be finished in time, and a part of it may be done. Please send it again as it is.'; // prettier-ignore
      expectAnswer(answer, 503, envelopeOf(to, false, message), { remaining: 99 });
      expect(answer.headers['retry-after']).toBe('5');
      expect(service().logger.entries).toMatchObject([{ severity: 'WARNING', details: { function: to } }]);
    });
  }

  for (const [title, route] of rowsOf(to, ({ uses }) => uses === 'publisher')) {
    it(`${title} has its own message when the event cannot be published (Spec §7.1)`, async () => {
      const caller = await service().createCaller();
      service().publisher.failure = FAILURE;
      expectAnswer(await call(service(), route, caller), 500, envelopeOf(to, false, route.failureMessage), {
        remaining: 99,
      });
    });
  }

  for (const [title, route] of rowsOf(to, ({ uses }) => uses === 'scheduler')) {
    it(`${title} has its own message when the scheduler fails (Spec §4.6, D-37)`, async () => {
      const caller = await service().createCaller();
      service().scheduler.failure = FAILURE;
      expectAnswer(await call(service(), route, caller), 500, envelopeOf(to, false, route.failureMessage), {
        remaining: 99,
      });
    });
  }
}
