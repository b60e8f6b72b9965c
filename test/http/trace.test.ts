import { call, rowsOf, useRouteService } from './api';
import { HTTP_FUNCTIONS } from '../support/test-service';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OTHER = 'ffffffffffffffffffffffffffffffff';

const service = useRouteService(...HTTP_FUNCTIONS);

describe('the trace id of an answer (Spec §7.2)', () => {
  it.each(rowsOf())('%s has the caller’s', async (_, route) => {
    const caller = await service().createCaller();
    const headers = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, 'x-cloud-trace-context': `${OTHER}/1;o=1` };
    expect((await call(service(), route, caller, { headers })).headers['x-trace-id']).toBe(TRACE);
  });

  it.each([`${TRACE}/123;o=1`, `${TRACE};o=1`, TRACE])(
    'is the platform’s, from X-Cloud-Trace-Context %s',
    async (context) => {
      const { tenantId, key } = await service().createCaller();
      const headers = { 'x-cloud-trace-context': context };
      const answer = await service().request('POST', `/customers/${tenantId}`, { key, json: [{}], headers });
      expect(answer.headers['x-trace-id']).toBe(TRACE);
      expect(answer.json).toMatchObject({ traceId: TRACE });
    },
  );

  it.each(['', 'garbage', `00-${TRACE}`, `00-${TRACE.slice(1)}-b7ad6b7169203331-01`, `00-${TRACE}"><script>-1-01`])(
    'is a new one where traceparent is %p, and the same in the header and the body (R-393)',
    async (traceparent) => {
      const { tenantId, key } = await service().createCaller();
      const send = () =>
        service().request('POST', `/customers/${tenantId}`, { key, json: [{}], headers: { traceparent } });
      const [first, second] = [await send(), await send()];
      expect(first.headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
      expect(first.json).toMatchObject({ traceId: first.headers['x-trace-id'] });
      expect(second.headers['x-trace-id']).not.toBe(first.headers['x-trace-id']);
    },
  );
});
