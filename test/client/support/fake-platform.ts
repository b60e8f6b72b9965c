/** The world around a client: a service that is a function, and a clock that goes on when nothing else happens. */
import { gunzipSync } from 'node:zlib';
import type { Platform } from '../../../client/src';

/** A request as the service would see it. */
export interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body before compression. */
  readonly bytes: number;
  readonly body: unknown;
}

export type Service = (request: SentRequest, index: number) => Response | Promise<Response>;

export const BASE_URL = 'https://data.example.com';
export const TENANT = '11111111-1111-4111-8111-111111111111';
/** A key that no error, log or inspection may show. */
export const KEY = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=';

/** As by default in the client: such a timer is a time-out and fires only when nothing else is left. */
const TIMEOUT_MS = 60_000;
const QUIET_TURNS = 3;
const QUIET_MS = 30;

interface Timer {
  readonly atMs: number;
  readonly ms: number;
  readonly callback: () => void;
}

export class FakePlatform implements Platform {
  readonly requests: SentRequest[] = [];
  /** How long the client waited, each time that it did. */
  readonly waits: number[] = [];
  /** The most requests that were under way at once. */
  mostUnderway = 0;
  private underway = 0;
  private readonly timers = new Set<Timer>();
  private isTurning = false;
  private activity = 0;

  constructor(
    private readonly service: Service,
    readonly random: () => number = () => 0.5,
    private timeMs = Date.UTC(2026, 2, 1, 12, 0, 30),
  ) {}

  nowMs = () => this.timeMs;

  fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { signal } = init;
    const bytes = Buffer.from((init.body ?? '') as string);
    const headers = init.headers as Record<string, string>;
    const json = headers['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const request: SentRequest = {
      method: init.method ?? 'GET',
      path: (input as string).slice(BASE_URL.length),
      headers,
      bytes: json.length,
      body: json.length === 0 ? undefined : (JSON.parse(json.toString()) as unknown),
    };
    this.activity += 1;
    this.underway += 1;
    this.mostUnderway = Math.max(this.mostUnderway, this.underway);
    const aborted = new Promise<never>((_, reject) => {
      const abort = () => reject(new DOMException('This operation was aborted', 'AbortError'));
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
    });
    aborted.catch(() => undefined); // the request has ended before
    try {
      const index = this.requests.push(request) - 1;
      return await Promise.race([this.service(request, index), aborted]);
    } finally {
      this.underway -= 1;
      this.activity += 1;
    }
  };

  after = (ms: number, callback: () => void) => {
    const timer = { atMs: this.timeMs + ms, ms, callback };
    this.timers.add(timer);
    this.activity += 1;
    if (!this.isTurning) void this.turn();
    return () => void this.timers.delete(timer);
  };

  /** For the service: its own time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  private async turn(): Promise<void> {
    this.isTurning = true;
    while (this.timers.size > 0) {
      const { activity } = this;
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (activity !== this.activity) continue;
      const waits = [...this.timers].filter(({ ms }) => ms !== TIMEOUT_MS);
      if (waits.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
        if (activity !== this.activity) continue;
      }
      const next = [...(waits.length > 0 ? waits : this.timers)].sort((a, b) => a.atMs - b.atMs)[0];
      if (!next) break;
      this.timers.delete(next);
      this.waits.push(Math.round(Math.max(0, next.atMs - this.timeMs)));
      this.timeMs = Math.max(this.timeMs, next.atMs);
      next.callback();
    }
    this.isTurning = false;
  }
}

export function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'X-Trace-Id': '0af7651916cd43dd8448eb211c80319c', ...headers },
  });
}

export function success(data: object, headers?: Readonly<Record<string, string>>): Response {
  return answer(200, { success: true, message: 'Done.', data }, headers);
}

export function refusal(status: number, message = 'No.', headers?: Readonly<Record<string, string>>): Response {
  return answer(status, { success: false, message, data: {} }, headers);
}

export function invalid(errors: Readonly<Record<string, readonly string[]>>, more: object = {}): Response {
  return answer(400, { title: 'One or more validation errors occurred.', status: 400, errors, ...more });
}

/** A service that stores everything. */
export const storesAll: Service = ({ body }) => {
  const count = (body as unknown[]).length;
  return success({ count, created: count, updated: 0, processedAt: '2026-03-01T12:00:30.000Z' });
};
