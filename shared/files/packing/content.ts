import type { FileKind } from '../file-kind';
import { inflate, inflateRaw, skipBytes } from './inflate';
import type { StoredBytes } from './unzip';
import { unzip } from './unzip';

/**
 * The content of a file from an offset on, or a file of Parquet, which is read from its end. Only a plain file can be
 * read from the middle.
 * @throws DamagedFile, and errors of reading unchanged
 */
export function readContent(
  file: StoredBytes,
  { format, gzip, zip }: Omit<FileKind, 'kind'>,
  offset: number,
): AsyncIterable<Buffer> | StoredBytes {
  if (format === 'parquet') return file;
  if (zip) return skipBytes(unzip(file, inflateRaw), offset);
  return gzip ? skipBytes(inflate(file.read(0)), offset) : file.read(offset);
}
