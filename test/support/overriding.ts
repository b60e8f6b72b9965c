import type { DocumentStore } from '../../shared/documents/document-store';

/** The same store with some methods replaced. */
export function overriding(store: DocumentStore, methods: Partial<DocumentStore>): DocumentStore {
  return withMethods(store, (method, name) => (methods[name] as Method | undefined) ?? method);
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** The same store with its methods replaced one by one. */
export function withMethods(
  store: DocumentStore,
  replace: (method: Method, name: keyof DocumentStore) => Method,
): DocumentStore {
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      return typeof method === 'function'
        ? replace((method as Method).bind(target), name as keyof DocumentStore)
        : method;
    },
  });
}
