import { useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure';
import { toFailure } from '../api/failure';

export interface Action<Inputs extends readonly unknown[] = []> {
  readonly isBusy: boolean;
  /** Why it has failed the last time. */
  readonly failure: Failure | undefined;
  /** Does it, unless it is being done. */
  readonly run: (...inputs: Inputs) => void;
}

/** Something that a person starts, such as by a button. */
export function useAction<Inputs extends readonly unknown[] = []>(
  act: (...inputs: Inputs) => Promise<void>,
): Action<Inputs> {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isRunning = useRef(false);
  const run = (...inputs: Inputs) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setIsBusy(true);
    setFailure(undefined);
    void act(...inputs)
      .catch((error: unknown) => setFailure(toFailure(error)))
      .finally(() => {
        isRunning.current = false;
        setIsBusy(false);
      });
  };
  return { isBusy, failure, run };
}
