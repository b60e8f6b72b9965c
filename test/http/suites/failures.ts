import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, rowsOf } from '../api';
import { useTestService } from '../../support/test-service';

const FAILURE = new Error('The service behind cannot be reached.');

/** 500 of every route of a function (Spec §4.6, §7.1, D-37). */
export function describeFailures(to: ApiRoute['to']): void {
  const service = useTestService(to);

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

  for (const [title, route] of rowsOf(to, ({ to: name }) => name !== 'ingestion')) {
    it(`${title} has its own message when the database refuses the write (Spec §7.1)`, async () => {
      const caller = await service().createCaller();
      service().store.failing = ({ method }) => method === 'commit' || method === 'writeEach';
      expectAnswer(await call(service(), route, caller), 500, envelopeOf(to, false, route.failureMessage), {
        remaining: 99,
      });
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
