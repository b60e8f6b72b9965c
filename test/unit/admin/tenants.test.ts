/** Creating a tenant: whatever becomes of the answer, the operator may repeat it. */
import { createTenant, listTenants, requireTenant, updateTenant } from '../../../shared/operations/tenants';
import { tenantPath } from '../../../shared/documents/paths';
import type { DocumentStore } from '../../../shared/documents/document-store';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';

const OPTIONS = { id: '22222222-2222-4222-8222-222222222222', organization: 'acme', required: ['Name'] };

it('is created once, though the answer of the database is lost and the commit sent again', async () => {
  const memory: DocumentStore = new MemoryDocumentStore();
  const store = overriding(memory, {
    commit: async (writes, deadline) => {
      await memory.commit(writes, deadline);
      return memory.commit(writes, deadline);
    },
  });
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const { id: _, ...withoutId } = OPTIONS;
  const created = await createTenant(withoutId, operator);
  expect(created).toMatchObject({ organizationId: 'acme' });
  expect(await listTenants(operator)).toEqual([created]);
});

it('is not created with a mandatory field that no customer has: the fields are listed', async () => {
  const operator = operatorOn(new MemoryDocumentStore(), { clock: new FixedClock(), random: new SeededRandom() });
  await expect(createTenant({ ...OPTIONS, required: ['Name', 'Shoe'] }, operator)).rejects.toThrow(
    /no customer field: Shoe\. The fields are CustomerId, Email, .*, GdprOptin, IsExcluded\.$/,
  );
  expect(await listTenants(operator)).toEqual([]);
});

it('is created once when the command is repeated, and refused with other options', async () => {
  const store = new MemoryDocumentStore();
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const created = await createTenant(OPTIONS, operator);
  expect(await createTenant(OPTIONS, operator)).toEqual(created);
  await expect(createTenant({ ...OPTIONS, organization: 'other' }, operator)).rejects.toThrow('exists already');
  expect(await listTenants(operator)).toEqual([created]);
});

it('is notified of its runs at a topic that can be set and taken away, and is shown with it (R-110)', async () => {
  const store = new MemoryDocumentStore();
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const { tenantId } = await createTenant(OPTIONS, operator);
  const notifyTopic = 'projects/shop-of-ada/topics/runs';
  for (const expected of [notifyTopic, null]) {
    expect(await updateTenant(tenantId, { notifyTopic: expected }, operator)).toMatchObject({ notifyTopic: expected });
    expect(await requireTenant(tenantId, operator)).toMatchObject({ notifyTopic: expected });
    expect(await listTenants(operator)).toMatchObject([{ tenantId, notifyTopic: expected }]);
  }
  await expect(updateTenant(tenantId, { notifyTopic: 'runs' }, operator)).rejects.toThrow('notifyTopic must be');
});

it('is not notified at a topic of the service itself (R-110)', async () => {
  const projectId = 'the-service';
  const ofProject = operatorOn(new MemoryDocumentStore(), { clock: new FixedClock(), random: new SeededRandom() });
  const operator = { ...ofProject, config: { ...ofProject.config, projectId } };
  const { tenantId } = await createTenant(OPTIONS, operator);
  const { topics } = operator.config;
  for (const topic of Object.values(topics)) {
    const notifyTopic = ` projects/${projectId}/topics/${topic}`;
    await expect(updateTenant(tenantId, { notifyTopic }, operator)).rejects.toThrow("a topic of the service's own");
  }
  const notifyTopic = `projects/${projectId}/topics/runs-of-ada`;
  expect(await updateTenant(tenantId, { notifyTopic }, operator)).toMatchObject({ notifyTopic });
});

it('that an older release has stored has no topic (R-110)', async () => {
  const store = new MemoryDocumentStore();
  const operator = operatorOn(store, { clock: new FixedClock(), random: new SeededRandom() });
  const { tenantId } = await createTenant(OPTIONS, operator);
  await store.commit([{ set: tenantPath(tenantId), data: {}, fields: ['notifyTopic'] }]);
  expect(await requireTenant(tenantId, operator)).toMatchObject({ notifyTopic: null });
});
