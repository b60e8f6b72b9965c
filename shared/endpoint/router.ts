/** Finds the route of a request (D-34, D-45). */
import { methodNotAllowed, notFound } from '../http/problems';

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

/**
 * Without a route that has the path as it is, a parameter before a fixed segment may have been left out with its slash:
 * `/<tenant>/variants/<variant>` lacks a product. What can be read as a complete address is one.
 * @throws HttpProblem 404 for an unknown path, 405 with `Allow` for a method that the path does not have.
 */
export function matchRoute<R extends Address>(
  routes: readonly R[],
  method: string,
  segments: readonly string[],
): Match<R> {
  const complete = matchesOf(routes, () => segments);
  const matches = complete.length > 0 ? complete : matchesOf(routes, (template) => withLeftOut(template, segments));
  const match = matches.find(({ route }) => route.method === method);
  if (match) return match;
  throw matches.length === 0 ? notFound() : methodNotAllowed(matches.map(({ route }) => route.method));
}

function matchesOf<R extends Address>(
  routes: readonly R[],
  segmentsFor: (template: readonly string[]) => readonly string[],
): Match<R>[] {
  return routes.flatMap((route) => {
    const template = route.path.split('/').slice(1);
    const params = matchPath(template, segmentsFor(template));
    return params ? [{ route, params }] : [];
  });
}

/** The segments with an empty one in the place of the parameter before the first fixed segment. */
function withLeftOut(template: readonly string[], segments: readonly string[]): readonly string[] {
  const index = template.findIndex((name, at) => isParameter(name) && !isParameter(template[at + 1] ?? name));
  return index === -1 ? segments : segments.toSpliced(index, 0, '');
}

/** Parameters at the end may be absent: their route answers which id is missing. */
function matchPath(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (segments.length > template.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of template.entries()) {
    const segment = segments[index];
    if (isParameter(name)) params[name.slice(1)] = segment ?? '';
    else if (name !== segment) return undefined;
  }
  return params;
}

function isParameter(name: string): boolean {
  return name.startsWith(':');
}
