import type { Deadline } from '../platform/deadline';
import type { DeletionTarget } from '../domain/deletion';
import type { RecordKind } from '../domain/identity';
import { ACCEPTED_IN_COMMIT } from '../limits/deletions';
import type { Tenant } from '../domain/tenant';
import type { AcceptanceDependencies } from './accept-context';
import { acceptDeletions } from './accept-deletions';

/** Deletions of one request, in their order, that wait for the commit before them. */
interface Waiting {
  readonly targets: readonly DeletionTarget[];
  readonly deadline: Deadline;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Accepts deletions of one instance: single ones of one tenant and kind that arrive while others are being written go
 * together into the next commit, which costs less than one for each, and deletions of one record do not race. A batch
 * goes alone, in as many commits as it takes. Between instances the conditions of the commit decide.
 */
export class AcceptanceQueue {
  /** By tenant and kind, while one commit of them is under way. */
  private readonly lines = new Map<string, Waiting[]>();

  constructor(private readonly dependencies: AcceptanceDependencies) {}

  /**
   * Accepts deletions of one kind in their order, at least one: resolves when all are durable (`acceptDeletions`). When
   * it fails, those in front may be accepted and none behind them: all are to be repeated, which is safe.
   * @throws ContentionTimeout
   */
  accept(tenant: Tenant, kind: RecordKind, targets: readonly DeletionTarget[], deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const name = `${tenant.tenantId}/${kind}`;
      const waiting = { targets, deadline, resolve, reject };
      const line = this.lines.get(name);
      if (line) line.push(waiting);
      else {
        this.lines.set(name, [waiting]);
        void this.drain(tenant, kind, name);
      }
    });
  }

  /** Accepts all that waits in a line, and what comes meanwhile. Never rejects. */
  private async drain(tenant: Tenant, kind: RecordKind, name: string): Promise<void> {
    for (;;) {
      const together = takeTogether(this.lines.get(name) ?? []);
      const [first] = together;
      if (!first) break;
      const targets = together.flatMap((waiting) => waiting.targets);
      try {
        // The first one has waited longest, and nobody is answered later than they were promised.
        await acceptDeletions(tenant, kind, targets, first.deadline, this.dependencies);
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.lines.delete(name);
  }
}

/** Takes out of a line what is accepted next: the batch at its head, or the single deletions in front of the first. */
function takeTogether(line: Waiting[]): Waiting[] {
  const batch = line.findIndex(({ targets }) => targets.length > 1);
  const singles = Math.min(batch === -1 ? line.length : batch, ACCEPTED_IN_COMMIT);
  return line.splice(0, batch === 0 ? 1 : singles);
}
