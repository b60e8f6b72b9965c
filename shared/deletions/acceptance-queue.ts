import type { Deadline } from '../deadline';
import type { DeletionTarget } from '../domain/deletion';
import { DELETION_KIND } from '../domain/deletion';
import { ACCEPTED_IN_COMMIT } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import type { AcceptanceDependencies } from './accept-deletions';
import { acceptDeletions } from './accept-deletions';

/** A deletion that waits for the commit before it. */
interface Waiting {
  readonly target: DeletionTarget;
  readonly deadline: Deadline;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Accepts deletions of one instance: those of one tenant and kind that arrive while others are being written go
 * together into the next commit, which costs less than one for each, and deletions of one record do not race.
 */
export class AcceptanceQueue {
  /** By tenant and kind, while one commit of them is under way. */
  private readonly lines = new Map<string, Waiting[]>();

  constructor(private readonly dependencies: AcceptanceDependencies) {}

  /** See `acceptDeletions`. */
  accept(tenant: Tenant, target: DeletionTarget, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const name = `${tenant.tenantId}/${DELETION_KIND[target.type]}`;
      const waiting = { target, deadline, resolve, reject };
      const line = this.lines.get(name);
      if (line) line.push(waiting);
      else {
        this.lines.set(name, [waiting]);
        void this.drain(tenant, name);
      }
    });
  }

  /** Accepts all that waits in a line, and what comes meanwhile. Never rejects. */
  private async drain(tenant: Tenant, name: string): Promise<void> {
    for (;;) {
      const batch = this.lines.get(name)?.splice(0, ACCEPTED_IN_COMMIT) ?? [];
      const [first] = batch;
      if (!first) break;
      const kind = DELETION_KIND[first.target.type];
      const targets = batch.map(({ target }) => target);
      try {
        // The first one has waited longest, and nobody is answered later than they were promised.
        await acceptDeletions(tenant, kind, targets, first.deadline, this.dependencies);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.lines.delete(name);
  }
}
