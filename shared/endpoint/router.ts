/** Finds the route of a request (D-34, D-45). */
import { methodNotAllowed, notFound } from '../http/problems';

/** A route's method and path, for example `/:tenantId/:productId/variants/:variantId`, relative to its function. */
export interface Address {
  readonly method: string;
  readonly path: string;
}

export interface Match<R extends Address> {
  readonly route: R;
  /** Raw path parameters by name; empty when the segment is absent or empty. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a path. Only when no route has the path as it is, a parameter before a fixed segment may have been
 * omitted with its slash: `/<tenant>/variants/<variant>` lacks a product.
 * @throws HttpProblem 404 for an unknown path, 405 with `Allow` for a method that the path does not have.
 */
export function matchRoute<R extends Address>(
  routes: readonly R[],
  method: string,
  segments: readonly string[],
): Match<R> {
  const complete = matchesOf(routes, () => segments);
  const matches =
    complete.length > 0 ? complete : matchesOf(routes, (template) => withOmittedParameter(template, segments));
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

/** The segments with an empty one inserted for the parameter before the first fixed segment. */
function withOmittedParameter(template: readonly string[], segments: readonly string[]): readonly string[] {
  const omitted = template.findIndex((name, index) => isParameter(name) && !isParameter(template[index + 1] ?? name));
  return omitted === -1 ? segments : segments.toSpliced(omitted, 0, '');
}

/** The parameters of a path. Trailing parameters may be absent: the route answers which id is missing. */
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
