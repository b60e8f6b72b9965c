/** Answers of the service: their data, or the error that they are. */
import type { ErrorDetails, FieldErrors, IngestionError } from '../errors';
import {
  ConflictError,
  ForbiddenError,
  NetworkError,
  NotFoundError,
  RateLimitError,
  RequestError,
  ServerError,
  UnauthorizedError,
  ValidationError,
} from '../errors';

/** A `Retry-After` beyond this is no answer of the service, whose windows are a minute. */
const LONGEST_RETRY_SECONDS = 120;

/** The data of an envelope. @throws NetworkError where the text is no whole answer of the service */
export function toData<T>(response: Response, text: string): T {
  const body = parsed(text);
  const data = body?.['data'] ?? body?.['Data'];
  if (data === undefined) throw new NetworkError('The answer is none of the service.', detailsOf(response));
  return data as T;
}

/** The error that an answer is. @param nowMs for a `Retry-After` that is a date */
export function toError(response: Response, text: string, nowMs: number): IngestionError {
  const details = detailsOf(response, nowMs);
  const body = parsed(text);
  const { status } = response;
  if (status === 0 || (status >= 300 && status < 400)) {
    return new RequestError('The service answered with a redirect: check the base URL.', details);
  }
  if (status < 400) return new NetworkError(`The service answered with the status ${status}.`, details);
  if (status === 400 && isObject(body?.['errors'])) return toValidationError(body, details);
  const said = body?.['message'] ?? body?.['Message'];
  const message = typeof said === 'string' ? said : `The service answered with the status ${status}.`;
  if (status === 404) return new NotFoundError(message, details, pendingIn(body));
  return new (classOf(status))(message, details);
}

/** The deletion of which an answer tells. */
function pendingIn(body: Record<string, unknown> | undefined): string | undefined {
  const data = body?.['data'];
  const acceptedAt = isObject(data) ? data['deletionAcceptedAt'] : undefined;
  return typeof acceptedAt === 'string' ? acceptedAt : undefined;
}

function classOf(status: number): new (message: string, details: ErrorDetails) => IngestionError {
  switch (status) {
    case 401:
      return UnauthorizedError;
    case 403:
      return ForbiddenError;
    case 409:
      return ConflictError;
    case 429:
      return RateLimitError;
    default:
      return status === 408 || status >= 500 ? ServerError : RequestError;
  }
}

function toValidationError(body: Record<string, unknown>, details: ErrorDetails): ValidationError {
  const errors = body['errors'] as FieldErrors;
  const title = typeof body['title'] === 'string' ? body['title'] : 'One or more validation errors occurred.';
  const [path, messages] = Object.entries(errors)[0] ?? [];
  const first = messages?.[0] === undefined ? '' : ` ${path ? `${path}: ` : ''}${messages[0]}`;
  const omitted = typeof body['omittedErrors'] === 'number' ? body['omittedErrors'] : 0;
  const ignored = Array.isArray(body['ignoredFields']) ? (body['ignoredFields'] as string[]) : [];
  return new ValidationError(`${title}${first}`, details, errors, omitted, ignored);
}

function detailsOf(response: Response, nowMs = 0): ErrorDetails {
  return {
    status: response.status,
    traceId: response.headers.get('X-Trace-Id') ?? undefined,
    retryAfterSeconds: toSeconds(response.headers.get('Retry-After'), nowMs),
  };
}

/** `Retry-After` is a number of seconds, or a date. */
function toSeconds(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), LONGEST_RETRY_SECONDS);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
