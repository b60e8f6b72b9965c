/**
 * From an object's bytes to its content: gzip of one or two layers, any number of members, bounded, in constant memory.
 */
import { createGunzip } from 'node:zlib';
import { MAX_INFLATED_BYTES } from '../limits/transfers';
import { DamagedFile } from './damaged-file';
import { PeekableBytes } from './peekable-bytes';

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** An uploader may set `Content-Encoding: gzip` on a file that it has compressed itself: two layers, never more. */
const MAX_LAYERS = 2;

/** Bytes of one inflated piece. */
const PIECE_BYTES = 64 * 1024;

/**
 * Inflates what begins like gzip, at most twice, and passes on everything else as it is (Cloud Storage may have
 * inflated it on its own).
 * @throws DamagedFile when the gzip is cut off, corrupt, followed by something else than zeros, or inflates to more
 * than `maxBytes`; what came before is yielded (of corrupt data except the last 64 KiB or less). Errors of `bytes` as
 * they are.
 */
export async function* inflate(
  bytes: AsyncIterable<Buffer>,
  maxBytes = MAX_INFLATED_BYTES,
): AsyncGenerator<Buffer, void, undefined> {
  let layer = new PeekableBytes(bytes);
  try {
    for (let layers = 0; layers < MAX_LAYERS && (await beginsLikeGzip(layer)); layers += 1) {
      layer = new PeekableBytes(gunzip(layer.rest(), maxBytes));
    }
    yield* layer.rest();
  } finally {
    await layer.close();
  }
}

/**
 * Passes over the first `length` bytes, for going on at a resume point's offset.
 * @throws DamagedFile when there are fewer
 */
export async function* skipBytes(
  bytes: AsyncIterable<Buffer>,
  length: number,
): AsyncGenerator<Buffer, void, undefined> {
  let left = length;
  for await (const piece of bytes) {
    if (piece.length > left) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
  if (left > 0) throw new DamagedFile('The file is shorter than when it was read before.');
}

async function beginsLikeGzip(bytes: PeekableBytes): Promise<boolean> {
  const head = await bytes.peek(GZIP_MAGIC.length);
  return head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
}

/**
 * One piece goes in at a time, and everything that it gives comes out before the next: an error then loses nothing that
 * was inflated before it, and the source is never read ahead.
 */
async function* gunzip(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  const inflater = createGunzip({ chunkSize: PIECE_BYTES });
  let failure: NodeJS.ErrnoException | undefined;
  let wake = () => {};
  inflater.on('error', (error) => (failure = error));
  for (const event of ['readable', 'end', 'error', 'close']) inflater.on(event, () => wake());
  let total = 0;
  let given = 0;
  let isOver = false; // the last member has ended: what is left of a piece is not taken

  async function* drain(isDone: () => boolean): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const piece = inflater.read() as Buffer | null;
      if (piece !== null) {
        total += piece.length;
        if (total > maxBytes) throw new DamagedFile(`The file inflates to more than ${maxBytes} bytes.`);
        yield piece;
      } else if (failure !== undefined) throw toDamage(failure);
      else if (isDone() || inflater.readableEnded) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  try {
    for await (const piece of bytes) {
      if (isOver) {
        requirePadding(piece);
        continue;
      }
      given += piece.length;
      let isTaken = false;
      inflater.write(piece, () => {
        isTaken = true;
        wake();
      });
      yield* drain(() => isTaken);
      const left = given - inflater.bytesWritten;
      isOver = left > 0;
      if (isOver) requirePadding(piece.subarray(piece.length - left));
    }
    inflater.end();
    yield* drain(() => false);
  } finally {
    inflater.destroy();
  }
}

/** After its last member gzip may be padded with zeros; anything else would be lost without a word. */
function requirePadding(bytes: Buffer): void {
  if (bytes.some((byte) => byte !== 0)) throw new DamagedFile('Something follows the end of the gzip data.');
}

function toDamage(error: NodeJS.ErrnoException): Error {
  if (error.code === 'Z_BUF_ERROR') return new DamagedFile('The gzip data is cut off.');
  return error.code?.startsWith('Z_') === true ? new DamagedFile('The gzip data is corrupt.') : error;
}
