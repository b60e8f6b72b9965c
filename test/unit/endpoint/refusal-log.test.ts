/** Which refused requests are logged, and with what. */
import { customerSchema } from '../../../shared/domain/dto/customer';
import { productSchema } from '../../../shared/domain/dto/product';
import type { Refusal } from '../../../shared/endpoint/refusal-log';
import { RefusalLog, toLoggablePath } from '../../../shared/endpoint/refusal-log';
import { MAX_LOGGED_PATH_LENGTH, MAX_LOGGED_PATHS, REFUSALS_LOGGED_A_MINUTE } from '../../../shared/limits/usage';
import { FixedClock } from '../../support/fixed-clock';
import { CollectingLogger } from '../../support/recording-fakes';
import { TRACE } from '../../support/traces';

const MINUTE_MS = 60_000;

function aLog() {
  const clock = new FixedClock();
  const logger = new CollectingLogger();
  const log = new RefusalLog('customers', logger, clock);
  const refuse = (changes: Partial<Refusal> = {}) =>
    log.add({
      status: 400,
      route: 'POST /:tenantId',
      ...TRACE,
      keyId: 'key-1',
      tenantId: 'tenant-1',
      isOwnTenant: true,
      paths: [],
      ...changes,
    });
  return { clock, logger, refuse, lines: () => logger.entries.map(({ details }) => details) };
}

it('has tenant, key, status, route, trace and paths of a refusal (R-184)', () => {
  const { logger, refuse } = aLog();
  refuse({ paths: ['[0].Email', '[1].Name'] });
  const { details, ...entry } = logger.entries[0]!;
  expect(entry).toEqual({ severity: 'INFO', message: 'A request was refused.' });
  expect(details).toEqual({
    function: 'customers',
    status: 400,
    route: 'POST /:tenantId',
    ...TRACE,
    keyId: 'key-1',
    tenantId: 'tenant-1',
    paths: '[0].Email [1].Name',
  });
});

it('has some statuses and no other ones (R-184)', () => {
  const { refuse, lines } = aLog();
  const statuses = [200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 503];
  for (const status of statuses) refuse({ status, keyId: `key-${status}` });
  expect(lines().map(({ status }) => status)).toEqual([400, 401, 403, 404, 413, 415]);
});

it('has the first ones of a flood, and of the others so many lines that their number can be told (R-184)', () => {
  const { clock, refuse, lines } = aLog();
  for (let n = 1; n <= 1_234; n += 1) refuse({ traceId: String(n) });
  clock.advance(MINUTE_MS);
  refuse({ traceId: 'next' });
  expect(lines().map(({ traceId, notLogged = 0 }) => [traceId, notLogged])).toEqual([
    ...['1', '2', '3', '4', '5'].map((traceId) => [traceId, 0]),
    ['10', 4],
    ['100', 89],
    ['1000', 899],
    ['next', 234],
  ]);
});

it('tells keys and tenants apart: the flood of one hides nothing of another (R-184)', () => {
  const { refuse, lines } = aLog();
  for (let n = 0; n < 50; n += 1) refuse();
  const before = lines().length;
  refuse({ keyId: 'key-2' });
  refuse({ tenantId: 'tenant-2' });
  refuse({ keyId: undefined, isOwnTenant: false });
  expect(lines()).toHaveLength(before + 3);
});

it('takes tenants that are not the key’s own for one: their ids are drawn by the caller (R-184)', () => {
  const { refuse, lines } = aLog();
  for (let n = 0; n < 99; n += 1) refuse({ tenantId: `drawn-${n}`, isOwnTenant: false, status: 404 });
  expect(lines()).toHaveLength(6);
  expect(lines()[5]).toMatchObject({ tenantId: 'drawn-9', notLogged: 4 });
});

it('is bounded over all keys, in each minute (R-184)', () => {
  const { clock, refuse, lines } = aLog();
  const keys = 2 * REFUSALS_LOGGED_A_MINUTE;
  for (let n = 0; n < keys; n += 1) refuse({ keyId: `key-${n}` });
  expect(lines()).toHaveLength(REFUSALS_LOGGED_A_MINUTE);
  clock.advance(MINUTE_MS);
  refuse({ keyId: `key-${keys - 1}` });
  expect(lines().at(-1)).toMatchObject({ keyId: `key-${keys - 1}`, notLogged: 1 });
});

it('has so many paths, and how many more there are (R-184)', () => {
  const { refuse, lines } = aLog();
  refuse({ paths: Array.from({ length: MAX_LOGGED_PATHS + 5 }, (_, n) => `[${n}].Email`) });
  expect(lines()[0]).toMatchObject({ omittedPaths: 5 });
  expect(String(lines()[0]!.paths).split(' ')).toHaveLength(MAX_LOGGED_PATHS);
});

describe('a path', () => {
  it.each([
    ['', 'body'],
    ['[3].Email', '[3].Email'],
    ['[12].GdprOptin', '[12].GdprOptin'],
    ['Email', 'Email'],
    ['[0].ann@example.com', '[0].*.*'],
    ['[0].Ann', '[0].*'],
    ['[0].Email.Ann', '[0].Email.*'],
    ['[0]["Ann"].Email', '[0].*.Email'],
    ['[99999999999].Email', '.*.Email'.slice(1)],
    ['__proto__.constructor', '*.*'],
    ['[0].Email\n{"severity":"ERROR"}', '[0].*'],
  ])('%j is logged as %s: names of the schema and indexes alone (R-184)', (path, logged) => {
    expect(toLoggablePath(path, customerSchema)).toBe(logged);
  });

  it('of a part of a record is logged, too (R-184)', () => {
    expect(toLoggablePath('[3].ProductVariants[1].Sku', productSchema)).toBe('[3].ProductVariants[1].Sku');
  });

  it('is cut (R-184)', () => {
    const path = `[0]${'.Email'.repeat(10_000)}`;
    expect(toLoggablePath(path, customerSchema)).toHaveLength(MAX_LOGGED_PATH_LENGTH);
  });
});
