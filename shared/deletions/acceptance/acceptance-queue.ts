import { isDeepStrictEqual } from 'node:util';
import type { Deadline } from '../../platform/deadline';
import type { DeletionTarget } from '../../domain/deletion';
import type { RecordKind } from '../../domain/identity';
import { ACCEPTED_IN_COMMIT } from '../../limits/deletions';
import type { Tenant } from '../../domain/tenant';
import { inTrace } from '../../events/in-trace';
import { maySucceedLater } from '../../platform/retry';
import type { Trace } from '../../platform/trace';
import type { AcceptanceDependencies } from './accept-context';
import { acceptDeletions } from './accept-deletions';
import { needsReceipt } from './acceptance-attempts';

/** The deletions of one request, in their order, while they wait for the commit before them. */
interface QueuedRequest {
  /** As it was when the request was admitted. */
  readonly tenant: Tenant;
  readonly targets: readonly DeletionTarget[];
  readonly deadline: Deadline;
  readonly trace: Trace;
  /** Takes the trace of the messages that name its deletions. */
  readonly resolve: (published: Trace) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Accepts the deletions of one instance, one commit at a time for the single ones of a tenant and kind, and one for its
 * batches. Single deletions that arrive meanwhile go into the next commit together: that costs less than a commit for
 * each, and deletions of one record do not race. Batches go one after the other, each in as many commits as it takes.
 * Single deletions do not queue behind them. Write preconditions keep the two apart, as they do instances.
 */
export class AcceptanceQueue {
  /** By tenant, kind, and whether batches are in it. A queue exists while a commit of it is under way. */
  private readonly queues = new Map<string, QueuedRequest[]>();

  constructor(private readonly dependencies: AcceptanceDependencies) {}

  /**
   * Accepts deletions of one kind in their order; at least one. Resolves when all are durable (`acceptDeletions`).
   * After an error some may be accepted: a first part of the list. Repeating all of them is safe.
   * @param trace of the request
   * @returns the trace of the messages that name them: that of the first request of the commit
   * @throws ContentionTimeout
   */
  accept(
    tenant: Tenant,
    kind: RecordKind,
    targets: readonly DeletionTarget[],
    deadline: Deadline,
    trace: Trace,
  ): Promise<Trace> {
    return new Promise((resolve, reject) => {
      const name = `${tenant.tenantId}/${kind}/${isBatch(targets) ? 'batches' : 'singles'}`;
      const request = { tenant, targets, deadline, trace, resolve, reject };
      const queue = this.queues.get(name);
      if (queue) queue.push(request);
      else {
        this.queues.set(name, [request]);
        void this.drain(kind, name);
      }
    });
  }

  /** Accepts all requests of a queue, and those that join it meanwhile. Never rejects. */
  private async drain(kind: RecordKind, name: string): Promise<void> {
    for (;;) {
      const requests = takeNextRequests(this.queues.get(name) ?? []);
      const [first] = requests;
      if (!first) break;
      const targets = requests.flatMap((request) => request.targets);
      let durable = 0;
      try {
        // The first one has waited longest. With its deadline nobody is answered later than promised.
        const { tenant, deadline, trace } = first;
        const traced = inTrace(this.dependencies, trace);
        await acceptDeletions(tenant, kind, targets, deadline, traced, (count) => (durable = count));
        for (const { resolve } of requests) resolve(trace);
      } catch (error) {
        const rest = withoutDurable(requests, durable, first.trace);
        this.queues.get(name)?.unshift(...rejectFailed(rest, error));
      }
    }
    this.queues.delete(name);
  }
}

/** Answers the requests all of whose targets are durable. @returns the others */
function withoutDurable(
  requests: readonly QueuedRequest[],
  durable: number,
  published: Trace,
): readonly QueuedRequest[] {
  let end = 0;
  const ends = requests.map(({ targets }) => (end += targets.length));
  requests.filter((_, index) => (ends[index] ?? 0) <= durable).forEach(({ resolve }) => resolve(published));
  return requests.filter((_, index) => (ends[index] ?? 0) > durable);
}

/**
 * Answers the requests that an error is about: all of them, or, where time was over, those that have no more left than
 * the first, or that must not be accepted twice: the commit that failed may have accepted them.
 * @returns the others, which can be tried again
 */
function rejectFailed(requests: readonly QueuedRequest[], error: unknown): readonly QueuedRequest[] {
  const remainingMs = requests[0]?.deadline.remainingMs() ?? 0;
  const canRetry = ({ deadline, targets }: QueuedRequest) =>
    maySucceedLater(error) && deadline.remainingMs() > remainingMs && !needsReceipt(targets);
  for (const request of requests) if (!canRetry(request)) request.reject(error);
  return requests.filter(canRetry);
}

/** Removes from a queue what is accepted next: a batch, or the single deletions that share the first one's settings. */
function takeNextRequests(queue: QueuedRequest[]): QueuedRequest[] {
  const [first] = queue;
  if (first && isBatch(first.targets)) return queue.splice(0, 1);
  const end = queue.findIndex(({ tenant }) => !isDeepStrictEqual(tenant, first?.tenant));
  return queue.splice(0, Math.min(end === -1 ? queue.length : end, ACCEPTED_IN_COMMIT));
}

function isBatch(targets: readonly DeletionTarget[]): boolean {
  return targets.length > 1;
}
