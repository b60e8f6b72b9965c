/**
 * The trace of a request or a message: one id under which the log has everything that followed from it. Its text form
 * is `traceparent` of W3C Trace Context. No span is made here, so that a trace is passed on as it came.
 */
import { createHash } from 'node:crypto';
import type { Random } from './random';

export interface Trace {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** The span in which the trace came, 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** Whether somebody records the trace. Nothing here depends on it. */
  readonly isSampled: boolean;
}

/** Version 00 ends with its flags; a later one may go on behind them. Anchored and without repetition: linear. */
const TRACEPARENT =
  /^(?!ff)(?!00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Parses a `traceparent`, which anybody may have written; undefined when it is none. */
export function parseTraceparent(text: unknown): Trace | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

/** A trace as `traceparent`: 55 characters. */
export function toTraceparent({ traceId, spanId, isSampled }: Trace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export function newTrace(random: Random): Trace {
  return { traceId: random.bytes(16).toString('hex'), spanId: random.bytes(8).toString('hex'), isSampled: false };
}

/** The trace that follows from a text: always the same one. */
export function traceFrom(text: string): Trace {
  const digits = createHash('sha256').update(text).digest('hex');
  return { traceId: digits.slice(0, 32), spanId: digits.slice(32, 48), isSampled: false };
}

/** The trace of what has one, without the rest of it. */
export function toTrace({ traceId, spanId, isSampled }: Trace): Trace {
  return { traceId, spanId, isSampled };
}
