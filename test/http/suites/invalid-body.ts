import { gzipSync } from 'node:zlib';
import type { ApiRoute } from '../api';
import { call, expectProblem, hasBody, rowsOf } from '../api';
import { useTestService } from '../../support/test-service';

const NOT_JSON = 'The request body is not valid JSON.';

/** 400 of bodies that cannot be read or have the wrong top (Spec §7.2, D-32); `shape` is what the function expects. */
export function describeInvalidBody(to: ApiRoute['to'], shape: 'array' | 'object'): void {
  const service = useTestService(to);
  const wrongShape = `The request body must be a JSON ${shape}.`;
  const bodies: readonly (readonly [title: string, body: string | Buffer, message: string])[] = [
    ['an empty body', '', wrongShape],
    ['null', 'null', wrongShape],
    ['a bare number', '42', wrongShape],
    ['a bare text', '"text"', wrongShape],
    ['a boolean', 'true', wrongShape],
    shape === 'array' ? ['an object', '{}', wrongShape] : ['an array', '[]', wrongShape],
    ['an unfinished value', '[{"Email":', NOT_JSON],
    ['a trailing comma', '[1,]', NOT_JSON],
    ['two values', '[] []', NOT_JSON],
    ['single quotes', "[{'Email':'ada@example.com'}]", NOT_JSON],
    ['white space only', ' \n', NOT_JSON],
    ['NaN', '[NaN]', NOT_JSON],
    ['bytes that are no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), NOT_JSON],
    [
      '33 levels of nesting',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      'The request body must be nested at most 32 levels deep.',
    ],
    ['a million open brackets', '['.repeat(1_000_000), 'The request body must be nested at most 32 levels deep.'],
    ['two million values', `[${'0,'.repeat(2_000_000)}0]`, 'The request body must hold at most 2000000 values.'],
  ];

  describe.each(rowsOf(to, hasBody))('%s', (_, route) => {
    it.each(bodies)('refuses %s, and counts the request (D-32)', async (_title, body, message) => {
      const caller = await service().createCaller();
      const before = await service().store.dump();
      const answer = await call(service(), route, caller, { raw: body });
      expectProblem(answer, { '': [message] }, { remaining: 99 });
      expect(await service().store.dump()).toEqual(before);
    });

    it('refuses a request without a body (D-32)', async () => {
      const caller = await service().createCaller();
      const answer = await service().request(route.method, `/${to}${route.path(caller.tenantId)}`, { key: caller.key });
      expectProblem(answer, { '': [wrongShape] });
    });

    it('takes a body with a byte order mark (D-32)', async () => {
      const caller = await service().createCaller();
      const answer = await call(service(), route, caller, {
        raw: `\uFEFF${JSON.stringify(route.body?.(caller.tenantId))}`,
      });
      expect(answer.status).toBe(200);
    });

    it('refuses a declared gzip body that is none, and a truncated one (D-32, D-33)', async () => {
      const caller = await service().createCaller();
      const whole = gzipSync(JSON.stringify(route.body?.(caller.tenantId)));
      for (const raw of ['[]', whole.subarray(0, whole.length - 4)]) {
        const answer = await call(service(), route, caller, { raw, headers: { 'content-encoding': 'gzip' } });
        expectProblem(answer, { '': ['The request body is not valid gzip.'] });
      }
    });
  });
}
