/** The operators' use case that tells which keys need attention, over all organizations (R-400). */
import { fromKeyDocument } from '../../auth/tenant-documents';
import { API_KEYS, idOf } from '../../documents/paths';
import type { Mark } from '../../domain/key-marks';
import { idleSince, marksOf } from '../../domain/key-marks';
import { MAX_LOOKED_KEYS, MAX_MARKED_KEYS } from '../../limits/keys';
import type { Operator } from '../operator';
import type { ShownKey } from './shown-key';
import { toShownKey } from './shown-key';

/** Keys with the same mark. */
export interface MarkedKeys {
  readonly count: number;
  /** The first MAX_MARKED_KEYS. */
  readonly keys: readonly ShownKey[];
}

export interface KeysToLookAt {
  /** Those that nobody has used for the longest time first. */
  readonly unused: MarkedKeys;
  /** Those that end first first. */
  readonly endsSoon: MarkedKeys;
  /** Keys that were looked at. */
  readonly looked: number;
  /** There are more, and more of them may be unused or end soon. */
  readonly isMore: boolean;
}

/** Looks through the first MAX_LOOKED_KEYS, in the order of their hashes: which these are is chance. */
export async function findMarkedKeys({ store, deadline, clock }: Operator): Promise<KeysToLookAt> {
  const found = await store.list(API_KEYS, { limit: MAX_LOOKED_KEYS + 1 }, deadline());
  const nowMs = clock.nowMs();
  const looked = found.slice(0, MAX_LOOKED_KEYS).map(({ path, data }) => {
    const key = toShownKey(fromKeyDocument(idOf(path), data));
    return { key, marks: marksOf(key, nowMs) };
  });
  const withMark = (mark: Mark, timeOf: (key: ShownKey) => string): MarkedKeys => {
    const keys = looked.filter(({ marks }) => marks.includes(mark)).map(({ key }) => key);
    keys.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
    return { count: keys.length, keys: keys.slice(0, MAX_MARKED_KEYS) };
  };
  return {
    unused: withMark('unused', idleSince),
    endsSoon: withMark('endsSoon', ({ expiresAt }) => expiresAt ?? ''),
    looked: looked.length,
    isMore: found.length > MAX_LOOKED_KEYS,
  };
}
