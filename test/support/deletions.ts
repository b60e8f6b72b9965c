/** Deletions as the routes accept them and the consumer applies them, without HTTP and messages. */
import type { Deadline } from '../../shared/platform/deadline';
import type { AcceptanceDependencies } from '../../shared/deletions/acceptance/accept-context';
import { acceptDeletions } from '../../shared/deletions/acceptance/accept-deletions';
import { applyDeletions } from '../../shared/deletions/apply-deletion';
import type { DeletionRequested, DeletionTarget } from '../../shared/domain/deletion';
import { DELETION_KIND } from '../../shared/domain/deletion';
import type { Tenant } from '../../shared/domain/tenant';
import type { RecordDependencies } from '../../shared/workspace/record-dependencies';
import type { RecordingPublisher } from './recording-fakes';

/** Accepts one deletion. */
export function acceptDeletion(
  tenant: Tenant,
  target: DeletionTarget,
  deadline: Deadline,
  dependencies: AcceptanceDependencies,
): Promise<void> {
  return acceptDeletions(tenant, DELETION_KIND[target.type], [target], deadline, dependencies);
}

/** Ids of the deletions that messages ask for. */
export function requestedIds({ published }: RecordingPublisher): string[] {
  return published.flatMap(({ event }) => (event as Partial<DeletionRequested>).deletionIds ?? []);
}

/** Applies what messages ask for. */
export function applyRequested(
  tenant: Tenant,
  publisher: RecordingPublisher,
  deadline: Deadline,
  dependencies: RecordDependencies,
): Promise<void> {
  return applyDeletions(tenant, requestedIds(publisher), deadline, dependencies);
}
