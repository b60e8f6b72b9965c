import type { IncomingHttpHeaders } from 'node:http';
import type { Random } from '../platform/random';

/**
 * The request's trace id, 32 hexadecimal digits: the platform's or the caller's (`traceparent`,
 * `X-Cloud-Trace-Context`), else a new one. Answers and log lines carry it.
 */
export function traceIdOf(headers: IncomingHttpHeaders, random: Random): string {
  const parent = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(headers.traceparent ?? ''));
  const cloud = /^([0-9a-f]{32})(?:\/|;|$)/.exec(String(headers['x-cloud-trace-context'] ?? ''));
  return parent?.[1] ?? cloud?.[1] ?? random.bytes(16).toString('hex');
}
