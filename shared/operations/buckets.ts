/** Operators' use cases about the buckets that organizations have registered. */
import { commitAct, performAct } from '../audit/audit-log';
import { pagesOf } from '../documents/pages';
import { BUCKETS } from '../documents/paths';
import { bucketOwner, releaseWrite } from '../transfers/runs/bucket-ownership';
import type { Operator } from './operator';
import { OperatorError } from './operator-error';

export interface OwnedBucket {
  readonly bucketName: string;
  readonly organizationId: string;
}

/** The organization that a bucket belongs to. @throws OperatorError when it belongs to none */
export async function showBucket(name: string, operator: Operator): Promise<OwnedBucket> {
  const organizationId = await bucketOwner(name, operator.store, operator.deadline());
  return toOwned(name, organizationId);
}

/** Releases a bucket: any organization may register it next. @throws OperatorError when it belongs to none */
export async function releaseOwnedBucket(name: string, operator: Operator): Promise<OwnedBucket> {
  const owned = await showBucket(name, operator);
  const { organizationId } = owned;
  const act = { action: 'buckets.release', organizationId, before: { bucketName: name } } as const;
  await commitAct(operator, act, [releaseWrite(name)], operator.deadline());
  return owned;
}

export interface AllowedNotifications extends OwnedBucket {
  readonly topic: string;
  /** Whom Cloud Storage is when it tells of uploads to buckets of that project. */
  readonly serviceAgent: string;
}

/**
 * Lets Cloud Storage tell of uploads to the buckets of a Google Cloud project. Cloud Storage grants by project
 * and not by bucket, so the bucket only says who asks for it. Repeating it is safe.
 * @throws OperatorError when the bucket belongs to no organization, the number is none, or on the local stack
 */
export async function allowNotifications(
  name: string,
  projectNumber: string,
  operator: Operator,
): Promise<AllowedNotifications> {
  const { projectId, topics, emulators } = operator.config;
  if (emulators.pubsub !== undefined) throw new OperatorError('On the local stack all notifications are allowed.');
  if (!PROJECT_NUMBER.test(projectNumber))
    throw new OperatorError('--project-number must be the number of the project of the bucket: it has digits alone.');
  const owned = await showBucket(name, operator);
  const { organizationId, bucketName } = owned;
  const serviceAgent = `service-${projectNumber}@gs-project-accounts.iam.gserviceaccount.com`;
  const after = { bucketName, projectNumber };
  await performAct(operator, { action: 'buckets.allow-notifications', organizationId, after }, ({ topicGrants }) =>
    topicGrants.allowPublishing(topics.uploads, `serviceAccount:${serviceAgent}`),
  );
  return { ...owned, topic: `projects/${projectId}/topics/${topics.uploads}`, serviceAgent };
}

const PROJECT_NUMBER = /^[1-9]\d{5,19}$/;

/** All registered buckets, one at a time, in no particular order. */
export async function* listBuckets(operator: Operator): AsyncGenerator<OwnedBucket> {
  for await (const page of pagesOf(operator.store, BUCKETS, operator.deadline)) {
    for (const { data } of page) {
      yield { bucketName: data.name as string, organizationId: data.organizationId as string };
    }
  }
}

function toOwned(bucketName: string, organizationId: string | undefined): OwnedBucket {
  if (organizationId !== undefined) return { bucketName, organizationId };
  throw new OperatorError(`The bucket ${bucketName} is registered by no organization.`);
}
