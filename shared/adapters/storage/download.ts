/**
 * Downloads from Cloud Storage over HTTP as it is: the downloads of its SDK do not tell when a connection is reset or
 * ends early.
 */
import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../platform/clock';
import { DOWNLOAD_TRIES, DOWNLOAD_WAIT_MS, MAX_REFUSAL_LENGTH } from '../../limits/transfers';
import { TRANSIENT_STATUSES } from './refusals';

/** One generation of an object, from an offset on. */
export interface Download {
  readonly url: URL;
  /** Authorization, where there is any. */
  readonly headers: Readonly<Record<string, string>>;
  readonly offset: number;
}

/** The bytes did not come as they were announced. They may be asked for again. */
export class DownloadCut extends Error {
  override readonly name = 'DownloadCut';
}

/** Cloud Storage answered with a status other than success; `code` is the status. */
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
 * The stored bytes from the offset to the object's last one, not inflated. A request that fails before its first byte,
 * for a reason that may pass, is repeated; whoever leaves the download early closes its connection.
 * @param signal ends the download, also while it waits
 * @throws DownloadFailed; DownloadCut when the connection is reset, or ends before the last byte; other errors when
 * there is no connection
 */
export async function* download(
  { url, headers, offset }: Download,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const asked = { ...headers, 'accept-encoding': 'gzip', 'cache-control': 'no-store', range: `bytes=${offset}-` };
  const response = await begin(url, asked, clock, signal);
  const total = lengthOf(response, offset);
  let received = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      received += piece.length;
      yield piece;
    }
  } catch (error) {
    throw new DownloadCut(`The connection was cut off after ${received} bytes.`, { cause: error });
  }
  if (total !== undefined && received !== total)
    throw new DownloadCut(`The connection ended after ${received} of ${total} bytes.`);
}

/** The answer to the first try that succeeds. @throws what the last one failed for */
async function begin(
  url: URL,
  headers: Download['headers'],
  clock: Clock,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  for (let tries = 1, waitMs = DOWNLOAD_WAIT_MS; ; tries += 1, waitMs *= 2) {
    try {
      return await succeeded(await answerOf(url, headers, signal));
    } catch (error) {
      const mayPass = !(error instanceof DownloadFailed) || error.code >= 500 || TRANSIENT_STATUSES.has(error.code);
      if (!mayPass || tries >= DOWNLOAD_TRIES || signal.aborted) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

function answerOf(url: URL, headers: Download['headers'], signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const taken = (response: IncomingMessage) => {
      response.on('error', () => undefined); // whoever reads it is told; without a reader it would end the process
      resolve(response);
    };
    const asked = request(url, { headers }, taken).on('error', reject).end();
    // Not by the request's own signal, which fails a connection that nobody listens to any more once all has come.
    const leave = () => asked.destroy();
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

async function succeeded(response: IncomingMessage): Promise<IncomingMessage> {
  const status = response.statusCode ?? 0;
  if (status === 200 || status === 206) return response;
  throw new DownloadFailed(status, await messageOf(response));
}

/** The reason that comes with a refusal, as far as it comes. */
async function messageOf(response: IncomingMessage): Promise<string> {
  let message = '';
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      message += piece.toString('utf8');
      if (message.length >= MAX_REFUSAL_LENGTH) break;
    }
  } catch {
    // What came before it was cut off says enough: the status tells what it is.
  }
  return message.slice(0, MAX_REFUSAL_LENGTH);
}

/**
 * How many bytes an answer has to have; undefined where its chunks tell.
 * @throws DownloadCut when it is not what was asked for, or nothing would tell its end from a lost connection
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
