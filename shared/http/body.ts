/**
 * Reading a request's body: bounded in bytes, inflated bytes, depth and values before anything is built from it (D-32,
 * D-33).
 */
import type { IncomingMessage } from 'node:http';
import type { Gunzip } from 'node:zlib';
import { createGunzip } from 'node:zlib';
import { MAX_BODY_BYTES, MAX_BODY_DEPTH, MAX_BODY_VALUES } from '../domain/limits';
import { parseJson } from '../json-bounds';
import { ValidationFailed } from '../validation/validation-failed';
import { bodyTooLarge, RequestAborted, unsupportedEncoding, unsupportedMediaType } from './problems';

/** `array`: batches; `object`: transfer options. Only the words of the errors differ. */
export type BodyShape = 'array' | 'object';

/**
 * Reads and parses a JSON body.
 * @throws HttpProblem 413, 415; ValidationFailed when it is absent or no JSON; RequestAborted when the caller left.
 */
export async function readJsonBody(request: IncomingMessage, shape: BodyShape): Promise<unknown> {
  requireJson(request.headers['content-type']);
  const bytes = await readBytes(request, isGzip(request.headers['content-encoding']));
  if (bytes.length === 0) throw invalidBody(`The request body must be a JSON ${shape}.`);
  const parsed = parseJson(decode(bytes), bytes, BOUNDS);
  if ('problem' in parsed) throw invalidBody(PROBLEM[parsed.problem]);
  return parsed.value;
}

const BOUNDS = { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES };
const PROBLEM = {
  depth: `The request body must be nested at most ${MAX_BODY_DEPTH} levels deep.`,
  values: `The request body must hold at most ${MAX_BODY_VALUES} values.`,
  syntax: 'The request body is not valid JSON.',
} as const;

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidBody(PROBLEM.syntax);
  }
}

function invalidBody(message: string): ValidationFailed {
  return new ValidationFailed({ '': [message] });
}

function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || contentType.trim() === '') return;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isJson = /^(application|text)\/([a-z0-9.-]+\+)?json$/.test(type.trim());
  const isUtf8 = charset === undefined || /^charset="?(utf-?8|us-ascii)"?$/.test(charset);
  if (!isJson || !isUtf8) throw unsupportedMediaType();
}

function isGzip(contentEncoding: string | undefined): boolean {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return false;
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw unsupportedEncoding();
}

async function readBytes(request: IncomingMessage, gzip: boolean): Promise<Buffer> {
  try {
    return gzip ? await gunzip(request) : await collect(limit(bytesOf(request)));
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ECONNRESET' || (request.destroyed && !request.complete);
    if (isGone) throw new RequestAborted('The request was aborted.');
    throw error;
  }
}

async function gunzip(request: IncomingMessage): Promise<Buffer> {
  const inflater = createGunzip();
  const feeding = feed(inflater, request);
  feeding.catch((error: unknown) => inflater.destroy(error as Error));
  try {
    const inflated = await collect(limit(inflater));
    await feeding;
    return inflated;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error;
    await feeding;
    throw invalidBody('The request body is not valid gzip.');
  }
}

/**
 * Feeds the request's bytes to the inflater. What follows a broken part, or the end of what is compressed, is read and
 * dropped: it has the same bound as any body, and the connection carries the caller's next request after it.
 */
async function feed(inflater: Gunzip, request: IncomingMessage): Promise<void> {
  for await (const chunk of limit(bytesOf(request))) {
    if (!inflater.destroyed && !inflater.write(chunk)) await drained(inflater);
  }
  inflater.end();
}

function drained(inflater: NodeJS.EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close']) inflater.removeListener(event, done);
      resolve();
    };
    for (const event of ['drain', 'close']) inflater.on(event, done);
  });
}

/** The request's bytes. Refusing them must leave the connection open for the answer. */
function bytesOf(request: IncomingMessage): AsyncIterable<unknown> {
  return request.iterator({ destroyOnReturn: false });
}

/** Passes chunks on and fails as soon as there are too many bytes. */
async function* limit(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
    yield chunk as Buffer;
  }
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
