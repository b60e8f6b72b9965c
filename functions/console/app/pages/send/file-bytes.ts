import { DamagedFile } from '../../../../../shared/files/damaged-file';
import type { StoredBytes } from '../../../../../shared/files/packing/unzip';
import { unzip } from '../../../../../shared/files/packing/unzip';
import { Buffer as Bytes } from './node-stand-ins';

/** What a member of gzip begins with. */
const MEMBER = [0x1f, 0x8b, 0x08] as const;

/** Bytes of a member before its name, if it has one. */
const MEMBER_HEADER_BYTES = 10;

/** Bytes that are looked through at once for the next member. */
const SEARCHED_BYTES = 64 * 1024;

/** A file that is read from its end. */
export function storedBytesOf(content: Blob): StoredBytes {
  return { size: content.size, read: (from) => piecesOf(content.slice(from).stream()) };
}

/**
 * The bytes of a file, inflated where it is compressed, as the readers of files take them.
 * @throws DamagedFile when it cannot be inflated
 */
export async function* bytesOf(content: Blob): AsyncGenerator<Buffer, void, undefined> {
  const [first, second] = new Uint8Array(await content.slice(0, 2).arrayBuffer());
  const isGzip = first === MEMBER[0] && second === MEMBER[1];
  if (content instanceof File && content.name.toLowerCase().endsWith('.zip')) {
    yield* unzip(storedBytesOf(content), inflateRaw);
  } else {
    yield* isGzip ? gunzip(content) : piecesOf(content.stream());
  }
}

/**
 * Inflates all members of gzip, one after the other. A browser inflates a single one, and does not say where it ends:
 * that is where the next one begins, or, if only its data looks like that, at a later such place.
 */
async function* gunzip(content: Blob): AsyncGenerator<Buffer, void, undefined> {
  let end = 0;
  for (let start = 0; start < content.size; start = end) {
    let given = 0;
    for (let isWhole = false; !isWhole;) {
      end = await findMember(content, end + 1);
      try {
        let read = 0;
        for await (const piece of inflateBy('gzip', 'gzip data', content.slice(start, end).stream())) {
          read += piece.length;
          if (read > given) yield piece.subarray(given - read);
          given = Math.max(given, read);
        }
        isWhole = true;
      } catch (error) {
        if (end === content.size || !(error instanceof DamagedFile)) throw error;
      }
    }
  }
}

/** Where a member may begin; where none does, the end. */
async function findMember(content: Blob, from: number): Promise<number> {
  for (let at = from; at < content.size; at += SEARCHED_BYTES) {
    const part = content.slice(at, at + SEARCHED_BYTES + MEMBER_HEADER_BYTES - 1);
    const bytes = new Uint8Array(await part.arrayBuffer());
    for (let index = bytes.indexOf(MEMBER[0]); index >= 0; index = bytes.indexOf(MEMBER[0], index + 1)) {
      if (mayBeMember(bytes.subarray(index, index + MEMBER_HEADER_BYTES))) return at + index;
    }
  }
  return content.size;
}

/** By all that RFC 1952 fixes of a header, so that data rarely looks like one: three of the flags, and the system. */
function mayBeMember(header: Uint8Array): boolean {
  const [flags = 0xff, system = 0xfe] = [header[3], header[9]];
  return MEMBER.every((byte, index) => header[index] === byte) && flags < 0x20 && (system <= 13 || system === 0xff);
}

/** Browsers bound nothing; who sends a file of his own waits for it. */
function inflateRaw(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const iterator = bytes[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
  });
  return inflateBy('deflate-raw', 'ZIP archive', stream);
}

/** @throws DamagedFile, and errors of reading unchanged: browsers have a TypeError for data that is damaged */
async function* inflateBy(
  format: 'gzip' | 'deflate-raw',
  subject: string,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* piecesOf(stream.pipeThrough(new DecompressionStream(format)));
  } catch (error) {
    throw error instanceof TypeError ? new DamagedFile(`The ${subject} is cut off or corrupt.`) : error;
  }
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield Bytes.from(value) as unknown as Buffer;
    }
  } finally {
    await reader.cancel();
  }
}
