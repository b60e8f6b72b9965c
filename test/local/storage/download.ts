import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { rangeNotSatisfiable } from './api-error';
import type { OpenObject } from './object-files';
import { toEtag } from './resources';

/** Bytes of an object, both ends included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Sends an object's content: all of it or the requested range; inflated when it is stored with `Content-Encoding: gzip`
 * and the caller does not accept that, as Cloud Storage does.
 * @throws StorageApiError 416.
 */
export async function sendContent(
  object: OpenObject,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
): Promise<void> {
  const { contentType = 'application/octet-stream', contentEncoding } = object.metadata;
  const inflates = contentEncoding === 'gzip' && !/\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const range = inflates ? undefined : parseRange(headers.range, object.sizeBytes);
  response.statusCode = range ? 206 : 200;
  response.setHeaders(
    new Map(
      Object.entries({
        'Content-Type': contentType,
        'Accept-Ranges': 'bytes',
        'Last-Modified': object.updatedAt.toUTCString(),
        ETag: toEtag(object),
        'X-Goog-Generation': object.generation,
        'X-Goog-Metageneration': '1',
        'X-Goog-Stored-Content-Encoding': contentEncoding ?? 'identity',
        'X-Goog-Stored-Content-Length': String(object.sizeBytes),
      }),
    ),
  );
  if (contentEncoding && !inflates) response.setHeader('Content-Encoding', contentEncoding);
  // The checksum is of the whole object, and reading a large one only for the answer to a part of it takes long.
  if (!range) response.setHeader('X-Goog-Hash', `crc32c=${await object.checksum()}`);
  const content = object.handle.createReadStream({ ...(range ?? { start: 0 }), autoClose: false });
  if (inflates) return pipeline(content, createGunzip(), response);
  response.setHeader('Content-Length', range ? range.end - range.start + 1 : object.sizeBytes);
  if (range) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${object.sizeBytes}`);
  return pipeline(content, response);
}

/** Undefined: the whole object. Of several ranges none is served, as the header allows. */
function parseRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first, last] = match;
  if (!first && !last) return undefined;
  const start = first ? Number(first) : Math.max(0, sizeBytes - Number(last));
  const end = first && last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1;
  if (start > end) throw rangeNotSatisfiable();
  return { start, end };
}
