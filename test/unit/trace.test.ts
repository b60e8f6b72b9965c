import * as fc from 'fast-check';
import { newTrace, parseTraceparent, toTraceparent, traceFrom } from '../../shared/platform/trace';
import { TRACE, TRACEPARENT } from '../support/traces';

const { traceId, spanId } = TRACE;
const FORM = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;
const random = { bytes: (size: number) => Buffer.alloc(size, 0xab), fraction: () => 0 };

describe('parseTraceparent (R-393)', () => {
  it.each([
    [TRACEPARENT, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`00-${traceId}-${spanId}-fe`, false],
    [`01-${traceId}-${spanId}-01`, true],
    [`cc-${traceId}-${spanId}-00-of-a-later-version`, false],
  ])('reads %s', (text, isSampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, isSampled });
  });

  it.each([
    undefined,
    null,
    7,
    {},
    [TRACEPARENT],
    '',
    traceId,
    `00-${traceId}`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-0x`,
    `00-${traceId}-${spanId}-011`,
    `00-${traceId}-${spanId}-01-`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01\n`,
    `01-${traceId}-${spanId}-01more`,
    `ff-${traceId}-${spanId}-01`,
    `0-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}0-${spanId}-01`,
    ` ${TRACEPARENT}`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
    `00-${traceId}"><script>-01`,
    `00-${'٣'.repeat(32)}-${spanId}-01`,
    '0'.repeat(1_000_000),
    `00-${traceId}-${spanId}-01-${'-'.repeat(1_000_000)}`,
  ])('takes %.80p for none', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('never throws, and takes no more of a text than its digits', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((more) => TRACEPARENT.replace('00', '01') + more),
        ),
        (text) => {
          const parsed = parseTraceparent(text);
          if (parsed) expect(toTraceparent(parsed)).toMatch(FORM);
        },
      ),
    );
  });
});

it('writes a trace as it was read (R-393)', () => {
  expect(toTraceparent(TRACE)).toBe(TRACEPARENT);
  expect(parseTraceparent(toTraceparent(newTrace(random)))).toEqual(newTrace(random));
});

it('makes always the same trace of a text, and another one of another text (R-393)', () => {
  expect(traceFrom('17')).toEqual(traceFrom('17'));
  expect(traceFrom('17').traceId).not.toBe(traceFrom('18').traceId);
  expect(parseTraceparent(toTraceparent(traceFrom('17')))).toEqual(traceFrom('17'));
});
