/** What the files for browsers have in common: how they are bundled, compressed and named. */
import type { BuildOptions } from 'esbuild';
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Asset } from '../../../shared/http/assets/asset';

const VERSION_CHARACTERS = 12;

/** The options of esbuild for what browsers load. The target has the features of browsers since 2023. */
export const FOR_BROWSERS = {
  bundle: true,
  write: false,
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** Compresses a file. @param isImmutable whether its name has its version */
export function toAsset(contentType: string, text: string, isImmutable = false): Asset {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
  };
  return {
    contentType,
    version: versionOf(text),
    isImmutable,
    gzip: gzipSync(text, { level: constants.Z_BEST_COMPRESSION }),
    br: brotliCompressSync(text, { params }),
  };
}

/** A short text that changes with the content. */
export function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, VERSION_CHARACTERS);
}
