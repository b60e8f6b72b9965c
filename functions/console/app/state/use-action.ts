import { useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure';
import { toFailure } from '../api/failure';

export interface Action {
  readonly isBusy: boolean;
  /** Why it has failed the last time. */
  readonly failure: Failure | undefined;
  /** Does it, unless it is being done. */
  readonly run: () => void;
}

/** Something that a person starts, such as by a button. */
export function useAction(act: () => Promise<void>): Action {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isRunning = useRef(false);
  const run = () => {
    if (isRunning.current) return;
    isRunning.current = true;
    setIsBusy(true);
    setFailure(undefined);
    void act()
      .catch((error: unknown) => setFailure(toFailure(error)))
      .finally(() => {
        isRunning.current = false;
        setIsBusy(false);
      });
  };
  return { isBusy, failure, run };
}
