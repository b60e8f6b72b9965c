/** Customers who were stored before a consent was introduced. */
import { recordsPath } from '../../../shared/documents/paths';
import { SlicesInMemory } from './slices-in-memory';

it('a consent that the record lacks is not withdrawn by a row that says nothing of it (R-86)', async () => {
  const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' });
  await slices.applyAll([{ Email: 'ann@x.com', SmsOptin: true }]);
  const collection = recordsPath(slices.tenant.tenantId, 'customers');
  const [stored] = await slices.store.list(collection, { limit: 1 });
  const { GdprOptin: _, ...older } = stored!.data;
  await slices.put(stored!.path, older);
  const count = async (row: object) => (await slices.applyAll([{ Email: 'ann@x.com', ...row }]))[0]?.changes;
  expect(await count({})).toEqual({ Unchanged: 1 });
  expect(await count({ SmsOptin: false })).toEqual({ Updated: 1, SmsOptinWithdrawn: 1 });
  expect(await count({ GdprOptin: true })).toEqual({ Updated: 1, GdprOptinGranted: 1 });
});
