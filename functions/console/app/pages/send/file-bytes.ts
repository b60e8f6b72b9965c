import type { StoredBytes } from '../../../../../shared/files/packing/unzip';
import { unzip } from '../../../../../shared/files/packing/unzip';
import { Buffer as Bytes } from './node-stand-ins';

/** A file that is read from its end. */
export function storedBytesOf(content: Blob): StoredBytes {
  return { size: content.size, read: (from) => piecesOf(content.slice(from).stream()) };
}

/** The bytes of a file, inflated where it is compressed, as the readers of files take them. */
export async function* bytesOf(content: Blob): AsyncGenerator<Buffer, void, undefined> {
  const [first, second] = new Uint8Array(await content.slice(0, 2).arrayBuffer());
  const isGzip = first === 0x1f && second === 0x8b;
  if (content instanceof File && content.name.toLowerCase().endsWith('.zip')) {
    yield* unzip(storedBytesOf(content), inflateRaw);
  } else {
    yield* piecesOf(isGzip ? content.stream().pipeThrough(new DecompressionStream('gzip')) : content.stream());
  }
}

/** Browsers bound nothing; who sends a file of his own waits for it. */
async function* inflateRaw(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const iterator = bytes[Symbol.asyncIterator]();
  const stream = new ReadableStream<BufferSource>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
  });
  yield* piecesOf(stream.pipeThrough(new DecompressionStream('deflate-raw')));
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
