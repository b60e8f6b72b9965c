/** What the client needs of the world around it. Tests give their own, so that nothing has to be waited for. */
import { AbortedError } from '../errors';

export interface Platform {
  readonly fetch: typeof globalThis.fetch;
  nowMs(): number;
  /** A number from 0 to below 1. */
  random(): number;
  /** Calls back after so many milliseconds, unless the function that it returns is called before. */
  after(ms: number, callback: () => void): () => void;
}

export interface CallOptions {
  /** Ends the call with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** @param given takes the place of the global `fetch` */
export function systemPlatform(given?: typeof globalThis.fetch): Platform {
  return {
    fetch: (input, init) => (given ?? globalThis.fetch)(input, init),
    nowMs: () => Date.now(),
    random: () => Math.random(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Waits. @throws AbortedError as soon as the signal is aborted */
export function sleep(platform: Platform, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortedBy(signal));
      return;
    }
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      reject(abortedBy(signal));
    };
    const cancel = platform.after(ms, () => {
      end();
      resolve();
    });
    signal?.addEventListener('abort', abort);
  });
}

export function abortedBy(signal: AbortSignal | undefined): AbortedError {
  return new AbortedError('The call was aborted.', {}, signal?.reason);
}
