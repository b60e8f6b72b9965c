/** Notifies a tenant of the end of a run: one message to the topic that the operator has set for the tenant. */
import { runPath } from '../../../documents/paths';
import { REQUEST_DEADLINE_MS } from '../../../domain/limits';
import type { Tenant } from '../../../domain/tenant';
import { RedeliverLater } from '../../../events/event-handler';
import { NOTIFICATION_RETRY_SECONDS } from '../../../limits/transfers';
import { deadlineIn } from '../../../platform/deadline';
import { errorDetails } from '../../../platform/logger';
import { isTransientStatus, Status, statusOf } from '../../../platform/retry';
import type { ShownChanges } from '../changes';
import { toShownChanges } from '../changes';
import type { RowCounts, Run, RunStatus } from '../run';
import type { TransferDependencies } from '../steps';
import type { RunKind } from '../view/run-kind';
import { runKindOf } from '../view/run-kind';

/** The notification, as JSON. Its attributes are `tenantId`, `runId` and `status`. */
export interface RunNotification {
  readonly tenantId: string;
  readonly runId: string;
  readonly jobId: string;
  readonly kind: RunKind | null;
  readonly status: RunStatus;
  /** Null: they were not counted when the notification was sent. */
  readonly rows: RowCounts | null;
  /** Null as `rows`, and where a release that did not count changes has read some of the rows. */
  readonly changes: ShownChanges | null;
  readonly error: string | null;
}

type NotifyDependencies = Pick<TransferDependencies, 'store' | 'publisher' | 'clock' | 'logger'>;

/**
 * Publishes the notification of a run that has ended, if its tenant has a topic, and records that nothing is left to do
 * of the end, or why the notification failed. Only the step that has claimed the end calls it.
 * @param tenant undefined: it does not exist any more
 * @throws RedeliverLater when the topic may be reached later, for NOTIFICATION_RETRY_SECONDS after the end of the run
 */
export async function notifyTenant(
  runId: string,
  run: Run,
  tenant: Tenant | undefined,
  { store, publisher, clock, logger }: NotifyDependencies,
): Promise<void> {
  const topic = tenant?.notifyTopic;
  const failure = topic && (await tryPublish(topic, toNotification(runId, run), publisher));
  const endMs = run.finishedAt?.getTime() ?? 0;
  const comesAgain = failure && failure.mayPass && clock.nowMs() < endMs + NOTIFICATION_RETRY_SECONDS * 1000;
  const data = failure ? { notificationError: failure.reason } : {};
  const fields = [...(comesAgain ? [] : ['ending']), 'notificationError'];
  await store.commit([{ set: runPath(runId), data, fields, when: 'present' }], deadlineIn(REQUEST_DEADLINE_MS, clock));
  if (!failure) return;
  const { tenantId, jobId } = run;
  const details = { ...errorDetails(failure.error), tenantId, jobId, runId };
  logger.log('WARNING', 'A tenant could not be notified of the end of a run.', details);
  if (comesAgain) throw new RedeliverLater(failure.reason);
}

function toNotification(runId: string, run: Run): RunNotification {
  const { tenantId, jobId, status, rows = null, changes = null, error } = run;
  const kind = runKindOf(run);
  return { tenantId, runId, jobId, kind, status, rows, changes: changes && toShownChanges(changes), error };
}

interface Failure {
  readonly reason: string;
  readonly mayPass: boolean;
  readonly error: unknown;
}

/** @returns null: the notification is published */
async function tryPublish(
  topic: string,
  notification: RunNotification,
  publisher: NotifyDependencies['publisher'],
): Promise<Failure | null> {
  const { tenantId, runId, status } = notification;
  try {
    await publisher.publish(topic, notification, { tenantId, runId, status });
    return null;
  } catch (error) {
    const code = statusOf(error);
    return { reason: toReason(topic, code), mayPass: code === undefined || isTransientStatus(code), error };
  }
}

/** A sentence for the tenant. */
function toReason(topic: string, code: number | undefined): string {
  if (code === Status.NOT_FOUND) return `The topic ${topic} does not exist.`;
  if (code === Status.PERMISSION_DENIED) {
    return `Access denied to the topic ${topic}: grant the service's service account the role Pub/Sub Publisher (roles/pubsub.publisher) on it.`;
  }
  return `The topic ${topic} does not take the message now.`;
}
