/** Operators' use cases about the buckets that organizations have registered. */
import { commitAct } from '../audit/audit-log';
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
