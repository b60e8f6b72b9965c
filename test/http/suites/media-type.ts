import { gzipSync } from 'node:zlib';
import type { ApiRoute } from '../api';
import { call, envelopeOf, expectAnswer, hasBody, rowsOf, useRouteService } from '../api';

const WRONG_TYPES = [
  'text/plain',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/jsonp',
  'application/json; charset=utf-16',
];
const JSON_TYPES = [
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/vnd.ada.v1+json',
  'application/cloudevents+json',
  undefined,
];

/** 415 of every route of a function that takes a body (D-33). */
export function describeMediaType(to: ApiRoute['to']): void {
  const service = useRouteService(to);

  describe.each(rowsOf(to, hasBody))('%s', (_, route) => {
    it('refuses a declared media type that is not JSON in UTF-8, and counts the request (D-33)', async () => {
      const caller = await service().createCaller();
      const before = await service().store.dump();
      for (const [index, type] of WRONG_TYPES.entries()) {
        const answer = await call(service(), route, caller, { headers: { 'content-type': type } });
        const message = 'The Content-Type must be application/json in UTF-8.';
        expectAnswer(answer, 415, envelopeOf(to, false, message), { remaining: 99 - index });
      }
      expect(await service().store.dump()).toEqual(before);
    });

    it.each(JSON_TYPES)('takes a body declared as %s (D-33)', async (type) => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, { headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
    });

    it.each(['br', 'deflate', 'gzip, gzip', 'zstd'])(
      'refuses the content encoding %s and says which it takes (D-33)',
      async (encoding) => {
        const caller = await service().createCaller();
        const answer = await call(service(), route, caller, { headers: { 'content-encoding': encoding } });
        expectAnswer(answer, 415, envelopeOf(to, false, 'The Content-Encoding must be gzip or identity.'));
        expect(answer.headers['accept-encoding']).toBe('gzip, identity');
      },
    );

    it.each(['gzip', 'GZIP', 'x-gzip'])('takes a body of the content encoding %s (D-33)', async (encoding) => {
      const caller = await service().createCaller();
      const raw = gzipSync(JSON.stringify(route.body?.(caller.tenantId)));
      const answer = await call(service(), route, caller, { raw, headers: { 'content-encoding': encoding } });
      expectAnswer(answer, 200, envelopeOf(to, true, route.message, route.data(caller.tenantId)));
    });
  });
}
