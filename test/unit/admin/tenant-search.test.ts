/** Tenants with display names, found by the beginning of a name or an id. */
import type { TenantOptions } from '../../../shared/operations/tenants';
import { createTenant, requireTenant, updateTenant } from '../../../shared/operations/tenants';
import { findTenants } from '../../../shared/operations/tenants/find-tenants';
import { eraseTenant } from '../../../shared/operations/erasure/erase';
import { TENANT_NAMES } from '../../../shared/documents/paths';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { eraserOn } from '../../support/memory-eraser';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';

const idOf = (digit: string) =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;

function open() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  const create = (options: TenantOptions) => createTenant({ organization: 'acme', ...options }, operator);
  const namesOf = async (search: string) => (await findTenants(search, operator)).map(({ displayName }) => displayName);
  const entries = async () => (await store.list(TENANT_NAMES, { limit: 100 }, operator.deadline())).length;
  return { store, operator, create, namesOf, entries };
}

it('are found by the beginning of their names in any case, whatever characters these have (R-214)', async () => {
  const { create, namesOf } = open();
  for (const displayName of ['Ada Shop', 'ADA & Söhne', 'Adam/../x', 'Zoë 100%', '. . .', '__all__', 'B']) {
    await create({ displayName });
  }
  expect((await namesOf('ada')).sort()).toEqual(['ADA & Söhne', 'Ada Shop', 'Adam/../x']);
  expect(await namesOf('ADA & SÖ')).toEqual(['ADA & Söhne']);
  expect(await namesOf(' ada ')).toHaveLength(3); // blanks at the ends do not count
  expect(await namesOf('zoë 100%')).toEqual(['Zoë 100%']);
  expect(await namesOf('.')).toEqual(['. . .']);
  expect(await namesOf('__')).toEqual(['__all__']);
  expect(await namesOf('da')).toEqual([]); // only beginnings
});

it('are found by the beginning of their ids, and by whole ids (R-214)', async () => {
  const { create, operator } = open();
  for (const digit of ['1', '2', 'a', 'b']) await create({ id: idOf(digit) });
  await create({ id: idOf('c'), displayName: 'Aa' });
  const idsOf = async (search: string) => (await findTenants(search, operator)).map(({ tenantId }) => tenantId);
  expect(await idsOf(idOf('2'))).toEqual([idOf('2')]);
  expect(await idsOf('2222')).toEqual([idOf('2')]);
  expect(await idsOf('AA')).toEqual([idOf('a'), idOf('c')]); // first by ids, then by names
  expect(await idsOf('3')).toEqual([]);
});

it('follow their names: a former name finds nobody, in the same commit (R-214)', async () => {
  const { create, namesOf, operator, entries } = open();
  const { tenantId } = await create({ displayName: 'First' });
  await updateTenant(tenantId, { displayName: 'Second' }, operator);
  expect([await namesOf('first'), await namesOf('second'), await entries()]).toEqual([[], ['Second'], 1]);
  await updateTenant(tenantId, { displayName: 'SECOND' }, operator);
  expect([await namesOf('second'), await entries()]).toEqual([['SECOND'], 1]);
  await updateTenant(tenantId, { displayName: null }, operator);
  expect([await namesOf('second'), await entries()]).toEqual([[], 0]);
  expect(await requireTenant(tenantId, operator)).toMatchObject({ displayName: null });
});

it('keep one entry each when two operators rename one at the same time', async () => {
  const { create, namesOf, operator, entries } = open();
  const { tenantId } = await create({ displayName: 'First' });
  await Promise.all(['One', 'Two', 'Three'].map((displayName) => updateTenant(tenantId, { displayName }, operator)));
  const { displayName } = await requireTenant(tenantId, operator);
  expect(await entries()).toBe(1);
  expect(await namesOf(String(displayName))).toEqual([displayName]);
});

it('are gone from the names when they are erased', async () => {
  const { create, namesOf, operator, entries } = open();
  const { tenantId } = await create({ displayName: 'Leaver' });
  await eraseTenant(tenantId, { yes: true }, eraserOn(operator));
  expect([await namesOf('leaver'), await entries()]).toEqual([[], 0]);
});

it('are read in a bounded number, however many there are; a notice says that there are more (R-214)', async () => {
  const { create, operator, store } = open();
  for (let number = 0; number < 120; number += 1) await create({ displayName: `Shop ${number}` });
  await create({ displayName: 'Zoo' });
  store.calls.length = 0;
  expect(await findTenants('shop', operator)).toHaveLength(100);
  expect(operator.said).toEqual(['More than 100 tenants; the first are shown. Search for a longer text.']);
  expect(store.calls.map(({ method }) => method)).toEqual(['list', 'findWhere', 'getAll']);
  expect(await findTenants('zoo', operator)).toHaveLength(1);
  expect(operator.said).toHaveLength(1);
});

it('are found by the whole name of their organization, after those by name, each once (R-346)', async () => {
  const { create, operator } = open();
  const inside = [await create({ displayName: 'Zebra' }), await create({ displayName: 'acme' })];
  const [{ organizationId }] = inside as [(typeof inside)[number]];
  const found = await findTenants(` ${organizationId} `, operator);
  expect(found.map(({ tenantId }) => tenantId).sort()).toEqual(inside.map(({ tenantId }) => tenantId).sort());
  const byName = await findTenants(organizationId.slice(0, -1), operator);
  expect(byName.map(({ displayName }) => displayName)).toEqual(['acme']); // a part of the organization's name finds nothing
});

it.each(['', ' ', 'x'.repeat(101), '\ud800'])('are not searched by %j', async (search) => {
  await expect(findTenants(search, open().operator)).rejects.toThrow(/^search must be a text of 1 to 100 characters/);
});
