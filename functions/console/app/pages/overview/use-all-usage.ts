import { useEffect, useState } from 'preact/hooks';
import type { Door } from '../../api/door';
import type { Failure } from '../../api/failure';
import { toFailure } from '../../api/failure';
import type { UsagePart } from '../../api/management-answers';
import { usagePart } from '../../api/management';
import { addParts } from './all-usage';
import type { RangeName } from './range';
import { timesOf } from './range';

export interface AllUsage {
  /** What was added up so far; undefined: nothing yet. */
  readonly sum: UsagePart | undefined;
  readonly isAdding: boolean;
  readonly failure: Failure | undefined;
}

const NOTHING: AllUsage = { sum: undefined, isAdding: false, failure: undefined };

/**
 * Adds up the usage of all tenants, part by part, until the page is left.
 * @param round begins again when it changes; 0: nothing is asked for
 */
export function useAllUsage(door: Door, range: RangeName, round: number): AllUsage {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    setState({ ...NOTHING, isAdding: round > 0 });
    if (round === 0) return undefined;
    const ending = new AbortController();
    void addUp(door, range, ending.signal, (sum) =>
      setState({ sum, isAdding: sum.next !== null, failure: undefined }),
    ).catch((error: unknown) => {
      if (!ending.signal.aborted) setState((before) => ({ ...before, isAdding: false, failure: toFailure(error) }));
    });
    return () => ending.abort();
  }, [range, round]);
  return state;
}

async function addUp(
  door: Door,
  range: RangeName,
  signal: AbortSignal,
  onPart: (sum: UsagePart) => void,
): Promise<void> {
  const times = timesOf(range, new Date());
  let sum: UsagePart | undefined;
  do {
    const after = sum?.next ?? undefined;
    sum = addParts(sum, await usagePart(door, { ...times, after }, signal));
    if (signal.aborted) return;
    onPart(sum);
  } while (sum.next !== null);
}
