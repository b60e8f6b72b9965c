import type { DocumentStore } from '../../../shared/documents/document-store';
import { withMethods } from '../../support/overriding';

/** Right before, or right after, the write of a process with this number, from 1. */
export interface KillPoint {
  readonly write: number;
  readonly when: 'before' | 'after';
}

/**
 * The same store in a process that kills itself at one of its writes. `after`: the write is answered, and nothing else
 * has happened yet. `writes` says how many there were.
 */
export function killingStore(
  store: DocumentStore,
  killAt: KillPoint | undefined,
): { readonly store: DocumentStore; readonly writes: () => number } {
  let writes = 0;
  const killing = withMethods(store, (method, name) => {
    if (name !== 'commit' && name !== 'writeEach') return method;
    return async (...args) => {
      if ((args[0] as unknown[]).length === 0) return method(...args); // no call is made
      writes += 1;
      const isLast = writes === killAt?.write;
      if (isLast && killAt.when === 'before') process.kill(process.pid, 'SIGKILL');
      const outcome = await method(...args);
      if (isLast) process.kill(process.pid, 'SIGKILL');
      return outcome;
    };
  });
  return { store: killing, writes: () => writes };
}
