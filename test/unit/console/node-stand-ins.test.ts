/** What stands in for Node.js in a browser does what Node.js does, as far as the readers of files use it. */
import * as fc from 'fast-check';
import { Buffer as NodeBuffer, isUtf8 as nodeIsUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toUtf8 } from '../../../shared/files/text-encoding';
import { read } from '../files/reading';
import {
  brotliDecompress,
  Buffer as StandIn,
  isUtf8,
  ZSTDDecoder,
} from '../../../functions/console/app/pages/send/node-stand-ins';

const texts = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());
const bytes = fc.uint8Array({ maxLength: 40 });

it('holds the same bytes for a text, and gives the text back (R-256)', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect([...StandIn.from(text)]).toEqual([...NodeBuffer.from(text)]);
      expect(StandIn.from(text).toString()).toBe(text);
      expect(StandIn.byteLength(text)).toBe(NodeBuffer.byteLength(text));
    }),
  );
});

it('reads a part of the bytes in both encodings (R-256)', () => {
  fc.assert(
    fc.property(bytes, fc.nat(40), fc.nat(40), (content, start, end) => {
      const [mine, its] = [StandIn.from(content), NodeBuffer.from(content)];
      for (const encoding of ['utf8', 'latin1'] as const) {
        expect(mine.toString(encoding, start, end)).toBe(its.toString(encoding, start, end));
      }
      expect(isUtf8(mine)).toBe(nodeIsUtf8(its));
    }),
  );
});

it('joins, cuts, finds and compares (R-256)', () => {
  fc.assert(
    fc.property(fc.array(bytes), bytes, fc.nat(255), (pieces, other, byte) => {
      const [mine, its] = [StandIn.concat(pieces), NodeBuffer.concat(pieces)];
      expect([...mine]).toEqual([...its]);
      expect(mine.indexOf(byte, 3)).toBe(its.indexOf(byte, 3));
      expect(mine.equals(other)).toBe(its.equals(other));
      expect(mine.equals(StandIn.concat([mine]))).toBe(true);
      const part = mine.subarray(1, 5);
      expect(part.toString()).toBe(its.subarray(1, 5).toString());
      expect(StandIn.from(part).buffer).not.toBe(part.buffer);
    }),
  );
});

it('reads UTF-16 as Node.js does (R-361)', async () => {
  async function* pieces(content: Uint8Array) {
    for (const byte of content) yield await Promise.resolve(StandIn.from([byte]) as unknown as NodeBuffer);
  }
  const text: string[] = [];
  const content = NodeBuffer.from('Zoë, 李 😀', 'utf16le');
  // The reader takes the global one, which the bundle replaces.
  globalThis.Buffer = StandIn as unknown as typeof NodeBuffer;
  try {
    for await (const piece of toUtf8(pieces(content), 'utf-16le')) text.push(piece.toString());
  } finally {
    globalThis.Buffer = NodeBuffer;
  }
  expect(text.join('')).toBe('Zoë, 李 😀');
});

it('keeps a byte order mark', () => {
  expect(StandIn.from('\uFEFFa').toString()).toBe('\uFEFFa');
  expect([...StandIn.alloc(2)]).toEqual([0, 0]);
});

it('reads Parquet as Node.js does (R-369)', async () => {
  const content = readFileSync(join(__dirname, '../files/parquet/orders-gzip.parquet'));
  const options = { kind: 'orders', format: 'parquet' } as const;
  const stored = (toBytes: (content: Uint8Array) => NodeBuffer) => ({
    size: content.length,
    async *read(from: number) {
      yield await Promise.resolve(toBytes(content.subarray(from)));
    },
  });
  const expected = await read(
    stored((bytes) => NodeBuffer.from(bytes)),
    options,
  );
  globalThis.Buffer = StandIn as unknown as typeof NodeBuffer;
  try {
    const found = await read(
      stored((bytes) => StandIn.from(bytes) as unknown as NodeBuffer),
      options,
    );
    expect(found.rows).toStrictEqual(expected.rows);
  } finally {
    globalThis.Buffer = NodeBuffer;
  }
  expect(expected.rows).toHaveLength(60);
});

it('says which Parquet the page Send does not read (R-369)', () => {
  const sentence = (codec: string) =>
    `This page reads no Parquet that is compressed by ${codec}. Send it with ingest, or by a transfer.`;
  expect(() => brotliDecompress()).toThrow(sentence('brotli'));
  expect(() => new ZSTDDecoder().init()).toThrow(sentence('zstd'));
});
