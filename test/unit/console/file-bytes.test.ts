/** Files that the console reads: compressed, of several members, and damaged. */
import { constants, gzipSync, inflateRawSync } from 'node:zlib';
import { bytesOf } from '../../../functions/console/app/pages/send/file-bytes';
import { ZIP_DATA_START, zipOf } from '../../support/zip-archives';
import { collect } from '../files/reading';

const GZIP_HEADER_BYTES = 10;
const GZIP_TRAILER_BYTES = 8;

/** Inflates one member and gives what comes before damage, as browsers do; Node.js inflates all members. */
class BrowsersStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(format: string) {
    const pieces: Uint8Array[] = [];
    super({
      transform: (piece) => void pieces.push(piece),
      flush: (controller) => {
        const packed = Buffer.concat(pieces);
        const data = format === 'gzip' ? packed.subarray(GZIP_HEADER_BYTES, -GZIP_TRAILER_BYTES) : packed;
        const inflated = inflate(data) ?? inflate(data, constants.Z_SYNC_FLUSH);
        if (inflated) controller.enqueue(inflated.buffer);
        const isWhole = inflate(data) !== undefined && inflated?.engine.bytesWritten === data.length;
        if (!isWhole) throw new TypeError('The compressed data was not valid.');
      },
    });
  }
}

/** Undefined: the data is damaged or, unless it may be cut off, not whole. */
function inflate(data: Buffer, finishFlush?: number): { buffer: Buffer; engine: { bytesWritten: number } } | undefined {
  try {
    return inflateRawSync(data, { info: true, ...(finishFlush !== undefined && { finishFlush }) }) as never;
  } catch {
    return undefined;
  }
}

beforeAll(() => jest.spyOn(globalThis, 'DecompressionStream', 'get').mockReturnValue(BrowsersStream));
afterAll(() => jest.restoreAllMocks());

async function contentOf(content: Buffer, name = 'customers.csv.gz') {
  const { all, ...end } = await collect(bytesOf(new File([new Uint8Array(content)], name)));
  return { content: Buffer.concat(all).toString('latin1'), ...end };
}

/** Gzip whose data looks like the beginning of a member. */
const stored = (text: string) => gzipSync(Buffer.from(text, 'latin1'), { level: 0 });
const LIKE_MEMBER = `${'x'.repeat(20)}\x1f\x8b\x08${'\0'.repeat(6)}\x03`;

it.each([
  ['one member', gzipSync('abc'), 'abc'],
  ['several members', Buffer.concat([gzipSync('ab'), gzipSync(''), gzipSync('c')]), 'abc'],
  ['a member longer than what is searched at once', Buffer.concat([stored('x'.repeat(100_000)), gzipSync('c')]), `${'x'.repeat(100_000)}c`],
  ['data that looks like members', Buffer.concat([stored(`a${LIKE_MEMBER}b${LIKE_MEMBER}`), stored('c')]), `a${LIKE_MEMBER}b${LIKE_MEMBER}c`],
  ['no gzip', Buffer.from('abc'), 'abc'],
])('gives the content of %s (R-405)', async (_, packed, content) => {
  await expect(contentOf(packed)).resolves.toStrictEqual({ content });
}); // prettier-ignore

it.each([
  ['cut off', gzipSync('abc').subarray(0, 12)],
  ['corrupt', gzipSync('abc').fill(0xff, 10, 14)],
  ['followed by something', Buffer.concat([gzipSync('abc'), Buffer.from('text')])],
])('says that gzip is damaged that is %s (R-405)', async (_, packed) => {
  expect((await contentOf(packed)).damage).toBe('The gzip data is cut off or corrupt.');
});

it('gives what comes before a damaged member (R-405)', async () => {
  const packed = Buffer.concat([gzipSync('ab'), gzipSync('c').subarray(0, 12)]);
  await expect(contentOf(packed)).resolves.toStrictEqual({
    content: 'ab',
    damage: 'The gzip data is cut off or corrupt.',
  });
});

it('says that a ZIP archive is damaged (R-405)', async () => {
  await expect(contentOf(zipOf('abc'), 'customers.csv.zip')).resolves.toStrictEqual({ content: 'abc' });
  const damaged = Buffer.from(zipOf('abc')).fill(0xff, ZIP_DATA_START, ZIP_DATA_START + 3);
  expect((await contentOf(damaged, 'customers.csv.zip')).damage).toBe('The ZIP archive is cut off or corrupt.');
});
