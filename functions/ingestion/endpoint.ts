import type { EndpointDefinition } from '../../shared/endpoint/endpoint';
import type { CancellationDependencies } from './cancel-run';
import { cancellationRoute } from './cancel-run';
import { runDetailsRoute } from './find-run';
import { fileListRoute } from './list-files';
import type { ErrorListDependencies } from './list-errors';
import { errorListRoute } from './list-errors';
import type { RunListDependencies } from './list-runs';
import { runListRoute } from './list-runs';
import type { TransferListDependencies } from './list-transfers';
import { transferListRoute } from './list-transfers';
import type { PreviewDependencies } from './preview-transfer';
import { previewRoute } from './preview-transfer';
import type { RegistrationDependencies } from './register-transfer';
import { registrationRoute } from './register-transfer';
import type { ReplayDependencies } from './replay-run';
import { replayRoute } from './replay-run';
import type { ManualRunDependencies } from './run-transfer';
import { manualRunRoute } from './run-transfer';
import type { UnregistrationDependencies } from './unregister-transfer';
import { unregistrationRoute } from './unregister-transfer';

/** The routes of transfers (Spec §4.6). */
export function ingestionEndpoint(
  dependencies: RegistrationDependencies &
    UnregistrationDependencies &
    RunListDependencies &
    ErrorListDependencies &
    ReplayDependencies &
    TransferListDependencies &
    ManualRunDependencies &
    PreviewDependencies &
    CancellationDependencies,
): EndpointDefinition {
  return {
    name: 'ingestion',
    casing: 'capitalised',
    routes: [
      registrationRoute('historical', dependencies),
      registrationRoute('daily', dependencies),
      registrationRoute('hourly', dependencies),
      registrationRoute('live', dependencies),
      unregistrationRoute(dependencies),
      runListRoute(dependencies),
      runDetailsRoute(dependencies),
      fileListRoute(dependencies),
      errorListRoute(dependencies),
      replayRoute(dependencies),
      transferListRoute(dependencies),
      manualRunRoute(dependencies),
      cancellationRoute(dependencies),
      previewRoute(dependencies),
    ],
  };
}
