/**
 * What the readers of files take of Node.js, for browsers. The bundle puts it in the place of Node's modules and of the
 * global `Buffer`, so that a file is read here exactly as a transfer reads it.
 */
import { DamagedFile } from '../../../../../shared/files/damaged-file';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

type Encoding = 'utf8' | 'latin1';

class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const part = this.subarray(start, end);
    if (encoding === 'utf8') return decoder.decode(part);
    return Array.from(part, (byte) => String.fromCharCode(byte)).join('');
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, index) => byte === other[index]);
  }
}

/** The part of Node's `Buffer` that the readers use. */
export const Buffer = {
  from(content: string | ArrayLike<number>): Bytes {
    return new Bytes(typeof content === 'string' ? encoder.encode(content) : content);
  },
  alloc(size: number): Bytes {
    return new Bytes(size);
  },
  concat(pieces: readonly Uint8Array[]): Bytes {
    const whole = new Bytes(pieces.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const piece of pieces) {
      whole.set(piece, offset);
      offset += piece.length;
    }
    return whole;
  },
  byteLength(text: string): number {
    return encoder.encode(text).length;
  },
};

/** Of `node:buffer`. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Of `node:perf_hooks`. */
export const performance = globalThis.performance;

/** Of `node:timers/promises`. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Of `node:crypto`. Readers of files hash nothing, and what would is left out of the bundle. */
export function hash(): never {
  throw new Error('A browser has no synchronous hash.');
}

/** Of `node:zlib`. */
export function brotliDecompress(): never {
  return refuseCodec('brotli');
}

/** Of `zstddec`: the pages' policy runs no WebAssembly. */
export class ZSTDDecoder {
  init(): never {
    return refuseCodec('zstd');
  }
}

function refuseCodec(codec: string): never {
  throw new DamagedFile(
    `This page reads no Parquet that is compressed by ${codec}. Send it with ingest, or by a transfer.`,
  );
}
