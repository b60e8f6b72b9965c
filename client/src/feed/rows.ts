import type { Rows } from './feed-types';

/** Reads rows one by one, of whatever they are. @throws TypeError when they are nothing to iterate over */
export function iteratorOf<T>(rows: Rows<T>): Iterator<T> | AsyncIterator<T> {
  if (isObject(rows)) {
    if (Symbol.asyncIterator in rows) return rows[Symbol.asyncIterator]();
    if (Symbol.iterator in rows) return rows[Symbol.iterator]();
    if ('getReader' in rows) return readerOf(rows); // not every browser can iterate over its streams
  }
  throw new TypeError('The rows must be an array, an iterable, an async iterable or a stream.');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function readerOf<T>(stream: ReadableStream<T>): AsyncIterator<T> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done, value };
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
