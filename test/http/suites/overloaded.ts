import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_REQUESTS_IN_FLIGHT } from '../../../shared/domain/limits';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, ROUTES, rowsOf } from '../api';

const POLL_MS = 5;

/** 503 of every route of a function. */
export function describeOverload(to: ApiRoute['to']): void {
  const service = useTestService(to);
  const refusal = envelopeOf(to, false, 'The service is overloaded. Please try again later.');
  const uploads: Socket[] = [];
  afterEach(() => {
    for (const upload of uploads.splice(0)) upload.destroy();
  });

  /** Begins requests whose bodies do not arrive, and waits until the function works on all of them. */
  async function occupy(count: number, { tenantId, key }: Caller): Promise<void> {
    const { method, path } = ROUTES.find((route) => route.to === to && hasBody(route))!;
    service().store.calls.length = 0;
    for (let upload = 0; upload < count; upload += 1) {
      const socket = connect(service().portOf(to), '127.0.0.1');
      socket.write(
        `${method} ${path(tenantId)} HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Key: ${key}\r\nContent-Length: 9\r\n\r\n`,
      );
      uploads.push(socket);
    }
    while (service().store.writes.length < count) await sleep(POLL_MS); // each is counted before its body is read
  }

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('is refused beyond the requests in flight, at once, uncounted and unread (R-12)', async () => {
      const busy = await service().createCaller({ requestsPerMinute: 1_000 });
      const caller = await service().createCaller();
      await occupy(MAX_REQUESTS_IN_FLIGHT, busy);
      service().store.calls.length = 0;
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 503, refusal, { remaining: 100 });
      expect(answer.headers['retry-after']).toBe('1');
      expectAnswer(await call(service(), route, { ...caller, key: service().unknownKey() }), 503, refusal);
      expect(service().store.calls).toEqual([]);
    });

    it('is served up to the requests in flight, and again when one of them has ended (R-12)', async () => {
      const busy = await service().createCaller({ requestsPerMinute: 1_000 });
      const caller = await service().createCaller();
      await occupy(MAX_REQUESTS_IN_FLIGHT - 1, busy);
      expect((await call(service(), route, caller)).status).toBe(200);
      await occupy(1, busy);
      expect((await call(service(), route, caller)).status).toBe(503);
      uploads.pop()!.destroy();
      let answer = await call(service(), route, caller);
      while (answer.status === 503) answer = await call(service(), route, caller);
      expect(answer.status).toBe(200);
    });
  });

  it('answers unknown routes and methods as ever (D-34)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    await occupy(MAX_REQUESTS_IN_FLIGHT, caller);
    expect((await service().request('POST', '/no/such/route/anywhere', { to })).status).toBe(404);
  });
}
