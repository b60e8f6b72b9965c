import * as fc from 'fast-check';
import { traceOf } from '../../../shared/http/trace';

const random = { bytes: (size: number) => Buffer.alloc(size, 0xab), fraction: () => 0 };
const NEW = 'ab'.repeat(16);
const A = '0af7651916cd43dd8448eb211c80319c';
const B = '105445aa7843bc8bf206b12000100000';

describe('traceOf', () => {
  it.each([
    [{ traceparent: `00-${A}-b7ad6b7169203331-01` }, A],
    [{ 'x-cloud-trace-context': `${B}/1;o=1` }, B],
    [{ 'x-cloud-trace-context': `${B};o=1` }, B],
    [{ 'x-cloud-trace-context': B }, B],
    [{ traceparent: `00-${A}-b7ad6b7169203331-01`, 'x-cloud-trace-context': `${B}/1` }, A],
    [{ traceparent: 'nonsense', 'x-cloud-trace-context': `${B}/1` }, B],
  ])('takes over the caller’s trace (Spec §7.2): %j', (headers, expected) => {
    expect(traceOf(headers, random).traceId).toBe(expected);
  });

  it.each([
    {},
    { traceparent: '' },
    { traceparent: A },
    { traceparent: `00-${A}-${'0'.repeat(16)}-01` },
    { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
    { 'x-cloud-trace-context': '0'.repeat(32) },
    { traceparent: `00-${A}` },
    { traceparent: `00-${A.slice(1)}-b7ad6b7169203331-01` },
    { traceparent: `00-${A.toUpperCase()}-b7ad6b7169203331-01` },
    { 'x-cloud-trace-context': `${B}x` },
    { 'x-cloud-trace-context': `${B}0/1` },
    { 'x-cloud-trace-context': 'a\r\nb' },
  ])('makes a new one of 16 random bytes where there is none: %j', (headers) => {
    expect(traceOf(headers, random)).toEqual({ traceId: NEW, spanId: NEW.slice(16), isSampled: false });
  });

  it.each([
    [{ traceparent: `00-${A}-b7ad6b7169203331-01` }, 'b7ad6b7169203331', true],
    [{ 'x-cloud-trace-context': `${B}/255;o=1` }, '00000000000000ff', true],
    [{ 'x-cloud-trace-context': `${B}/18446744073709551615;o=0` }, 'f'.repeat(16), false],
    [{ 'x-cloud-trace-context': `${B}/0` }, NEW.slice(16), false],
    [{ 'x-cloud-trace-context': `${B}/x;o=1` }, NEW.slice(16), false],
  ])('has the span and the flag of %j (R-393)', (headers, spanId, isSampled) => {
    expect(traceOf(headers, random)).toMatchObject({ spanId, isSampled });
  });

  it('is 32 hexadecimal digits, whatever the caller sends (Spec §7.2)', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (traceparent, context) => {
        expect(traceOf({ traceparent, 'x-cloud-trace-context': context }, random).traceId).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });
});
