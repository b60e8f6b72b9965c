/**
 * What the address says: the page and the run in the path, everything else in the fragment. So a link can be shared,
 * and the request for the page itself names no bucket, no tenant and no e-mail (R-251).
 */
import type { PageName } from '../../pages';
import { PAGES } from '../../pages';

export const ROOT = '/console';

/** Values by name; a list repeats the name. Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Address {
  /** Undefined: the first page that the viewer may see. */
  readonly page: PageName | undefined;
  /** The run that is shown; undefined: the page is a list or a form. */
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, readonly string[]>>;
}

/** Any text is an address. */
export function parseAddress(path: string, fragment: string): Address {
  const [name, id = ''] = path.slice(ROOT.length).replace(/^\//, '').split('/');
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  return {
    page: PAGES.find((page) => page === name),
    id: id === '' ? undefined : decoded(id),
    query: Object.fromEntries([...parameters.keys()].map((key) => [key, parameters.getAll(key)])),
  };
}

/** @example toLink('runs', undefined, { status: 'failed' }) // '/console/runs#status=failed' */
export function toLink(page: PageName, id: string | undefined, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) {
      if (text !== '') parameters.append(name, text);
    }
  }
  const fragment = parameters.toString();
  const path = `${ROOT}/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
  return `${path}${fragment === '' ? '' : `#${fragment}`}`;
}

/** The value of a name; undefined: it is not in the address. */
export function valueOf({ query }: Address, name: string): string | undefined {
  return query[name]?.[0];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
