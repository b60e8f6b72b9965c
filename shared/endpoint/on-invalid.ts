import type { Tenant } from '../domain/tenant';
import { badRequest } from '../http/problems';
import type { BatchValidator, ValidBatch } from '../validation/batch';
import type { PartOfBatch } from '../validation/rejected-elements';
import type { RouteRequest } from './route';

/** What becomes of a batch with invalid elements: it is refused as a whole, or done without them. */
export type OnInvalid = 'refuse' | 'skip';

/** A batch that is valid, and what was skipped for that; undefined: nothing may be skipped. */
export type CheckedBatch<Dto> = ValidBatch<Dto> & {
  readonly skipped: Pick<PartOfBatch<Dto>, 'indexes' | 'rejected'> | undefined;
};

/** The query parameter `onInvalid`. @throws HttpProblem 400 for any value but `skip` */
export function readOnInvalid(request: RouteRequest): OnInvalid {
  const value = request.query('onInvalid');
  if (value === null) return 'refuse';
  if (value === 'skip') return value;
  throw badRequest('The query parameter onInvalid must be skip, or be left out.');
}

/** @throws ValidationFailed where any element is invalid; if these are skipped, where all are */
export async function checkBatch<Dto>(
  validate: BatchValidator<Dto>,
  body: unknown,
  tenant: Tenant,
  onInvalid: OnInvalid,
): Promise<CheckedBatch<Dto>> {
  if (onInvalid === 'refuse') return { ...(await validate.inShares(body, tenant)), skipped: undefined };
  const { records, ignoredFields, ...skipped } = await validate.skippingInvalid(body, tenant);
  return { records, ignoredFields, skipped };
}
