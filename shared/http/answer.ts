/** Answers: their headers, and their bodies (Spec §2.8, §7.2). */
import type { ServerResponse } from 'node:http';
import type { RateStatus } from '../domain/rate-window';
import type { UsageCounts } from '../domain/usage';
import type { ValidationFailed } from '../validation/validation-failed';

/** `lower`: success, message, data. `capitalised`: Success, Message, Data (the transfer routes). */
export type EnvelopeCasing = 'lower' | 'capitalised';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The result of a use case: the message and the data of the envelope. */
export interface Success {
  /** Absent: that of the route. */
  readonly message?: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** What was done to records, for the counters of usage; absent: nothing. */
  readonly done?: Partial<Pick<UsageCounts, 'records' | 'rejected' | 'deletions'>>;
  /** Headers of this answer beside those of its route. */
  readonly headers?: Answer['headers'];
}

/** The result of a use case whose body is sent while it is made, without an envelope (`stream.ts`). */
export interface StreamedSuccess {
  readonly contentType: string;
  /** The body in pieces. An error of the first one is answered; a later one closes the connection. */
  readonly pieces: AsyncIterable<string>;
}

export function envelope(casing: EnvelopeCasing, success: boolean, message: string, data: object = {}): unknown {
  return casing === 'lower' ? { success, message, data } : { Success: success, Message: message, Data: data };
}

export function validationProblem({ errors, details }: ValidationFailed, traceId: string): unknown {
  return {
    type: 'https://tools.ietf.org/html/rfc7231#section-6.5.1',
    title: 'One or more validation errors occurred.',
    status: 400,
    traceId,
    errors,
    ...details,
  };
}

/** The headers that every answer has (Spec §8, R-67). */
export function commonHeaders(rate: RateStatus, traceId: string): Readonly<Record<string, string | number>> {
  return {
    'Cache-Control': 'no-store',
    'X-RateLimit-Limit': rate.limit,
    'X-RateLimit-Remaining': rate.remaining,
    'X-RateLimit-Reset': rate.resetSeconds,
    'X-Trace-Id': traceId,
  };
}

/** Sends an answer as JSON (D-34). @param headers beside its own */
export function send(
  response: ServerResponse,
  answer: Answer,
  headers: Readonly<Record<string, string | number>>,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...headers,
    ...answer.headers,
  });
  response.end(body);
}
