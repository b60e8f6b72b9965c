import type { Deadline } from '../../shared/platform/deadline';
import type { DocumentStore } from '../../shared/documents/document-store';
import { pagesOf } from '../../shared/documents/pages';
import { tenantPath } from '../../shared/documents/paths';

/** What a tenant has, in the collections that a restore needs here. */
const COLLECTIONS = ['customers', 'products', 'orders', 'skus', 'tombstones', 'deletions', 'deletionMarks'];

/**
 * Copies what a tenant has into another database, as a restore does that does not keep the times of documents: the
 * harder case.
 */
export async function copyTenant(
  tenantId: string,
  from: DocumentStore,
  to: DocumentStore,
  deadline: () => Deadline,
): Promise<void> {
  const path = tenantPath(tenantId);
  const tenant = await from.get(path, deadline());
  await to.writeEach([{ set: path, data: tenant?.data ?? {} }], deadline());
  for (const collection of COLLECTIONS) {
    for await (const page of pagesOf(from, `${path}/${collection}`, deadline)) {
      await to.writeEach(
        page.map(({ path: set, data }) => ({ set, data })),
        deadline(),
      );
    }
  }
}
