import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { inflate, skipBytes } from '../../../shared/files/packing/inflate';
import { SeededRandom } from '../../support/seeded-random';
import { collect, inPieces } from './reading';

async function inflated(bytes: AsyncIterable<Buffer>, maxBytes?: number) {
  const { all, ...end } = await collect(inflate(bytes, maxBytes));
  return { content: Buffer.concat(all).toString('latin1'), ...end };
}

/** Text that hardly shrinks, so that its gzip is longer than a piece. */
const longText = new SeededRandom().bytes(150_000).toString('hex');

describe('inflate (D-51)', () => {
  it.each([
    ['plain bytes', Buffer.from('abc'), 'abc'],
    ['no bytes', Buffer.alloc(0), ''],
    ['a lone first magic byte', Buffer.from([0x1f]), '\x1f'],
    ['one layer', gzipSync('abc'), 'abc'],
    ['two layers', gzipSync(gzipSync('abc')), 'abc'],
    ['an empty member', gzipSync(''), ''],
    ['several members', Buffer.concat([gzipSync('ab'), gzipSync(''), gzipSync('c')]), 'abc'],
    ['zero padding behind the last member', Buffer.concat([gzipSync('abc'), Buffer.alloc(600)]), 'abc'],
    ['a text much longer than a piece', gzipSync(longText), longText],
  ])('gives the content of %s, whatever the pieces', async (_, bytes, content) => {
    await expect(inflated(inPieces(bytes))).resolves.toStrictEqual({ content });
    await expect(inflated(inPieces(bytes, bytes.length > 1000 ? 997 : 1))).resolves.toStrictEqual({ content });
  });

  it.each([
    ['a member behind padding', [gzipSync('abc'), Buffer.alloc(9), gzipSync('def')]],
    ['text behind padding', [gzipSync('abc'), Buffer.alloc(100_000), Buffer.from('def')]],
  ])('says that %s is not read, whatever the pieces', async (_, parts) => {
    const content = Buffer.concat(parts);
    for (const size of [content.length, 65_536, 7])
      await expect(inflated(inPieces(content, size))).resolves.toStrictEqual({
        content: 'abc',
        damage: 'Something follows the end of the gzip data.',
      });
  });

  it('inflates at most twice', async () => {
    const third = gzipSync('abc');
    await expect(inflated(inPieces(gzipSync(gzipSync(third))))).resolves.toStrictEqual({
      content: third.toString('latin1'),
    });
  });

  it('yields everything that can be read of gzip that is cut off, then says so', async () => {
    const gzip = gzipSync(longText);
    const { content, damage } = await inflated(inPieces(gzip.subarray(0, gzip.length / 2), 10_000));
    expect(damage).toBe('The gzip data is cut off.');
    expect(longText.startsWith(content)).toBe(true);
    expect(content.length).toBeGreaterThan(longText.length * 0.49);
  });

  it.each([1, 8])('yields all of the content when only %i bytes of the trailer are missing', async (missing) => {
    const gzip = gzipSync(longText);
    const { content, damage } = await inflated(inPieces(gzip.subarray(0, gzip.length - missing)));
    expect(damage).toBe('The gzip data is cut off.');
    expect(content.length).toBe(longText.length);
  });

  it.each([
    ['only its magic bytes', gzipSync('abc').subarray(0, 2)],
    ['a second member cut off in its header', Buffer.concat([gzipSync('abc'), gzipSync('def').subarray(0, 4)])],
    ['an inner layer cut off', gzipSync(gzipSync('abc').subarray(0, 15))],
  ])('finds %s cut off', async (_, bytes) => {
    expect((await inflated(inPieces(bytes))).damage).toBe('The gzip data is cut off.');
  });

  it('finds corrupt data, and yields what came before', async () => {
    const gzip = gzipSync(longText);
    const middle = Math.floor(gzip.length / 2);
    gzip.fill(0xff, middle, middle + 50);
    const { content, damage } = await inflated(inPieces(gzip, 4096));
    expect(damage).toBe('The gzip data is corrupt.');
    expect(longText.startsWith(content.slice(0, 50_000))).toBe(true);
    expect(content.length).toBeGreaterThan(50_000);
  });

  it.each([
    ['a wrong checksum', () => gzipSync('abc').fill(0, gzipSync('abc').length - 8)],
    ['text behind the last member', () => Buffer.concat([gzipSync('abc'), Buffer.from('text')])],
    ['an unknown compression method', () => Buffer.from([0x1f, 0x8b, 0xff, 0, 0, 0])],
  ])('finds %s corrupt', async (_, bytes) => {
    expect((await inflated(inPieces(bytes()))).damage).toBe('The gzip data is corrupt.');
  });

  it('stops a gzip bomb at the bound', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const { content, damage } = await inflated(inPieces(bomb), 1_000_000);
    expect(damage).toBe('The file inflates to more than 1000000 bytes.');
    expect(content.length).toBeGreaterThan(900_000);
    expect(content.length).toBeLessThanOrEqual(1_000_000);
  });

  it('takes exactly the bound', async () => {
    await expect(inflated(inPieces(gzipSync('abc')), 3)).resolves.toStrictEqual({ content: 'abc' });
  });

  it('counts both layers of a bomb in a bomb', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(20_000_000)));
    expect((await inflated(inPieces(bomb), 1_000_000)).damage).toBe('The file inflates to more than 1000000 bytes.');
  });

  it('passes an error of the source on as it is', async () => {
    async function* failing() {
      yield* inPieces(gzipSync(longText).subarray(0, 1000));
      throw new RangeError('network');
    }
    await expect(collect(inflate(failing()))).rejects.toThrow(new RangeError('network'));
  });

  it.each([
    ['plain', Buffer.from(longText)],
    ['gzip', gzipSync(longText)],
    ['two layers of gzip', gzipSync(gzipSync(longText))],
  ])('closes the source of %s when it is left early', async (_, bytes) => {
    let isClosed = false;
    async function* source() {
      try {
        yield* inPieces(bytes, 100);
      } finally {
        isClosed = true;
      }
    }
    for await (const piece of inflate(source())) if (piece.length > 0) break;
    expect(isClosed).toBe(true);
  });

  it('never throws anything but DamagedFile, whatever the bytes', async () => {
    const gzip = gzipSync(longText.slice(0, 1000));
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(gzip.length),
        fc.integer({ min: 1, max: 300 }),
        async (noise, position, size) => {
          const bytes = Buffer.concat([gzip.subarray(0, position), noise, gzip.subarray(position)]);
          await collect(inflate(inPieces(bytes, size)));
        },
      ),
    );
  });
});

describe('skipBytes', () => {
  it('passes over exactly so many bytes, whatever the pieces', async () => {
    for (let length = 0; length <= 6; length += 1) {
      for (const size of [1, 2, 4, 6, 7]) {
        const { all } = await collect(skipBytes(inPieces('abcdef', size), length));
        expect(Buffer.concat(all).toString()).toBe('abcdef'.slice(length));
      }
    }
  });

  it('says when there are fewer', async () => {
    await expect(collect(skipBytes(inPieces('abc', 1), 4))).resolves.toStrictEqual({
      all: [],
      damage: 'The file is shorter than when it was read before.',
    });
  });
});
