/** Finds the route of a request (D-34, D-45). */
import { methodNotAllowed, notFound } from './problems';

/** A route's address: `/:tenantId/:productId/variants/:variantId`, relative to its function. */
export interface Address {
  readonly method: string;
  readonly path: string;
}

export interface Match<R extends Address> {
  readonly route: R;
  /** Raw path parameters by name; empty where the segment is absent or blank. */
  readonly params: Readonly<Record<string, string>>;
}

/** @throws HttpProblem 404 for an unknown path, 405 with `Allow` for a method that the path does not have. */
export function matchRoute<R extends Address>(
  routes: readonly R[],
  method: string,
  segments: readonly string[],
): Match<R> {
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path, segments);
    return params ? [{ route, params }] : [];
  });
  const match = matches.find(({ route }) => route.method === method);
  if (match) return match;
  throw matches.length === 0 ? notFound() : methodNotAllowed(matches.map(({ route }) => route.method));
}

/** Parameters at the end may be absent: their route answers which id is missing. */
function matchPath(path: string, segments: readonly string[]): Record<string, string> | undefined {
  const template = path.split('/').slice(1);
  if (segments.length > template.length) return undefined;
  const params: Record<string, string> = {};
  for (const [place, name] of template.entries()) {
    const segment = segments[place];
    if (name.startsWith(':')) params[name.slice(1)] = segment ?? '';
    else if (name !== segment) return undefined;
  }
  return params;
}
