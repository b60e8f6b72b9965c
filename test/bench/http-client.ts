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

/** Sends a request and returns how long its whole answer took, in milliseconds. @throws Error unless it is a 200. */
export function call(asked: Call): Promise<number> {
  const { port, path, key, body, method = 'POST', agent } = asked;
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      'x-service-auth-key': key,
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const elapsedMs = performance.now() - startMs;
        if (response.statusCode === 200) resolve(elapsedMs);
        else reject(new Error(`${method} ${path}: ${response.statusCode ?? 0} ${Buffer.concat(chunks).toString()}`));
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed a kept connection that was idle, just when it was used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(call(asked));
      else reject(error);
    });
    sent.end(body);
  });
}

export function toBody(records: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify(records));
}
