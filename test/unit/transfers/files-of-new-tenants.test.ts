/** The first files of a new tenant, with rows older than the tenant: no deletion is looked for, as there was none. */
import { lowerFlag, raiseFlag } from '../../../shared/deletions/pending-flag';
import { deletionFlagPath } from '../../../shared/documents/paths';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { changeWrite, keyedWrite } from '../../../shared/workspace/customer-keys';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { SlicesInMemory } from './slices-in-memory';

const rowsOf = (slice: number) =>
  Array.from({ length: 3 }, (_, row) => ({ Email: `${slice}-${row}@x.com`, CustomerId: `${slice}-${row}` }));

/** Slices of customers, and how many tombstones and entries they look for. */
async function newTenant() {
  let lookedFor = 0;
  const count = (paths: readonly string[]) => {
    lookedFor += paths.filter((path) => /\/(tombstones|deletions)\//.test(path)).length;
  };
  const watch = (store: DocumentStore) =>
    overriding(store, {
      getAll: (paths, deadline) => (count(paths), store.getAll(paths, deadline)),
      getSome: (paths, maxBytes, deadline) => (count(paths), store.getSome(paths, maxBytes, deadline)),
    });
  const slices = new SlicesInMemory('customers', {}, watch);
  await slices.store.commit([keyedWrite(slices.tenant, undefined, new SeededRandom())]);
  return { slices, lookedFor: () => lookedFor };
}

async function storeOldRows({ slices, lookedFor }: Awaited<ReturnType<typeof newTenant>>): Promise<number> {
  for (const slice of [1, 2]) {
    for (const { counts } of await slices.applyAll(rowsOf(slice), 60_000)) expect(counts).toMatchObject({ stored: 3 });
  }
  return lookedFor();
}

it('looks for no deletion', async () => {
  expect(await storeOldRows(await newTenant())).toBe(0);
});

it('looks for none after an identifier was changed either', async () => {
  const tenant = await newTenant();
  const { store, tenant: settings } = tenant.slices;
  const flag = await store.get(deletionFlagPath(settings.tenantId, 'customers'));
  await store.commit([changeWrite(settings, flag, new SeededRandom())]);
  expect(await storeOldRows(tenant)).toBe(0);
});

it('looks for the tombstones of both identifiers of each row once a deletion was accepted', async () => {
  const tenant = await newTenant();
  const { slices } = tenant;
  const { tenantId } = slices.tenant;
  await raiseFlag(tenantId, 'customers', {}, slices.deadline(), slices.dependencies());
  await lowerFlag(tenantId, 'customers', slices.deadline(), slices.dependencies());
  expect(await storeOldRows(tenant)).toBe(12);
});
