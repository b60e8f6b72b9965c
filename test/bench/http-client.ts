import type { Agent } from 'node:http';
import { request } from 'node:http';

export interface Call {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  /** JSON. */
  readonly body?: Buffer;
  /** Default: POST. */
  readonly method?: 'POST' | 'DELETE';
  /** Keeps connections; without one every call has its own. */
  readonly agent?: Agent;
}

export interface Answer {
  /** 0: the connection ended without one. */
  readonly status: number;
  readonly text: string;
  /** Until the whole answer was there. */
  readonly elapsedMs: number;
}

/** Sends a request and returns how long its whole answer took, in milliseconds. @throws Error unless it is a 200. */
export async function call(asked: Call): Promise<number> {
  const { status, text, elapsedMs } = await answerTo(asked);
  if (status === 200) return elapsedMs;
  throw new Error(`${asked.method ?? 'POST'} ${asked.path}: ${status} ${text}`);
}

/** Sends a request; whatever becomes of it is an answer. */
export function answerTo(asked: Call): Promise<Answer> {
  const { port, path, key, body, method = 'POST', agent } = asked;
  const startMs = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text: string) => resolve({ status, text, elapsedMs: performance.now() - startMs });
    const headers = {
      'x-service-auth-key': key,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', ({ message }) => end(0, message));
      response.on('end', () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed a kept connection that was idle, just when it was used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(answerTo(asked));
      else end(0, error.message);
    });
    sent.end(body);
  });
}

export function toBody(records: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify(records));
}
