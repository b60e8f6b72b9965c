import { Buffer as Bytes } from './node-stand-ins';

/** The bytes of a file, inflated where it is gzip, as the readers of files take them. */
export async function* bytesOf(content: Blob): AsyncGenerator<Buffer, void, undefined> {
  const [first, second] = new Uint8Array(await content.slice(0, 2).arrayBuffer());
  const isGzip = first === 0x1f && second === 0x8b;
  const stream = isGzip ? content.stream().pipeThrough(new DecompressionStream('gzip')) : content.stream();
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
