/** The same object with some methods replaced. */
export function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return withMethods(target, (method, name) => (methods[name] as Method | undefined) ?? method);
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
