import type { PreviewOptionsDto } from '../../shared/domain/dto/preview-options';
import { previewOptionsSchema } from '../../shared/domain/dto/preview-options';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { RequestDependencies } from '../../shared/transfers/runs/request-run';
import { requestPreview } from '../../shared/transfers/runs/request-run';
import type { Logger } from '../../shared/platform/logger';
import { startInTrace } from './run-route';
import type { BucketDependencies } from './transfer-options-route';
import { transferOptionsRoute } from './transfer-options-route';

export type PreviewDependencies = RequestDependencies & BucketDependencies & { readonly logger: Logger };

/** The route that tries out a historical transfer: its run stores no record. A repeat starts another one. */
export function previewRoute(dependencies: PreviewDependencies): AnyRoute {
  return transferOptionsRoute<PreviewOptionsDto>(
    {
      operationId: 'previewTransfer',
      kind: 'preview',
      path: '/preview',
      schema: previewOptionsSchema,
      successMessage: 'Preview started.',
      failureMessage: 'Failed to start preview.',
      run: (options, { tenantId }, call) =>
        startInTrace(call, dependencies, (traced) => requestPreview(tenantId, options, call.deadline, traced)),
    },
    dependencies,
  );
}
