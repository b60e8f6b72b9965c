/** The answers that are no success, each with the text for the caller. */
import { FULL_REGION_SECONDS } from '../limits/transfers';
import { OVERLOAD_RETRY_SECONDS, UNFINISHED_RETRY_SECONDS } from '../limits/requests';
import { ACCEPTED_METHODS } from './methods';

/** An answer that is no success, in the envelope of Spec §2.8. The caller reads the message. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'HttpProblem';
  }
}

/** The caller has left, or was answered already: no answer can be sent. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

export const notFound = () => new HttpProblem(404, 'Not found.');
export const methodNotAllowed = (allowed: readonly string[]) =>
  new HttpProblem(405, 'Method not allowed.', {
    Allow: ACCEPTED_METHODS.filter((method) => allowed.includes(method)).join(', '),
  });
export const unauthorized = () => new HttpProblem(401, 'The API key is missing, incorrect or revoked.');
export const rateLimitExceeded = (retryAfterSeconds: number) =>
  new HttpProblem(
    429,
    `Rate limit exceeded. Please try again in ${retryAfterSeconds} seconds.`,
    { 'Retry-After': String(retryAfterSeconds) },
    { retryAfter: retryAfterSeconds },
  );
export const overloaded = (retryAfterSeconds = OVERLOAD_RETRY_SECONDS) =>
  new HttpProblem(503, 'The service is overloaded. Please try again later.', {
    'Retry-After': String(retryAfterSeconds),
  });
/** The caller's key has as many of these under way as one key may. */
export const tooManyAtOnce = (what: string, retryAfterSeconds = OVERLOAD_RETRY_SECONDS) =>
  new HttpProblem(
    429,
    `Too many ${what} at once. Please try again later.`,
    { 'Retry-After': String(retryAfterSeconds) },
    { retryAfter: retryAfterSeconds },
  );
export const notFinished = () =>
  new HttpProblem(
    503,
    'The request could not be finished in time, and a part of it may be done. Please send it again as it is.',
    { 'Retry-After': String(UNFINISHED_RETRY_SECONDS) },
  );
/** Every region of Cloud Scheduler has as many jobs as it takes. */
export const noRoomForTransfers = () =>
  new HttpProblem(503, 'No more transfers can be scheduled at the moment. Please try again later.', {
    'Retry-After': String(FULL_REGION_SECONDS),
  });
/** `overloaded`, for a body that is not read to its end. */
export const bodyRefused = () => {
  const { status, message, headers } = overloaded();
  return new HttpProblem(status, message, { ...headers, Connection: 'close' });
};
export const bodyTooSlow = () =>
  new HttpProblem(
    408,
    'The request body did not arrive in time. Please send it again, on a faster connection or in smaller batches.',
    { Connection: 'close' }, // the rest of the body is not read
  );
export const invalidTenant = () => new HttpProblem(400, 'Invalid tenant identifier.');
export const tenantNotFound = () => new HttpProblem(404, 'Tenant not found.');
/**
 * A record that is asked for does not exist, or an accepted deletion means it.
 * @param deletionAcceptedAt when that was, if it is not applied yet
 */
export const recordNotFound = (message: string, deletionAcceptedAt?: Date) =>
  new HttpProblem(404, message, {}, toPendingDto(deletionAcceptedAt));
/** What `data` says of a deletion that is accepted and not applied yet; empty: there is none. */
export const toPendingDto = (acceptedAt: Date | undefined): { readonly deletionAcceptedAt?: string } =>
  acceptedAt ? { deletionAcceptedAt: acceptedAt.toISOString() } : {};
export const foreignTenant = () => new HttpProblem(403, "The tenant does not belong to the API key's organization.");
/** Until an operator resumes it; nothing of the request is done. */
export const tenantSuspended = () => new HttpProblem(403, 'The tenant is suspended.');
export const foreignBucket = () => new HttpProblem(403, 'The bucket is registered by another organization.');
export const missingPermission = (permission: string) =>
  new HttpProblem(403, `The API key lacks the permission ${permission}.`);
export const runNotFound = () => new HttpProblem(404, 'Run not found.');
export const runNotEnded = () => new HttpProblem(409, 'The run has not ended.');
export const previewNotReplayed = () =>
  new HttpProblem(409, 'The run is a preview, which stores nothing: run the transfer first.');
export const runEnded = () => new HttpProblem(409, 'The run has ended.');
export const errorsNotKept = () => new HttpProblem(404, 'The errors of the run are no longer kept.');
export const transferNotFound = () => new HttpProblem(404, 'Transfer not found.');
export const badRequest = (message: string) => new HttpProblem(400, message);
/** Before HTTP/1.1 the end of a stream cannot be told from a connection that was closed. */
export const streamNeedsNewerHttp = () => badRequest('A stream needs HTTP/1.1 or newer.');
/** @param id `Product ID` */
export const idRequired = (id: string) => badRequest(`${id} is required.`);
export const malformedEncoding = () => badRequest('The URL contains a malformed percent-encoding.');
export const repeatedParameter = (name: string) => badRequest(`The query parameter ${name} must be given once.`);
/** A name that differs from a known one only in case. */
export const misspeltParameter = (name: string) =>
  badRequest(`Names of query parameters are case-sensitive: please write ${name}.`);
export const checkNotOffered = () =>
  badRequest('The query parameter validateOnly does not apply to a single delete. Please leave it out.');
/** A parameter that has one value only. */
export const invalidFlag = (name: string, value: string) =>
  badRequest(`The query parameter ${name} must be ${value}, or be left out.`);
export const invalidChoice = (name: string, words: readonly string[]) =>
  badRequest(`The query parameter ${name} must be one of ${words.join(', ')}.`);
export const invalidLimit = (most: number) =>
  badRequest(`The query parameter limit must be a whole number from 1 to ${most}.`);
export const invalidTime = (name: string) =>
  badRequest(`The query parameter ${name} must be a day or time such as 2026-03-01 or 2026-03-01T10:00:00Z.`);
export const emptyRange = () => badRequest('The query parameter from must be before to, and before now.');
export const rangeTooLong = (days: number) =>
  badRequest(`The query parameter from must be at most ${days} days before to.`);
export const tooManyCounters = () =>
  badRequest('The range has too many counters for one answer. Please ask for a shorter one.');
export const foreignPageToken = () => badRequest('The query parameter pageToken is no token of this list.');
/** @param type the media type of a stream, which has no pages */
export const unpagedStream = (name: string, type: string) =>
  badRequest(`The query parameter ${name} does not apply to ${type}, which has all errors.`);
export const bodyTooLarge = (bytes: number) =>
  new HttpProblem(413, `The request body must be at most ${bytes} bytes, before and after decompression.`, {
    Connection: 'close', // the rest of the body is not read
  });
export const checkTooLarge = () =>
  new HttpProblem(
    413,
    'The batch would change too much to be checked at once. Please check it in smaller batches, or send it.',
  );
export const unsupportedMediaType = () => new HttpProblem(415, 'The Content-Type must be application/json in UTF-8.');
export const unsupportedEncoding = () =>
  new HttpProblem(415, 'The Content-Encoding must be gzip or identity.', { 'Accept-Encoding': 'gzip, identity' });
