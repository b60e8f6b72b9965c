import { AccessDenied, BucketMissing, RequestRefused } from '../../transfers/object-storage';

/** What Cloud Storage's refusal means, by its status; an error that may pass is itself. */
export function toStorageError(bucket: string, error: unknown): unknown {
  const status = httpStatus(error);
  if (status === 401 || status === 403) {
    return new AccessDenied(
      `Access denied to the bucket ${bucket}: grant the service's service account the role Storage Object Viewer (roles/storage.objectViewer) on it.`,
    );
  }
  if (status === 404) return new BucketMissing(`The bucket ${bucket} does not exist.`);
  if (status === undefined || status < 400 || status > 499 || TRANSIENT_STATUSES.has(status)) return error;
  const { message } = error as Error;
  return new RequestRefused(`The bucket ${bucket} cannot be read (${status}): ${message}`);
}

/** Of the statuses 4xx: a request that came too slowly, and one too many. */
export const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429]);

/** The HTTP status of an error of the Storage library; undefined when it has none. */
export function httpStatus(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : Number(code) || undefined;
}
