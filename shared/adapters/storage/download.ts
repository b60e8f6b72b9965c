/**
 * Downloads from Cloud Storage over plain HTTP, because the downloads of its SDK do not report a connection that is
 * reset or ends early.
 */
import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../platform/clock';
import { DOWNLOAD_TRIES, DOWNLOAD_WAIT_MS, MAX_REFUSAL_LENGTH } from '../../limits/transfers';
import { TRANSIENT_STATUSES } from './refusals';

export const SERVICE_URL = 'https://storage.googleapis.com';

/** One generation of an object, from an offset to its end. */
export interface Download {
  readonly url: URL;
  /** The authorization; empty for the emulator. */
  readonly headers: Readonly<Record<string, string>>;
  readonly offset: number;
}

/** The bytes did not arrive as announced. They may be requested again. */
export class DownloadCut extends Error {
  override readonly name = 'DownloadCut';
}

/** Cloud Storage answered with an HTTP status other than success, which is the `code`. */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The stored bytes from the offset to the end of the object, not inflated. A request that fails before its first byte
 * for a transient reason is retried. Leaving the loop early closes the connection.
 * @param signal ends the download, also while it waits
 * @throws DownloadFailed; DownloadCut when the connection is reset or ends before the last byte; other errors when
 * there is no connection
 */
export async function* download(
  { url, headers, offset }: Download,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const requestHeaders = {
    ...headers,
    'accept-encoding': 'gzip',
    'cache-control': 'no-store',
    range: `bytes=${offset}-`,
  };
  const response = await requestWithRetry(url, requestHeaders, clock, signal);
  const total = lengthOf(response, offset);
  let received = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw new DownloadCut(`The connection was cut off after ${received} bytes.`, { cause: error });
  }
  if (total !== undefined && received !== total)
    throw new DownloadCut(`The connection ended after ${received} of ${total} bytes.`);
}

/** The answer to the first attempt that succeeds. @throws the error of the last attempt */
async function requestWithRetry(
  url: URL,
  headers: Download['headers'],
  clock: Clock,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  for (let attempt = 1, waitMs = DOWNLOAD_WAIT_MS; ; attempt += 1, waitMs *= 2) {
    try {
      return await requireSuccess(await send(url, headers, signal));
    } catch (error) {
      const isTransient = !(error instanceof DownloadFailed) || error.code >= 500 || TRANSIENT_STATUSES.has(error.code);
      if (!isTransient || attempt >= DOWNLOAD_TRIES || signal.aborted) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

function send(url: URL, headers: Download['headers'], signal: AbortSignal): Promise<IncomingMessage> {
  const startRequest = url.protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      response.on('error', () => undefined); // a reader sees the error; without a reader it would end the process
      resolve(response);
    };
    const request = startRequest(url, { headers }, onResponse).on('error', reject).end();
    // The request's own `signal` option is not used: after the last byte it would raise an error without a listener.
    const abort = () => request.destroy();
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** @throws DownloadFailed for a status other than success. */
async function requireSuccess(response: IncomingMessage): Promise<IncomingMessage> {
  const status = response.statusCode ?? 0;
  if (status === 200 || status === 206) return response;
  throw new DownloadFailed(status, await messageOf(response));
}

/** The text of a refusal, cut to MAX_REFUSAL_LENGTH; or the part of it that arrives. */
async function messageOf(response: IncomingMessage): Promise<string> {
  let message = '';
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      message += chunk.toString('utf8');
      if (message.length >= MAX_REFUSAL_LENGTH) break;
    }
  } catch {
    // The part that arrived is enough, because the status says what the refusal is.
  }
  return message.slice(0, MAX_REFUSAL_LENGTH);
}

/**
 * The number of bytes that the answer must have; undefined for a chunked answer, which marks its end itself.
 * @throws DownloadCut when the answer is not the requested part, or its end looks like a lost connection
 */
function lengthOf({ headers, statusCode }: IncomingMessage, offset: number): number | undefined {
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '');
  const start = statusCode === 206 ? Number(range?.[1]) : 0;
  if (start !== offset) throw new DownloadCut('Another part of the object came than the one that was asked for.');
  if (range) return Number(range[2]) - offset;
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  if (headers['transfer-encoding'] === 'chunked') return undefined;
  throw new DownloadCut('The answer does not say where it ends.');
}
