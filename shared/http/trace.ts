import type { IncomingHttpHeaders } from 'node:http';
import type { Random } from '../platform/random';
import type { Trace } from '../platform/trace';
import { newTrace, parseTraceparent } from '../platform/trace';

/**
 * The trace of a request. It comes from the platform or the caller (`traceparent`, `X-Cloud-Trace-Context`); without
 * one, a new one is made. Answers and log lines carry its id. A caller's is believed for nothing else.
 */
export function traceOf(headers: IncomingHttpHeaders, random: Random): Trace {
  return parseTraceparent(headers.traceparent) ?? parseCloudContext(headers, random) ?? newTrace(random);
}

/** `TRACE/SPAN;o=1`: the span is a decimal number, and may be absent. */
function parseCloudContext(headers: IncomingHttpHeaders, random: Random): Trace | undefined {
  const context = /^(?!0{32})([0-9a-f]{32})(?:\/(\d{1,20}))?(?:;o=(\d))?(?:\/|;|$)/;
  const [, traceId, span = '0', sampled] = context.exec(String(headers['x-cloud-trace-context'] ?? '')) ?? [];
  if (traceId === undefined) return undefined;
  const spanId = BigInt.asUintN(64, BigInt(span)).toString(16).padStart(16, '0');
  return { traceId, spanId: /[1-9a-f]/.test(spanId) ? spanId : newTrace(random).spanId, isSampled: sampled === '1' };
}
