import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, RESET, rowsOf, SECONDS_TO_RESET, useRouteService } from '../api';

/** 429 of every route of a function (Spec §8, D-34 to D-36). */
export function describeRateLimit(to: ApiRoute['to']): void {
  const service = useRouteService(to);
  const refusal = (seconds: number) =>
    envelopeOf(to, false, `Rate limit exceeded. Please try again in ${seconds} seconds.`, { retryAfter: seconds });

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('refuses a request above the key’s limit, says the wait and changes nothing (Spec §8)', async () => {
      const caller = await service().createCaller({ requestsPerMinute: 2 });
      expect((await call(service(), route, caller)).headers['x-ratelimit-remaining']).toBe('1');
      expect((await call(service(), route, caller)).headers['x-ratelimit-remaining']).toBe('0');
      const [before, published] = [await service().store.dump(), service().publisher.published.length];
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 429, refusal(SECONDS_TO_RESET), { limit: 2, remaining: 0 });
      expect(answer.headers['retry-after']).toBe(String(SECONDS_TO_RESET));
      expect(await service().store.dump()).toEqual(before);
      expect(service().publisher.published).toHaveLength(published);
    });

    it('lets the key through again in the next minute (D-36)', async () => {
      const caller = await service().createCaller({ requestsPerMinute: 1 });
      await call(service(), route, caller);
      expect((await call(service(), route, caller)).status).toBe(429);
      service().clock.advance(SECONDS_TO_RESET * 1000);
      const answer = await call(service(), route, caller);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(RESET + 60) });
    });

    it('says a wait of at least one second at the end of the minute (Spec §8)', async () => {
      const caller = await service().createCaller({ requestsPerMinute: 1 });
      service().clock.advance(29_999);
      await call(service(), route, caller);
      expectAnswer(await call(service(), route, caller), 429, refusal(1), { limit: 1, remaining: 0 });
    });

    it('refuses before it looks at the tenant or the body (D-34)', async () => {
      const caller = await service().createCaller({ requestsPerMinute: 1, permissions: [] });
      await call(service(), route, caller);
      const answer = await call(service(), route, caller, {
        tenant: 'no-guid',
        ...(hasBody(route) && { raw: '{"not":' }),
      });
      expectAnswer(answer, 429, refusal(SECONDS_TO_RESET), { limit: 1, remaining: 0 });
    });
  });
}
