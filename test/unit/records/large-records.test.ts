import { tenantPath } from '../../../shared/documents/paths';
import { flagLargeRecords } from '../../../shared/workspace/large-records';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { overriding } from '../../support/overriding';
import { aTenant } from '../support/tenant';

const AMPLE = { remainingMs: () => 20_000 };

it('flags a tenant once, however many commits of a file hold large records, and in each database', async () => {
  const tenant = aTenant();
  for (const memory of [new MemoryDocumentStore(), new MemoryDocumentStore()]) {
    await memory.commit([{ set: tenantPath(tenant.tenantId), data: {} }]);
    let commits = 0;
    const store = overriding(memory, {
      commit: (writes) => {
        commits += 1;
        return memory.commit(writes);
      },
    });
    for (let commit = 0; commit < 10; commit += 1) await flagLargeRecords(tenant, store, AMPLE);
    expect(commits).toBe(1);
    expect((await memory.get(tenantPath(tenant.tenantId)))?.data).toEqual({ hasLargeRecords: true });
  }
});
