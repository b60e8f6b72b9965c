import type { AnyRoute } from '../../shared/endpoint/route';
import { previewNotReplayed, runNotEnded } from '../../shared/http/problems';
import { requestReplay } from '../../shared/transfers/runs/replay-run';
import type { TransferDependencies } from '../../shared/transfers/runs/steps';
import { runRoute, startInTrace } from './run-route';

export type ReplayDependencies = Pick<
  TransferDependencies,
  'store' | 'publisher' | 'clock' | 'random' | 'transfersTopic' | 'logger'
>;

/** The route that reads the bad rows of a run again, in a run of its own. A repeat starts another one. */
export function replayRoute(dependencies: ReplayDependencies): AnyRoute {
  return runRoute<undefined>(
    {
      operationId: 'replayRun',
      method: 'POST',
      path: '/replay',
      successMessage: 'Replay started.',
      failureMessage: 'Failed to start replay.',
      readQuery: () => undefined,
      run: async (stored, _query, _tenant, call) => {
        if (stored.run.isPreview) throw previewNotReplayed();
        if (stored.run.status === 'running') throw runNotEnded();
        return startInTrace(call, dependencies, (traced) => requestReplay(stored, call.deadline, traced));
      },
    },
    dependencies,
  );
}
