import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { overriding } from '../../support/overriding';

/** A defect that the tests must notice: how far a file is read is committed apart from what was read. */
export type Flaw = 'progress before data' | 'progress after data';

const PROGRESS = /^transferRuns\/[^/]+\/files\//;

/** The same store with the defect; without one the store itself. */
export function withPlantedFlaw(store: DocumentStore, flaw: Flaw | undefined): DocumentStore {
  if (flaw === undefined) return store;
  return overriding(store, {
    async commit(writes, deadline) {
      const progress = writes.filter(isProgress);
      const data = writes.filter((write) => !isProgress(write));
      const parts = flaw === 'progress before data' ? [progress, data] : [data, progress];
      const [first, second] = parts.filter((part) => part.length > 0);
      const outcome = await store.commit(first ?? [], deadline);
      return second && outcome !== 'conflict' ? store.commit(second, deadline) : outcome;
    },
  });
}

function isProgress(write: DocumentWrite): boolean {
  return 'set' in write && PROGRESS.test(write.set);
}
