/**
 * A Cloud Storage JSON API over a folder: each folder in the root is a bucket, each file below it an object. It serves
 * what the real client asks of buckets and objects (get, list, download, upload, delete); symbolic links are neither.
 * Parts in storage/.
 */
import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { rawUrl } from '../../shared/http/raw-request';
import { close, listen } from './ports';
import { StackError } from './stack-error';
import { invalidRequest, StorageApiError } from './storage/api-error';
import { sendContent } from './storage/download';
import { listObjects } from './storage/list-objects';
import { makeFolder } from './storage/make-folder';
import type { OpenObject, Preconditions } from './storage/object-files';
import { ObjectFiles } from './storage/object-files';
import { toBucketResource, toObjectResource } from './storage/resources';
import { Uploads } from './storage/upload';

export interface StorageStandIn {
  readonly port: number;
  stop(): Promise<void>;
}

/** A request whose path names a bucket and perhaps an object. */
interface StorageRequest {
  readonly method: string;
  readonly bucket: string;
  /** Undefined: the bucket's list of objects is meant, or the bucket itself. */
  readonly name: string | undefined;
  readonly target: 'bucket' | 'objects' | 'object';
  readonly query: URLSearchParams;
}

/** The API's paths, with and without the prefixes that the real one has. */
const PATH = /^(?:\/(?:upload|download|resumable\/upload))?(?:\/storage\/v1)?\/b\/([^/]+)(?:(\/o)(?:\/([^/]+))?)?$/;

/**
 * Starts the stand-in.
 * @param config `root` is made when it does not exist; port 0: any free port.
 * @throws StackError when the port is taken or `root` cannot be made.
 */
export async function startStorageStandIn(config: {
  readonly host: string;
  readonly port: number;
  readonly root: string;
}): Promise<StorageStandIn> {
  makeStorageFolder(config.root);
  const files = new ObjectFiles(realpathSync(config.root));
  const uploads = new Uploads(files);
  const server = createServer((request, response) => {
    respond(files, uploads, request, response).catch((error: unknown) => sendError(request, response, error));
  });
  const port = await listen(server, { host: config.host, port: config.port, field: 'storage.port' });
  return { port, stop: () => close(server) };
}

/** Makes a folder below `storage.root`, or that itself; safe to repeat. @throws StackError */
export function makeStorageFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new StackError(`storage.root cannot be made: ${(error as Error).message}. Name another folder.`);
  }
}

async function respond(
  files: ObjectFiles,
  uploads: Uploads,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, bucket, name = '', target, query } = parseRequest(request);
  switch (`${method} ${target}`) {
    case 'GET bucket': {
      const { birthtime } = await stat(await files.requireBucket(bucket));
      sendJson(response, 200, toBucketResource(bucket, birthtime));
      break;
    }
    case 'GET objects':
      sendJson(response, 200, await listObjects(files, bucket, query));
      break;
    case 'GET object':
      await withObject(files, bucket, name, parsePreconditions(query), async (object) => {
        if (query.get('alt') === 'media') await sendContent(object, request.headers, response);
        else sendJson(response, 200, toObjectResource(object, await object.checksum()));
      });
      break;
    case 'DELETE object':
      await files.removeObject(bucket, name, parsePreconditions(query));
      sendEmpty(response, 204);
      break;
    case 'POST objects': {
      const begun = await uploads.begin(bucket, query, request);
      if ('sessionId' in begun) sendUploadAddress(request, response, bucket, begun.sessionId);
      else await sendUploaded(files, begun, response);
      break;
    }
    case 'PUT objects':
      await sendUploaded(files, await uploads.complete(query.get('upload_id') ?? '', request), response);
      break;
    default:
      throw new StorageApiError(405, 'methodNotAllowed', 'The stand-in does not offer this method.');
  }
}

function parseRequest(request: IncomingMessage): StorageRequest {
  const [path = '', search] = rawUrl(request).split('?', 2);
  const match = PATH.exec(path);
  if (!match?.[1]) throw new StorageApiError(404, 'notFound', 'Not Found');
  const [, bucket, objects, name] = match;
  return {
    method: request.method ?? '',
    bucket: decode(bucket),
    name: name === undefined ? undefined : decode(name),
    target: name !== undefined ? 'object' : objects ? 'objects' : 'bucket',
    query: new URLSearchParams(search),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidRequest('The path is not percent-encoded UTF-8.');
  }
}

function parsePreconditions(query: URLSearchParams): Preconditions {
  const generation = query.get('generation');
  const ifGenerationMatch = query.get('ifGenerationMatch');
  return { ...(generation && { generation }), ...(ifGenerationMatch && { ifGenerationMatch }) };
}

async function withObject(
  files: ObjectFiles,
  bucket: string,
  name: string,
  preconditions: Preconditions,
  use: (object: OpenObject) => Promise<void>,
): Promise<void> {
  const object = await files.openObject(bucket, name, preconditions);
  try {
    await use(object);
  } finally {
    await object.handle.close();
  }
}

/** Where the content of a resumable upload goes. */
function sendUploadAddress(
  request: IncomingMessage,
  response: ServerResponse,
  bucket: string,
  sessionId: string,
): void {
  const path = `/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${sessionId}`;
  response.setHeader('Location', `http://${request.headers.host ?? ''}${path}`);
  sendEmpty(response, 200);
}

function sendUploaded(
  files: ObjectFiles,
  uploaded: { bucket: string; name: string },
  response: ServerResponse,
): Promise<void> {
  return withObject(files, uploaded.bucket, uploaded.name, {}, async (object) =>
    sendJson(response, 200, toObjectResource(object, await object.checksum())),
  );
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 0 }).end();
}

/** Errors of a download are plain text, as the real API has it, all others JSON. */
function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const failure =
    error instanceof StorageApiError ? error : new StorageApiError(500, 'backendError', (error as Error).message);
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  if (/[?&]alt=media(&|$)/.test(rawUrl(request))) {
    response.writeHead(failure.status, { 'Content-Type': 'text/html; charset=UTF-8' }).end(failure.message);
  } else {
    sendJson(response, failure.status, failure.toJson());
  }
}
