import { AccessDenied, BucketMissing, RequestRefused } from '../../transfers/object-storage';

/** The service's error for a refusal of Cloud Storage, by its status. A transient error is returned as it is. */
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

/** The transient ones of the statuses 4xx: Request Timeout and Too Many Requests. */
export const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429]);

/** The HTTP status of an error of the Storage SDK or of a download; undefined when it has none. */
export function httpStatus(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : Number(code) || undefined;
}
