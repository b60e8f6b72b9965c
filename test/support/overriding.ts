import type { CommitOutcome, DocumentStore, DocumentWrite, Transaction } from '../../shared/documents/document-store';

/** The same object with some methods replaced. */
export function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return withMethods(target, (method, name) => (methods[name] as Method | undefined) ?? method);
}

/** The same store with each of its transactions changed. */
export function changingTransactions(
  store: DocumentStore,
  change: (transaction: Transaction) => Transaction,
): DocumentStore {
  return overriding(store, { begin: async (deadline) => change(await store.begin(deadline)) });
}

/**
 * The same store with all its commits, those of transactions too, made by `change`, which gets the commit as it would
 * be made.
 */
export function changingCommits(
  store: DocumentStore,
  change: (commit: () => Promise<CommitOutcome>, writes: readonly DocumentWrite[]) => Promise<CommitOutcome>,
): DocumentStore {
  const changing = overriding(store, {
    commit: (writes, deadline) => change(() => store.commit(writes, deadline), writes),
  });
  return changingTransactions(changing, (transaction) =>
    overriding(transaction, {
      commit: (changes, deadline) => change(() => transaction.commit(changes, deadline), changes),
    }),
  );
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** The same object with its methods replaced one by one. */
export function withMethods<T extends object>(target: T, replace: (method: Method, name: keyof T) => Method): T {
  return new Proxy(target, {
    get: (from, name) => {
      const method = Reflect.get(from, name) as unknown;
      return typeof method === 'function' ? replace((method as Method).bind(from), name as keyof T) : method;
    },
  });
}
