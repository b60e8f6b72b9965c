/** What goes wrong, as classes. No error repeats the key. */
import type { FeedResult } from './feed/feed-types';

export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly traceId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** Every error of this package is one. Its message is the service's own where the service answered. */
export class IngestionError extends Error {
  override readonly name: string = 'IngestionError';
  /** The status of the answer; undefined: there was none. */
  readonly status: number | undefined;
  /** Names the request in the service's logs; undefined: no answer had one. Say it when you ask for help. */
  readonly traceId: string | undefined;
  /** How long the service asked to wait; undefined: it did not. */
  readonly retryAfterSeconds: number | undefined;
  /** Of `upsertAll` and `deleteAll`: what was acknowledged before the feed ended; undefined elsewhere. */
  result: FeedResult | undefined;

  constructor(message: string, { status, traceId, retryAfterSeconds }: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.traceId = traceId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Messages by the path of the field, such as `ProductVariants[1].Sku`; the empty path is the whole element. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** What was sent breaks a rule (400). */
export class ValidationError extends IngestionError {
  override readonly name = 'ValidationError';

  constructor(
    message: string,
    details: ErrorDetails,
    readonly errors: FieldErrors,
    /** Messages that the service left out. */
    readonly omittedErrors: number,
    /** Fields that the service does not know: the misspelt name of a missing one may be among them. */
    readonly ignoredFields: readonly string[],
  ) {
    super(message, details);
  }
}

/** The request is refused for another reason, such as an invalid tenant id (400) or a body that is too large (413). */
export class RequestError extends IngestionError {
  override readonly name = 'RequestError';
}

/** The key is missing, incorrect or revoked (401). */
export class UnauthorizedError extends IngestionError {
  override readonly name = 'UnauthorizedError';
}

/** The tenant or bucket is another organization's, or the key lacks the permission (403). */
export class ForbiddenError extends IngestionError {
  override readonly name = 'ForbiddenError';
}

/** There is no such tenant, record, run or transfer (404). */
export class NotFoundError extends IngestionError {
  override readonly name = 'NotFoundError';

  constructor(
    message: string,
    details: ErrorDetails,
    /** When a deletion of the record was accepted that is not applied yet; undefined: there is none. */
    readonly deletionAcceptedAt?: string,
  ) {
    super(message, details);
  }
}

/** The run is not in the state that the request needs (409). */
export class ConflictError extends IngestionError {
  override readonly name = 'ConflictError';
}

/** The rate limit was still exceeded after all retries (429). */
export class RateLimitError extends IngestionError {
  override readonly name = 'RateLimitError';
}

/** The service still failed, or was overloaded, after all retries (408, 5xx). A part may be done; repeat it later. */
export class ServerError extends IngestionError {
  override readonly name = 'ServerError';
}

/** No whole answer came, also after all retries. The request may be done; repeat it later. */
export class NetworkError extends IngestionError {
  override readonly name = 'NetworkError';
}

/** The caller's signal ended the call; `cause` is its reason. What was under way may be done or not. */
export class AbortedError extends IngestionError {
  override readonly name = 'AbortError';
}

/** A feed ended because its rows could not be read, or because a callback threw; `cause` is why. */
export class FeedError extends IngestionError {
  override readonly name = 'FeedError';
}
