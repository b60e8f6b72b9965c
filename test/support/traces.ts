import type { Trace } from '../../shared/platform/trace';

/** A trace that a caller sends, and the header in which it does. */
export const TRACE: Trace = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  isSampled: true,
};
export const TRACEPARENT = `00-${TRACE.traceId}-${TRACE.spanId}-01`;

/** The attributes of a message that carries a trace, and no others. */
export const TRACED = { traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/) as string };
