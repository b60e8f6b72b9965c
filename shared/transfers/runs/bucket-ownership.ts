/**
 * Which organization owns a bucket (D-57). The service reads every tenant's bucket with one identity. So a bucket
 * belongs to the first organization that registers it, until the operator releases it.
 */
import type { Deadline } from '../../platform/deadline';
import type { DocumentChange, DocumentReads, DocumentStore } from '../../documents/document-store';
import { bucketPath } from '../../documents/paths';
import { bucketId } from '../../domain/identity';

/**
 * Registers a bucket for an organization. The service's own bucket, which holds the reports of all tenants, is
 * nobody's. Repeating it is safe. @returns whether the bucket is now the organization's
 */
export async function registerBucket(
  name: string,
  organizationId: string,
  { store, reportsBucket }: { readonly store: DocumentStore; readonly reportsBucket: string },
  deadline: Deadline,
): Promise<boolean> {
  return name !== reportsBucket && (await claimBucket(name, organizationId, store, deadline));
}

/** Claims a bucket for an organization. Repeating it is safe. @returns whether the bucket is now the organization's */
export async function claimBucket(
  name: string,
  organizationId: string,
  store: DocumentStore,
  deadline: Deadline,
): Promise<boolean> {
  const claim = { set: bucketPath(bucketId(name)), data: { name, organizationId }, when: 'absent' } as const;
  if ((await store.commit([claim], deadline)) !== 'conflict') return true;
  return (await bucketOwner(name, store, deadline)) === organizationId;
}

/** The id of the organization that owns a bucket; undefined: none does. */
export async function bucketOwner(name: string, store: DocumentReads, deadline: Deadline): Promise<string | undefined> {
  return (await store.get(bucketPath(bucketId(name)), deadline))?.data.organizationId as string | undefined;
}

/** The write that releases a bucket from its owner. */
export function releaseWrite(name: string): DocumentChange {
  return { delete: bucketPath(bucketId(name)) };
}
