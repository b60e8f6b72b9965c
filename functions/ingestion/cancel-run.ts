import type { AnyRoute } from '../../shared/endpoint/route';
import { runEnded } from '../../shared/http/problems';
import { cancelRun } from '../../shared/transfers/runs/finish-run';
import { firstStep, inTraceOfRun } from '../../shared/transfers/runs/resume-run';
import type { TransferDependencies } from '../../shared/transfers/runs/steps';
import { runRoute } from './run-route';

export type CancellationDependencies = Pick<
  TransferDependencies,
  'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic'
>;

/**
 * The route that cancels a running run: what it has stored stays. A repeat is answered alike. The message has a
 * step end the run soon. Without it, the next step of the run does.
 */
export function cancellationRoute(dependencies: CancellationDependencies): AnyRoute {
  return runRoute<undefined>(
    {
      operationId: 'cancelRun',
      method: 'POST',
      path: '/cancel',
      successMessage: 'Run cancelled.',
      failureMessage: 'Failed to cancel run.',
      readQuery: () => undefined,
      run: async ({ runId, run }, _query, _tenant, { deadline }) => {
        if (!(await cancelRun(runId, deadline, dependencies))) throw runEnded();
        const { publisher } = inTraceOfRun(run, dependencies);
        await publisher.publish(dependencies.transfersTopic, firstStep(runId, run));
        return { data: { RunId: runId } };
      },
    },
    dependencies,
  );
}
