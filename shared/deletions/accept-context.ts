import type { Deadline } from '../deadline';
import type { Tenant } from '../domain/tenant';
import type { AcceptanceDependencies } from './accept-deletions';
import type { RaisedFlag } from './pending-flag';

/** What the deletions of one commit have in common. */
export interface AcceptanceContext {
  readonly tenant: Tenant;
  readonly flag: RaisedFlag;
  /** Whether others may be pending for the same records: a commit that took none for granted was in conflict. */
  readonly mayBePending: boolean;
  readonly deadline: Deadline;
  readonly dependencies: AcceptanceDependencies;
}
