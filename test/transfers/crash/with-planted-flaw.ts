import type { CommitOutcome, DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
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
      const outcomes = new Map<readonly DocumentWrite[], CommitOutcome>();
      for (const part of parts.filter(({ length }) => length > 0)) {
        const outcome = await store.commit(part, deadline);
        if (outcome === 'conflict') return outcome;
        outcomes.set(part, outcome);
      }
      // The version that the one commit would tell: that of the progress, which comes last.
      return outcomes.get(progress) ?? outcomes.get(data) ?? store.commit([], deadline);
    },
  });
}

function isProgress(write: DocumentWrite): boolean {
  return 'set' in write && PROGRESS.test(write.set);
}
