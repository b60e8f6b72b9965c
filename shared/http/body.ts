/**
 * Reads a request's body. Its bytes, inflated bytes, depth, values and members are bounded before anything is built
 * from it (D-32, D-33). Its memory is bounded while it waits and while it is worked on (`capacity.ts`).
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MAX_BODY_BYTES, MAX_BODY_DEPTH, MAX_BODY_VALUES, MAX_OBJECT_MEMBERS } from '../domain/limits';
import { WORK_BYTES_PER_BYTE, WORK_BYTES_PER_VALUE } from '../limits/requests';
import { EventLoopShare } from '../platform/async/event-loop-share';
import { countValues, isShort, parseJson, parseScanned, scanInShares } from '../platform/json-bounds';
import { ValidationFailed } from '../validation/validation-failed';
import type { Reservation } from './capacity';
import { bodyTooLarge, unsupportedEncoding, unsupportedMediaType } from './problems';
import { receiveBody } from './receive-body';

/** `array`: batches; `object`: transfer options. They differ only in the texts of the errors. */
export type BodyShape = 'array' | 'object';

/**
 * Receives a JSON body, waits for a slot and for memory, and parses the body.
 * @param maxBytes of the body, as it was sent and inflated
 * @throws HttpProblem 408, 413, 415, 503; ValidationFailed when the body is absent or no JSON; RequestAborted when the
 * caller left or was answered.
 */
export async function readJsonBody(
  request: IncomingMessage,
  shape: BodyShape,
  reservation: Reservation,
  maxBytes = MAX_BODY_BYTES,
): Promise<unknown> {
  requireJson(request.headers['content-type']);
  const isCompressed = isGzip(request.headers['content-encoding']);
  const sent = await receiveBody(request, reservation, maxBytes);
  reservation.takeSlot();
  const readBytes = () => (isCompressed ? reservation.inflate(() => inflate(sent, maxBytes)) : Promise.resolve(sent));
  let bytes: Buffer | undefined = await readBytes();
  if (bytes.length === 0) throw invalidBody(`The request body must be a JSON ${shape}.`);
  const maxWorkBytes = await maxWorkBytesOf(bytes);
  if (!reservation.tryToReserveMemory(maxWorkBytes)) {
    bytes = isCompressed ? undefined : bytes; // a waiting request keeps only the bytes that were sent
    await reservation.waitForMemory(maxWorkBytes);
  }
  bytes ??= await readBytes();
  const text = await decodeInShares(bytes);
  const parsed = isShort(bytes, BOUNDS) ? parseJson(text, bytes, BOUNDS) : parseScanned(text);
  if ('problem' in parsed) throw invalidBody(BODY_PROBLEMS[parsed.problem]);
  if (isShort(bytes, BOUNDS)) reservation.reduceMemory(workBytesOf(bytes, countValues(parsed.value)));
  return parsed.value;
}

const BOUNDS = { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES, members: MAX_OBJECT_MEMBERS };

/** The messages of bodies that exceed a bound or are no JSON. */
export const BODY_PROBLEMS = {
  depth: `The request body must be nested at most ${MAX_BODY_DEPTH} levels deep.`,
  values: `The request body must hold at most ${MAX_BODY_VALUES} values.`,
  members: `The request body must have at most ${MAX_OBJECT_MEMBERS} members in each object.`,
  syntax: 'The request body is not valid JSON.',
} as const;

/**
 * The most bytes of memory that the work on a body can take. The work on a short body is small whatever it holds, and
 * its bounds are checked when it is parsed.
 * @throws ValidationFailed for a longer body that exceeds a bound.
 */
async function maxWorkBytesOf(bytes: Buffer): Promise<number> {
  if (!isUtf8(bytes)) throw invalidBody(BODY_PROBLEMS.syntax);
  if (isShort(bytes, BOUNDS)) return workBytesOf(bytes, bytes.length / MIN_BYTES_PER_VALUE);
  const { problem, values } = await scanInShares(bytes, BOUNDS);
  if (problem) throw invalidBody(BODY_PROBLEMS[problem]);
  return workBytesOf(bytes, values);
}

/** The densest JSON is `[],[],…`: three bytes that count as two values. */
const MIN_BYTES_PER_VALUE = 1.5;

function workBytesOf(bytes: Buffer, values: number): number {
  return WORK_BYTES_PER_BYTE * bytes.length + WORK_BYTES_PER_VALUE * values;
}

/** Bytes that are decoded before other work may have the event loop. */
const DECODED_BYTES = 1024 * 1024;

/** The text of a body, without a byte order mark. Other work has the event loop in between. */
async function decodeInShares(bytes: Buffer): Promise<string> {
  const decoder = new TextDecoder();
  if (bytes.length <= DECODED_BYTES) return decoder.decode(bytes);
  const share = new EventLoopShare();
  let text = '';
  for (let from = 0; from < bytes.length; from += DECODED_BYTES) {
    text += decoder.decode(bytes.subarray(from, from + DECODED_BYTES), { stream: true });
    if (share.isUsedUp) await share.renew();
  }
  return text + decoder.decode();
}

function invalidBody(message: string): ValidationFailed {
  return new ValidationFailed({ '': [message] });
}

function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || contentType.trim() === '') return;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isJson = /^(application|text)\/([a-z0-9.-]+\+)?json$/.test(type.trim());
  const isUtf8Text = charset === undefined || /^charset="?(utf-?8|us-ascii)"?$/.test(charset);
  if (!isJson || !isUtf8Text) throw unsupportedMediaType();
}

function isGzip(contentEncoding: string | undefined): boolean {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return false;
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw unsupportedEncoding();
}

const gunzipAll = promisify<Buffer, { maxOutputLength: number; chunkSize: number }, Buffer>(gunzip);

/** The size of zlib's buffers: a large body takes some tens of them, and a small body wastes little. */
const INFLATED_CHUNK_BYTES = 64 * 1024;

async function inflate(sent: Buffer, maxBytes: number): Promise<Buffer> {
  if (sent.length === 0) return sent;
  try {
    return await gunzipAll(sent, { maxOutputLength: maxBytes, chunkSize: INFLATED_CHUNK_BYTES });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(maxBytes);
    if (code?.startsWith('Z_') !== true) throw error;
    throw invalidBody('The request body is not valid gzip.');
  }
}
