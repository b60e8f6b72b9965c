import * as fc from 'fast-check';
import { WireReader } from '../../../../shared/adapters/grpc/wire-reader';
import { WireWriter } from '../../../../shared/adapters/grpc/wire-writer';

function written(write: (out: WireWriter) => void): Buffer {
  const out = new WireWriter();
  write(out);
  return out.finish();
}

describe('WireWriter', () => {
  // The examples of https://protobuf.dev/programming-guides/encoding
  it('writes what the definition of the format shows', () => {
    expect(written((out) => out.integer(1, 150)).toString('hex')).toBe('089601');
    expect(written((out) => out.integer(1, -2)).toString('hex')).toBe('08feffffffffffffffff01');
    expect(written((out) => out.text(2, 'testing')).toString('hex')).toBe('120774657374696e67');
    const message = written((out) => {
      const start = out.open(3);
      out.integer(1, 150);
      out.close(start);
    });
    expect(message.toString('hex')).toBe('1a03089601');
  });

  it('writes each length in as few bytes as it takes', () => {
    for (const [length, bytes] of [[0, 1], [127, 1], [128, 2], [16_383, 2], [16_384, 3], [2 ** 21, 4]] as const) {
      const text = 'x'.repeat(length);
      expect(written((out) => out.text(1, text))).toHaveLength(1 + bytes + length);
    } // prettier-ignore
  });

  it('writes the same whatever length was expected, and takes its bytes once where that is right', () => {
    const allocate = jest.spyOn(Buffer, 'allocUnsafe');
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`.repeat(100));
    const write = (expected: number) => {
      allocate.mockClear();
      const bytes = written((out) => {
        out.text(1, 'first');
        expect(out).toHaveLength(7);
        out.ensureCapacity(expected);
        for (const text of texts) out.text(2, text);
      });
      return { bytes, allocations: allocate.mock.calls.length };
    };
    const right = write(30_000);
    expect(right.allocations).toBe(2);
    for (const expected of [0, 10, 5_000, 10_000_000]) expect(write(expected).bytes).toStrictEqual(right.bytes);
    expect(write(0).allocations).toBeGreaterThan(2);
    allocate.mockRestore();
  });
});

describe('WireReader', () => {
  it('reads the numbers and texts that were written, and passes over others', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.double(), fc.string({ unit: 'binary' }), (integer, double, text) => {
        const reader = new WireReader(
          written((out) => {
            out.integer(1, integer);
            out.double(2, double);
            out.text(3, text);
            out.integer(1, integer);
            out.double(2, double);
            out.text(3, text);
          }),
        );
        const skipped = [1, 2, 3].map(() => {
          const field = reader.field();
          reader.skip();
          return field;
        });
        expect(skipped).toEqual([1, 2, 3]);
        expect([reader.field(), reader.integer()]).toEqual([1, integer]);
        expect([reader.field(), reader.double()]).toEqual([2, double]);
        expect([reader.field(), reader.text()]).toEqual([3, text]);
        expect(reader.hasMore(reader.end)).toBe(false);
      }),
    );
  });

  it('refuses what ends too early', () => {
    const message = written((out) => {
      out.text(1, 'text');
      out.double(2, 0.5);
      out.integer(3, 2 ** 40);
    });
    const wholeFields = [0, 6, 15, message.length];
    const readAll = (bytes: Buffer) => () => {
      const reader = new WireReader(bytes);
      while (reader.hasMore(reader.end)) {
        reader.field();
        reader.skip();
      }
    };
    for (let length = 0; length <= message.length; length += 1) {
      if (wholeFields.includes(length)) expect(readAll(message.subarray(0, length))).not.toThrow();
      else expect(readAll(message.subarray(0, length))).toThrow(RangeError);
    }
  });
});
