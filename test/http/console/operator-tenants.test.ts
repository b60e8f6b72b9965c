/** What operators alone do with tenants in their console. */
import { tenantPath } from '../../../shared/documents/paths';
import { listAudit } from '../../../shared/operations/audit';
import { requireTenant } from '../../../shared/operations/tenants';
import type { Received } from '../../support/http-exchange';
import { eraserOn } from '../../support/memory-eraser';
import { operatorOn } from '../../support/memory-operator';
import { OperatorVisitor } from '../../support/operator-visitor';
import { useTestService } from '../../support/test-service';
import { problemOf } from '../api';

const service = useTestService('console');

const STALE_MS = 16 * 60_000;
const ROOT = '/console/management/tenants';

let visitor: OperatorVisitor;
beforeEach(async () => {
  const { publisher } = service();
  visitor = await OperatorVisitor.opened(service(), (operator) => eraserOn({ ...operator, publisher }));
});
afterEach(() => visitor.close());

const dataOf = ({ json }: Received) => (json as { data: Record<string, unknown> }).data;
const operator = () => operatorOn(service().store, service());
const create = (lines: unknown) => visitor.request('POST', ROOT, { json: { lines } });

describe('finding tenants', () => {
  it('is by id, name and organization, with their states (R-346)', async () => {
    const { tenantId, organizationId } = await service().createCaller();
    await create([{ line: 1, values: { organizationId: 'acme', displayName: 'Ada Shop' } }]);
    const found = async (search: string) =>
      dataOf(await visitor.request('GET', `${ROOT}?search=${encodeURIComponent(search)}`)).tenants;
    expect(await found('ada')).toMatchObject([{ organizationId: 'acme', displayName: 'Ada Shop', state: 'active' }]);
    expect(await found(tenantId.slice(0, 8))).toMatchObject([{ tenantId }]);
    expect(await found(organizationId)).toMatchObject([{ tenantId }]);
    await visitor.request('POST', `${ROOT}/${tenantId}/suspend`);
    expect(await found(tenantId)).toMatchObject([{ state: 'suspended' }]);
  });

  it.each(['', '?search=', `?search=${'x'.repeat(101)}`])('is 400 at its field for %j', async (query) => {
    const answer = await visitor.request('GET', `${ROOT}${query}`);
    expect(answer.status).toBe(400);
    expect(Object.keys((answer.json as { errors: object }).errors)).toEqual(['search']);
  });
});

describe('creating tenants', () => {
  it('answers each line, and a repeat creates nothing (R-343)', async () => {
    const lines = [
      { line: 2, values: { organizationId: 'acme', displayName: 'One', requiredFields: 'Language,GdprOptin' } },
      { line: 3, values: { organizationId: 'acme' } },
      { line: 4, values: { organizationId: 'acme', displayName: '<b>Two</b>', customerIdentifier: 'phone' } },
      { line: 5, values: [] },
    ];
    const answer = await create(lines);
    expect(answer.status).toBe(200);
    expect(dataOf(answer).answers).toMatchObject([
      { line: 2, outcome: 'created', reason: null },
      { line: 3, outcome: 'refused', reason: 'tenantId or displayName is needed, so that a repeat finds the tenant.' },
      { line: 4, outcome: 'refused', reason: 'customerIdentifier must be one of email, customerid; it is "phone".' },
      { line: 5, outcome: 'refused', reason: 'The line must be an object.' },
    ]);
    const [{ tenantId }] = dataOf(answer).answers as [{ tenantId: string }];
    expect(await requireTenant(tenantId, operator())).toMatchObject({ requiredFields: ['Language', 'GdprOptin'] });
    expect(dataOf(await create(lines.slice(0, 1))).answers).toMatchObject([{ outcome: 'present', tenantId }]);
  });

  it.each([
    undefined,
    [],
    5,
    [5],
    [{ line: 'x', values: {} }],
    [{ line: 1 }],
    Array.from({ length: 51 }, (_, line) => ({ line, values: {} })),
  ])('is 400 at the lines for %j', async (lines) => {
    const answer = await create(lines);
    expect(answer.status).toBe(400);
    const message = 'lines must be a list of 1 to 50 lines with their numbers and values.';
    expect(answer.json).toEqual(problemOf(answer, { lines: [message] }));
  });
});

describe('settings', () => {
  it('have a display name and a topic, too, for operators (R-340)', async () => {
    const { tenantId } = await service().createCaller();
    const change = (json: object) => visitor.request('POST', `${ROOT}/${tenantId}`, { json });
    const json = {
      displayName: '<script>',
      notifyTopic: 'projects/their-project/topics/ends',
      orderCustomer: 'customerid',
    };
    expect(dataOf(await change(json))).toMatchObject({ ...json, rekeying: { state: 'due' } });
    const answer = await change({ notifyTopic: 'x' });
    expect(answer.status).toBe(400);
    expect(Object.keys((answer.json as { errors: object }).errors)).toEqual(['notifyTopic']);
    expect(dataOf(await change({ displayName: null, notifyTopic: '' }))).toMatchObject({
      displayName: null,
      notifyTopic: null,
    });
    expect(dataOf(await visitor.request('POST', `${ROOT}/${tenantId}/rekey`))).toMatchObject({ state: 'complete' });
  });
});

it('suspends and resumes a tenant; both are repeated without harm (R-210)', async () => {
  const { tenantId } = await service().createCaller();
  const post = (act: string) => visitor.request('POST', `${ROOT}/${tenantId}/${act}`);
  const since = dataOf(await post('suspend'));
  expect(dataOf(await post('suspend'))).toEqual(since);
  expect(dataOf(await visitor.request('GET', `${ROOT}/${tenantId}`))).toMatchObject(since);
  expect((await post('resume')).status).toBe(200);
  expect((await post('resume')).status).toBe(200);
  expect(dataOf(await visitor.request('GET', `${ROOT}/${tenantId}`))).toMatchObject({ suspendedSince: null });
  const { entries } = await listAudit({ tenant: tenantId }, operator());
  expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toContain('tenants.suspend done');
});

describe('erasing (R-344)', () => {
  it('says what would be removed, and changes nothing by that', async () => {
    const { tenantId } = await service().createCaller();
    const before = await service().store.dump();
    const { documents, ...report } = dataOf(await visitor.request('GET', `${ROOT}/${tenantId}/erasure`));
    expect(report).toMatchObject({ state: 'stored' });
    expect(documents).toMatchObject({ tenants: 1, transferRuns: expect.any(Number) as unknown });
    expect(await service().store.dump()).toEqual(before);
  });

  it('removes step by step, is resumed, and is over once nothing can be under way any more', async () => {
    const { tenantId } = await service().createCaller();
    const erase = async () => dataOf(await visitor.request('POST', `${ROOT}/${tenantId}/erasure`));
    expect(await erase()).toMatchObject({ state: 'beingErased' });
    expect(await erase()).toMatchObject({ state: 'beingErased', documents: {} });
    const shown = dataOf(await visitor.request('GET', `${ROOT}/${tenantId}`));
    expect(shown.erasure).toMatchObject({ since: '2026-03-01T12:00:30.000Z' });
    const { tenants } = dataOf(await visitor.request('GET', '/console/session/tenants'));
    expect(tenants).toMatchObject([{ tenantId, state: 'beingErased' }]);
    service().clock.advance(STALE_MS);
    expect(await erase()).toMatchObject({ state: 'erased' });
    expect(await service().store.get(tenantPath(tenantId), service().deadline())).toBeUndefined();
    expect(await erase()).toMatchObject({ state: 'absent' });
    expect((await visitor.request('GET', `${ROOT}/${tenantId}`)).status).toBe(404);
  });
});

it.each([
  ['POST', '/x/suspend'],
  ['POST', '/x/resume'],
  ['GET', '/x/erasure'],
  ['POST', '/x/erasure'],
])('%s /tenants%s is 400 for what is no GUID', async (method, rest) => {
  expect((await visitor.request(method, `${ROOT}${rest}`)).status).toBe(400);
});

it.each(['suspend', 'resume'])('%s is 409 for a tenant that does not exist', async (act) => {
  expect((await visitor.request('POST', `${ROOT}/${service().unusedTenantId()}/${act}`)).status).toBe(409);
});
