import { gzipSync } from 'node:zlib';
import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, rowsOf, useRouteService } from '../api';

const LIMIT = 16 * 1024 * 1024;

/** A gigabyte of blanks. */
function gzipBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  return Buffer.concat(Array.from({ length: 16 }, () => member));
}

/** 413 of every route of a function that takes a body (D-33). */
export function describeBodyTooLarge(to: ApiRoute['to']): void {
  const service = useRouteService(to);
  const refusal = envelopeOf(
    to,
    false,
    `The request body must be at most ${LIMIT} bytes, before and after decompression.`,
  );

  let bomb: Buffer;

  beforeAll(() => {
    bomb = gzipBomb();
  });

  describe.each(rowsOf(to, hasBody))('%s', (_, route) => {
    const padded = (tenantId: string, bytes: number) => {
      const json = Buffer.from(JSON.stringify(route.body?.(tenantId)));
      return Buffer.concat([json, Buffer.alloc(bytes - json.length, ' ')]);
    };

    it('takes a body of exactly 16 MiB (D-33)', async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { raw: padded(caller.tenantId, LIMIT) });
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)));
    });

    it.each([
      ['declared by its Content-Length', false],
      ['in chunks of unknown total', true],
    ])('refuses one byte more, %s, and counts the request (D-33)', async (_how, chunked) => {
      const caller = await service().createCaller();
      const before = await service().store.dump();
      const answer = await call(service(), route, caller, { raw: padded(caller.tenantId, LIMIT + 1), chunked });
      expectAnswer(answer, 413, refusal, { remaining: 99 });
      expect(await service().store.dump()).toEqual(before);
    });

    it('answers so although the caller still has as much again to send (D-33)', async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { raw: padded(caller.tenantId, 2 * LIMIT) });
      expectAnswer(answer, 413, refusal);
    });

    it('takes a gzip body that inflates to exactly 16 MiB, and refuses one byte more (D-33)', async () => {
      const caller = await service().createCaller();
      const headers = { 'content-encoding': 'gzip' };
      const fits = await call(service(), route, caller, { raw: gzipSync(padded(caller.tenantId, LIMIT)), headers });
      expect(fits.status).toBe(200);
      const bomb = await call(service(), route, caller, { raw: gzipSync(padded(caller.tenantId, LIMIT + 1)), headers });
      expectAnswer(bomb, 413, refusal);
    });

    it('stops inflating a gzip bomb of a gigabyte at the limit (D-33)', async () => {
      const caller = await service().createCaller();
      const before = process.memoryUsage().rss;
      const answer = await call(service(), route, caller, { raw: bomb, headers: { 'content-encoding': 'gzip' } });
      expectAnswer(answer, 413, refusal);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    });

    it('answers the next request after a refusal (D-33)', async () => {
      const caller = await service().createCaller();
      await call(service(), route, caller, { raw: padded(caller.tenantId, LIMIT + 1) });
      expect((await call(service(), route, caller)).status).toBe(200);
    });
  });
}
