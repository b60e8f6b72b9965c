/** Batches that are checked and not done. */
import { TrialTooLarge } from '../documents/trial-store';
import type { RecordKind } from '../domain/identity';
import { checkNotOffered, checkTooLarge, invalidFlag, overloaded, tooManyAtOnce } from '../http/problems';
import type { Tenant } from '../domain/tenant';
import type { Deadline } from '../platform/deadline';
import { runTrial, TooManyTrials } from '../records/trial';
import type { RouteRequest } from './route';

/** The query parameters of batches. */
export const BATCH_PARAMETERS = ['onInvalid', 'validateOnly'] as const;

/** What the success of a check says. */
export const VALID_MESSAGES: Readonly<Record<RecordKind, string>> = {
  customers: 'Customers valid.',
  products: 'Products valid.',
  orders: 'Orders valid.',
};

/** The query parameter `validateOnly`. @throws HttpProblem 400 for any value but `true`, or its name in another case */
export function readValidateOnly(request: RouteRequest): boolean {
  const value = request.exactQuery('validateOnly');
  if (value === null) return false;
  if (value === 'true') return true;
  throw invalidFlag('validateOnly', 'true');
}

/** For routes that cannot be checked: they must not do what was meant as a check. @throws HttpProblem 400 */
export function refuseValidateOnly(request: RouteRequest): void {
  if (request.exactQuery('validateOnly') === null) return;
  throw checkNotOffered();
}

/**
 * Runs the trial of a batch when it is its turn.
 * @throws HttpProblem 413 where it would change too much; 429 or 503 where too many trials wait
 */
export async function checkByTrial<T>(tenant: Tenant, deadline: Deadline, trial: () => Promise<T>): Promise<T> {
  try {
    return await runTrial(tenant, deadline, trial);
  } catch (error) {
    if (error instanceof TooManyTrials) throw error.isOwnLimit ? tooManyAtOnce('checks') : overloaded();
    if (error instanceof TrialTooLarge) throw checkTooLarge();
    throw error;
  }
}
