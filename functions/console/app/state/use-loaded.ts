import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../api/failure';
import { toFailure } from '../api/failure';

export interface Loaded<T> {
  /** Undefined: it has not come yet, or could not be loaded. */
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Loads it again; what is shown stays meanwhile. */
  readonly reload: () => void;
}

/**
 * Loads something, and again when an input changes.
 * @param load undefined: there is nothing to load
 */
export function useLoaded<T>(
  load: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
): Loaded<T> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ readonly of: string; readonly value?: T; readonly failure?: Failure }>();
  const of = JSON.stringify(inputs);
  const [isLoading, setIsLoading] = useState(false);
  useEffect(() => {
    if (!load) return undefined;
    const ending = new AbortController();
    setIsLoading(true);
    load(ending.signal)
      .then((value) => ({ of, value }))
      .catch((error: unknown) => ({ of, failure: toFailure(error) }))
      .then((next) => {
        if (ending.signal.aborted) return;
        setIsLoading(false);
        setState(next);
      })
      .catch(() => undefined);
    return () => ending.abort();
  }, [of, round]);
  const current = state?.of === of ? state : undefined;
  const isWaiting = isLoading || (load !== undefined && current === undefined);
  return {
    value: current?.value,
    failure: current?.failure,
    isLoading: isWaiting,
    reload: () => setRound((before) => before + 1),
  };
}
