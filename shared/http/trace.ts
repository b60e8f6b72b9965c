import type { IncomingHttpHeaders } from 'node:http';
import type { Random } from '../platform/random';

/**
 * The trace id of a request, 32 hexadecimal digits. It comes from the platform or the caller (`traceparent`,
 * `X-Cloud-Trace-Context`); without one, a new id is made. Answers and log lines carry it.
 */
export function traceIdOf(headers: IncomingHttpHeaders, random: Random): string {
  const parent = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(headers.traceparent ?? ''));
  const cloud = /^([0-9a-f]{32})(?:\/|;|$)/.exec(String(headers['x-cloud-trace-context'] ?? ''));
  return parent?.[1] ?? cloud?.[1] ?? random.bytes(16).toString('hex');
}
