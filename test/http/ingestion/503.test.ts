import { AllRegionsFull } from '../../../shared/transfers/transfer-scheduler';
import { describeOverload } from '../suites/overloaded';
import { call, envelopeOf, expectAnswer, rowsOf, useRouteService } from '../api';

describeOverload('ingestion');

const service = useRouteService('ingestion');

it.each(rowsOf('ingestion', ({ path }) => /register\/(daily|hourly)-transfer/.test(path(''))))(
  '%s is refused with Retry-After, and logged, when no region has room for another job (R-323)',
  async (_, route) => {
    service().scheduler.failure = new AllRegionsFull('None of 2 regions has room for another job.');
    const answer = await call(service(), route, await service().createCaller());
    const message = 'No more transfers can be scheduled at the moment. Please try again later.';
    expectAnswer(answer, 503, envelopeOf('ingestion', false, message), { remaining: 99 });
    expect(answer.headers['retry-after']).toBe('60');
    const logged = { severity: 'ERROR', details: { traceId: answer.headers['x-trace-id'] } };
    expect(service().logger.entries).toMatchObject([
      { ...logged, message: 'No region has room for a recurring transfer; its registration is refused.' },
    ]);
  },
);
