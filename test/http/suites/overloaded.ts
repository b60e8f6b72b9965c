import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashApiKey } from '../../../shared/domain/api-key';
import {
  MAX_BODIES_ARRIVING_OF_KEY,
  MAX_COUNTED_SINGLY,
  MAX_REQUESTS_IN_FLIGHT,
  MAX_REQUESTS_OF_KEY,
} from '../../../shared/limits/requests';
import type { Caller } from '../../support/test-service';
import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, ROUTES, rowsOf, useRouteService } from '../api';

const POLL_MS = 5;

/** 503 of every route of a function. */
export function describeOverload(to: ApiRoute['to']): void {
  const service = useRouteService(to);
  const refusal = envelopeOf(to, false, 'The service is overloaded. Please try again later.');
  const uploads: Socket[] = [];
  afterEach(() => {
    for (const upload of uploads.splice(0)) upload.destroy();
    jest.restoreAllMocks();
  });

  /** Callers whose requests are held while they are counted. */
  function holdSome(callers: readonly Caller[]) {
    const held: (() => void)[] = [];
    const { admissionStore } = service();
    const count = admissionStore.countRequest.bind(admissionStore);
    const hashes = callers.map(({ key }) => hashApiKey(key));
    jest.spyOn(admissionStore, 'countRequest').mockImplementation((hash, minute) => {
      if (hashes.includes(hash)) return new Promise((resolve) => held.push(() => resolve(1)));
      return count(hash, minute);
    });
    /** Has the function work on as many more requests, of all callers in turn. */
    const occupy = async (more: number) => {
      const { length } = held;
      const route = ROUTES.find((one) => one.to === to)!;
      for (let number = 0; number < more; number += 1) {
        void call(service(), route, callers[number % callers.length]!).catch(() => undefined);
      }
      while (held.length < length + more) await sleep(POLL_MS);
      service().store.calls.length = 0;
    };
    return { held, occupy };
  }

  const someCallers = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => service().createCaller({ requestsPerMinute: MAX_COUNTED_SINGLY })));

  /** Begins requests whose bodies do not arrive, and waits until each was counted. */
  async function sendNoBodies(count: number, { tenantId, key }: Caller): Promise<void> {
    const { method, path } = ROUTES.find((route) => route.to === to && hasBody(route))!;
    service().store.calls.length = 0;
    for (let upload = 0; upload < count; upload += 1) {
      const socket = connect(service().portOf(to), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `${method} ${path(tenantId)} HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Key: ${key}\r\nContent-Length: 9\r\n\r\n[`,
      );
      uploads.push(socket);
    }
    while (service().store.writes.length < count) await sleep(POLL_MS);
  }

  describe.each(rowsOf(to))('%s', (_, route) => {
    it('is refused beyond the requests in flight, at once, uncounted and unread (R-12)', async () => {
      const { occupy } = holdSome(await someCallers(2));
      const caller = await service().createCaller();
      await occupy(MAX_REQUESTS_IN_FLIGHT);
      const answer = await call(service(), route, caller);
      expectAnswer(answer, 503, refusal, { remaining: 100 });
      expect(answer.headers['retry-after']).toBe('1');
      expectAnswer(await call(service(), route, { ...caller, key: service().unknownKey() }), 503, refusal);
      expect(service().store.calls).toEqual([]);
    });

    it('is served up to the requests in flight, and again when one of them has ended (R-12)', async () => {
      const { held, occupy } = holdSome(await someCallers(2));
      const caller = await service().createCaller();
      await occupy(MAX_REQUESTS_IN_FLIGHT - 1);
      expect((await call(service(), route, caller)).status).toBe(200);
      await occupy(1);
      expect((await call(service(), route, caller)).status).toBe(503);
      held[0]!();
      let answer = await call(service(), route, caller);
      while (answer.status === 503) answer = await call(service(), route, caller);
      expect(answer.status).toBe(200);
    });

    it('is served while another key has all that one key may have, and the answer to that key has its limit (R-12, R-44)', async () => {
      const [busy] = await someCallers(1);
      const { occupy } = holdSome([busy!]);
      await occupy(MAX_REQUESTS_OF_KEY);
      const remaining = MAX_COUNTED_SINGLY - MAX_REQUESTS_OF_KEY;
      expectAnswer(await call(service(), route, busy!), 503, refusal, { limit: MAX_COUNTED_SINGLY, remaining });
      expect(service().store.calls).toEqual([]);
      expect((await call(service(), route, await service().createCaller())).status).toBe(200);
    });

    if (rowsOf(to, hasBody).length === 0) return;
    it('is served while bodies of another key never come, however many (R-12)', async () => {
      const [silent] = await someCallers(1);
      await sendNoBodies(MAX_BODIES_ARRIVING_OF_KEY + 10, silent!);
      expect((await call(service(), route, await service().createCaller())).status).toBe(200);
      if (!hasBody(route)) return;
      expectAnswer(await call(service(), route, silent!), 503, refusal, { limit: MAX_COUNTED_SINGLY });
    });
  });

  it('answers unknown routes and methods as ever (D-34)', async () => {
    const { occupy } = holdSome(await someCallers(2));
    await occupy(MAX_REQUESTS_IN_FLIGHT);
    expect((await service().request('POST', '/no/such/route/anywhere', { to })).status).toBe(404);
  });
}
