/** Inflates an object's bytes to its content in constant memory: bounded, up to two layers, any number of members. */
import type { Gunzip, InflateRaw } from 'node:zlib';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { MAX_INFLATED_BYTES } from '../../limits/transfers';
import { DamagedFile, requireInflatedAtMost } from '../damaged-file';
import { PeekableBytes } from '../peekable-bytes';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Two, because an uploader may set `Content-Encoding: gzip` on a file that it has already compressed. */
const MAX_LAYERS = 2;

/** Most bytes of an inflated piece. */
const PIECE_BYTES = 64 * 1024;

/**
 * Inflates bytes that begin like gzip, at most twice. Yields all other bytes unchanged: Cloud Storage may have inflated
 * them itself.
 *
 * Yields the content before an error first; of corrupt data all but the last 64 KiB or less.
 * @throws DamagedFile when the gzip data is cut off, corrupt, followed by anything but zeros, or inflates to more than
 * `maxBytes`. Errors of `bytes` are passed on unchanged.
 */
export async function* inflate(
  bytes: AsyncIterable<Buffer>,
  maxBytes = MAX_INFLATED_BYTES,
): AsyncGenerator<Buffer, void, undefined> {
  let layer = new PeekableBytes(bytes);
  try {
    for (let layers = 0; layers < MAX_LAYERS && (await beginsLikeGzip(layer)); layers += 1) {
      layer = new PeekableBytes(inflateBy(createGunzip, 'gzip data', layer.rest(), maxBytes));
    }
    yield* layer.rest();
  } finally {
    await layer.close();
  }
}

/**
 * Inflates the deflate data of a ZIP archive.
 * @throws DamagedFile when it is cut off, corrupt, followed by anything but zeros, or inflates to more than `maxBytes`
 */
export function inflateRaw(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  return inflateBy(createInflateRaw, 'ZIP archive', bytes, maxBytes);
}

/**
 * Skips the first `length` bytes, to continue at a checkpoint's offset.
 * @throws DamagedFile when there are fewer bytes
 */
export async function* skipBytes(
  bytes: AsyncIterable<Buffer>,
  length: number,
): AsyncGenerator<Buffer, void, undefined> {
  let remaining = length;
  for await (const piece of bytes) {
    if (piece.length > remaining) yield piece.subarray(remaining);
    remaining = Math.max(0, remaining - piece.length);
  }
  if (remaining > 0) throw new DamagedFile('The file is shorter than when it was read before.');
}

async function beginsLikeGzip(bytes: PeekableBytes): Promise<boolean> {
  const head = await bytes.peek(GZIP_MAGIC.length);
  return head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
}

/**
 * Inflates one piece at a time, and yields all of its output before it takes the next. An error therefore loses nothing
 * that was inflated before it, and the source is never read ahead.
 */
async function* inflateBy(
  createInflater: (options: { readonly chunkSize: number }) => Gunzip | InflateRaw,
  subject: string,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  const inflater = createInflater({ chunkSize: PIECE_BYTES });
  let failure: NodeJS.ErrnoException | undefined;
  let wake = () => {};
  inflater.on('error', (error) => (failure = error));
  for (const event of ['readable', 'end', 'error', 'close']) inflater.on(event, () => wake());
  let inflatedBytes = 0;
  let writtenBytes = 0;
  let isLastMemberDone = false; // the inflater then takes no more bytes

  async function* drain(isDone: () => boolean): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const piece = inflater.read() as Buffer | null;
      if (piece !== null) {
        inflatedBytes += piece.length;
        requireInflatedAtMost(inflatedBytes, maxBytes);
        yield piece;
      } else if (failure !== undefined) throw toDamagedFile(failure, subject);
      else if (isDone() || inflater.readableEnded) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  try {
    for await (const piece of bytes) {
      if (isLastMemberDone) {
        requirePadding(piece, subject);
        continue;
      }
      writtenBytes += piece.length;
      let isConsumed = false;
      inflater.write(piece, () => {
        isConsumed = true;
        wake();
      });
      yield* drain(() => isConsumed);
      const unusedBytes = writtenBytes - inflater.bytesWritten;
      isLastMemberDone = unusedBytes > 0;
      if (isLastMemberDone) requirePadding(piece.subarray(piece.length - unusedBytes), subject);
    }
    inflater.end();
    yield* drain(() => false);
  } finally {
    inflater.destroy();
  }
}

/** Gzip data may be padded with zeros after its last member. Anything else would be lost silently. */
function requirePadding(bytes: Buffer, subject: string): void {
  if (bytes.some((byte) => byte !== 0)) throw new DamagedFile(`Something follows the end of the ${subject}.`);
}

/** Errors that do not come from zlib stay as they are. */
function toDamagedFile(error: NodeJS.ErrnoException, subject: string): Error {
  if (error.code === 'Z_BUF_ERROR') return new DamagedFile(`The ${subject} is cut off.`);
  return error.code?.startsWith('Z_') === true ? new DamagedFile(`The ${subject} is corrupt.`) : error;
}
