import type { PreviewOptionsDto } from '../../shared/domain/dto/preview-options';
import { previewOptionsSchema } from '../../shared/domain/dto/preview-options';
import type { AnyRoute } from '../../shared/endpoint/route';
import type { RequestDependencies } from '../../shared/transfers/runs/request-run';
import { requestPreview } from '../../shared/transfers/runs/request-run';
import { compileObjectValidator } from '../../shared/validation/object';
import type { BucketDependencies } from './transfer-options-route';
import { transferOptionsRoute } from './transfer-options-route';

export type PreviewDependencies = RequestDependencies & BucketDependencies;

const validate = compileObjectValidator<PreviewOptionsDto>(previewOptionsSchema);

/** The route that tries out a historical transfer: its run stores no record. A repeat starts another one. */
export function previewRoute(dependencies: PreviewDependencies): AnyRoute {
  return transferOptionsRoute<PreviewOptionsDto>(
    {
      kind: 'preview',
      path: '/preview',
      failureMessage: 'Failed to start preview.',
      validate,
      run: async (options, { tenantId }, { deadline }) => {
        const runId = await requestPreview(tenantId, options, deadline, dependencies);
        return { message: 'Preview started.', data: { RunId: runId } };
      },
    },
    dependencies,
  );
}
