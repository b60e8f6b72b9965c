import type { DocumentStore } from '../../shared/documents/document-store';
import type { AnyRoute } from '../../shared/endpoint/route';
import { MAX_COUNTED_DOCUMENTS } from '../../shared/limits/transfers';
import { toRunDto } from './run-answers';
import { runRoute } from './run-route';

/** The route that shows one run, with the counts so far while it runs. It writes nothing. */
export function runDetailsRoute({ store }: { readonly store: DocumentStore }): AnyRoute {
  return runRoute<undefined>(
    {
      operationId: 'getRun',
      method: 'GET',
      path: '',
      successMessage: 'Run found.',
      failureMessage: 'Failed to find run.',
      readQuery: () => undefined,
      run: async ({ runId, run }, _query, _tenant, { deadline }) => {
        const budget = { left: MAX_COUNTED_DOCUMENTS };
        return { data: { Run: await toRunDto(runId, run, budget, store, deadline) } };
      },
    },
    { store },
  );
}
