/** The operator's commands about the buckets that organizations have registered. */
import { pagesOf } from '../documents/pages';
import { BUCKETS } from '../documents/paths';
import { bucketOwner } from '../transfers/runs/bucket-ownership';
import type { Operator } from './operator';
import { OperatorError } from './operator-error';

export interface OwnedBucket {
  readonly bucketName: string;
  readonly organizationId: string;
}

/** Which organization a bucket belongs to. @throws OperatorError when it belongs to none */
export async function showBucket(name: string, operator: Operator): Promise<OwnedBucket> {
  const organizationId = await bucketOwner(name, operator.store, operator.deadline());
  if (organizationId === undefined) throw new OperatorError(`The bucket ${name} is registered by no organization.`);
  return { bucketName: name, organizationId };
}

/** All registered buckets, one at a time, in no order that means anything. */
export async function* listBuckets(operator: Operator): AsyncGenerator<OwnedBucket> {
  for await (const page of pagesOf(operator.store, BUCKETS, operator.deadline)) {
    for (const { data } of page) {
      yield { bucketName: data.name as string, organizationId: data.organizationId as string };
    }
  }
}
