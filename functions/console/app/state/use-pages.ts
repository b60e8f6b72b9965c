import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure';
import { toFailure } from '../api/failure';

/** Items that are shown at once: as many as one request of the client gives. */
const PAGE_ITEMS = 100;

export interface Pages<T> {
  readonly items: readonly T[];
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly mayHaveMore: boolean;
  readonly loadMore: () => void;
  /** Begins again; what is shown stays until the first page has come. */
  readonly reload: () => void;
}

/**
 * A list that comes from the server page by page.
 * @param list undefined: there is none
 */
export function usePages<T>(
  list: ((signal: AbortSignal) => AsyncIterable<T>) | undefined,
  inputs: readonly unknown[],
): Pages<T> {
  const [round, setRound] = useState(0);
  const [items, setItems] = useState<readonly T[]>([]);
  const [failure, setFailure] = useState<Failure>();
  const [isLoading, setIsLoading] = useState(list !== undefined);
  const [mayHaveMore, setMayHaveMore] = useState(false);
  const source = useRef<{ iterator: AsyncIterator<T>; signal: AbortSignal } | undefined>(undefined);

  const load = (isFirst: boolean) => {
    const reading = source.current;
    if (!reading) return;
    setIsLoading(true);
    setFailure(undefined);
    takeFrom(reading.iterator, PAGE_ITEMS)
      .then((taken) => {
        if (reading.signal.aborted) return;
        setItems((before) => (isFirst ? taken : [...before, ...taken]));
        setMayHaveMore(taken.length === PAGE_ITEMS);
        setIsLoading(false);
      })
      .catch((error: unknown) => {
        if (reading.signal.aborted) return;
        setFailure(toFailure(error));
        setIsLoading(false);
      });
  };
  const of = JSON.stringify(inputs);
  useEffect(() => setItems([]), [of]);
  useEffect(() => {
    if (!list) return undefined;
    const ending = new AbortController();
    source.current = { iterator: list(ending.signal)[Symbol.asyncIterator](), signal: ending.signal };
    load(true);
    return () => ending.abort();
  }, [of, round]);
  const reload = () => setRound((before) => before + 1);
  return { items, failure, isLoading, mayHaveMore, loadMore: () => load(false), reload };
}

async function takeFrom<T>(iterator: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const next = await iterator.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}
