import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { invalidRequest, objectNotFound, StorageApiError } from './api-error';
import type { ObjectFiles } from './object-files';
import type { ObjectMetadata } from './object-metadata';
import { parseObjectMetadata } from './object-metadata';
import { METADATA_FOLDER } from './object-path';

/** The object that an upload has written. */
interface UploadedObject {
  readonly bucket: string;
  readonly name: string;
}

/** An upload whose object is announced and whose content comes with a second request. */
interface UploadSession extends UploadedObject {
  readonly metadata: ObjectMetadata;
  readonly ifGenerationMatch: string | undefined;
}

/** The three kinds of upload of the JSON API; a resumable one brings its whole content in one request. */
export class Uploads {
  private readonly sessions = new Map<string, UploadSession>();

  constructor(private readonly files: ObjectFiles) {}

  /**
   * Takes the first request of an upload.
   * @returns the object it has written, or the id of the session that waits for its content.
   * @throws StorageApiError 400, 403, 404 or 412.
   */
  async begin(
    bucket: string,
    query: URLSearchParams,
    request: IncomingMessage,
  ): Promise<UploadedObject | { sessionId: string }> {
    await this.files.requireBucket(bucket);
    const ifGenerationMatch = query.get('ifGenerationMatch') ?? undefined;
    const contentType = request.headers['content-type'];
    switch (query.get('uploadType')) {
      case 'media': {
        const metadata = contentType === undefined ? {} : { contentType };
        return this.store({ bucket, name: requireName(query), metadata, ifGenerationMatch }, request);
      }
      case 'multipart': {
        const { fields, content } = parseMultipart(await buffer(request), contentType ?? '');
        const metadata = parseObjectMetadata(fields);
        return this.store({ bucket, name: requireName(query, fields), metadata, ifGenerationMatch }, content);
      }
      case 'resumable': {
        const fields = parseJson((await buffer(request)).toString() || '{}');
        const announcedType = request.headers['x-upload-content-type'];
        const metadata = parseObjectMetadata({ contentType: announcedType, ...fields });
        const sessionId = randomUUID();
        this.sessions.set(sessionId, { bucket, name: requireName(query, fields), metadata, ifGenerationMatch });
        return { sessionId };
      }
      default:
        throw invalidRequest('The parameter uploadType must be media, multipart or resumable.');
    }
  }

  /**
   * Takes the content of a resumable upload.
   * @throws StorageApiError 404 for an unknown session, 501 for a content in several requests, and as `begin`.
   */
  async complete(sessionId: string, request: IncomingMessage): Promise<UploadedObject> {
    const session = this.sessions.get(sessionId);
    if (!session) throw objectNotFound('upload', sessionId);
    if (!/^bytes (0-\*\/(\*|\d+)|\*\/0)$/.test(request.headers['content-range'] ?? 'bytes 0-*/*')) {
      throw new StorageApiError(501, 'notImplemented', 'The stand-in takes the content of an upload in one request.');
    }
    const uploaded = await this.store(session, request);
    this.sessions.delete(sessionId);
    return uploaded;
  }

  private async store(session: UploadSession, content: IncomingMessage | Buffer): Promise<UploadedObject> {
    const { bucket, name, metadata, ifGenerationMatch } = session;
    const folder = join(this.files.root, METADATA_FOLDER, 'uploads');
    await mkdir(folder, { recursive: true });
    const file = join(folder, randomUUID());
    try {
      if (Buffer.isBuffer(content)) await writeFile(file, content);
      else await pipeline(content, createWriteStream(file));
      await this.files.replaceObject(bucket, name, { file, metadata }, ifGenerationMatch);
    } finally {
      await rm(file, { force: true });
    }
    return { bucket, name };
  }
}

function requireName(query: URLSearchParams, fields: Readonly<Record<string, unknown>> = {}): string {
  const name = query.get('name') ?? fields.name;
  if (typeof name === 'string' && name !== '') return name;
  throw invalidRequest('Required parameter: name');
}

/** The two parts of a multipart/related body: the object's fields as JSON, and its content. */
function parseMultipart(body: Buffer, contentType: string): { fields: Record<string, unknown>; content: Buffer } {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const delimiter = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  const first = readPart(body, body.indexOf(delimiter), delimiter);
  const second = readPart(body, first.end, delimiter);
  return { fields: parseJson(first.content.toString()), content: second.content };
}

/**
 * The part whose delimiter starts at `start`: its content, without its own headers, and where the next delimiter
 * starts.
 */
function readPart(body: Buffer, start: number, delimiter: string): { content: Buffer; end: number } {
  const contentStart = start === -1 ? -1 : body.indexOf('\r\n\r\n', start);
  const lineEnd = contentStart === -1 ? -1 : body.indexOf(`\r\n${delimiter}`, contentStart + 4);
  if (lineEnd === -1) throw invalidRequest('The body is no multipart/related message of two parts.');
  return { content: body.subarray(contentStart + 4, lineEnd), end: lineEnd + 2 };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw invalidRequest('Parse Error');
}
