import type { AnyRoute } from '../../shared/endpoint/route';
import { MAX_COUNTED_DOCUMENTS } from '../../shared/limits/transfers';
import { findExamples } from '../../shared/transfers/runs/view/examples';
import type { RunDependencies } from './run-answers';
import { toRunDto } from './run-answers';
import { runRoute } from './run-route';

/** The route that shows one run, with the counts so far while it runs, and a preview's examples. It writes nothing. */
export function runDetailsRoute(dependencies: RunDependencies): AnyRoute {
  return runRoute<undefined>(
    {
      method: 'GET',
      path: '',
      failureMessage: 'Failed to find run.',
      readQuery: () => undefined,
      run: async ({ runId, run }, _query, _tenant, { deadline }) => {
        const budget = { left: MAX_COUNTED_DOCUMENTS };
        const shown = await toRunDto(runId, run, budget, dependencies, deadline);
        const examples = await findExamples(runId, run, deadline, dependencies);
        return { message: 'Run found.', data: { Run: { ...shown, Examples: examples } } };
      },
    },
    dependencies,
  );
}
