/** Parses the request target into path segments and query parameters, which are decoded once (D-45). */
import { malformedEncoding, misspeltParameter, repeatedParameter } from './problems';

export interface RequestTarget {
  /** Raw path segments after the function's own name, without trailing empty segments. */
  readonly segments: readonly string[];
  /** Without its `?`. */
  readonly query: string;
}

/**
 * Splits a raw URL. A leading function name is removed: the regional address of the functions strips it already, but a
 * load balancer does not.
 * @param names what is removed, in this order, each where it is there
 */
export function parseTarget(url: string, ...names: readonly string[]): RequestTarget {
  const target = url.replace(/^https?:\/\/[^/?]*/i, ''); // a proxy may send the absolute form (RFC 9112)
  const queryIndex = target.indexOf('?');
  const path = queryIndex === -1 ? target : target.slice(0, queryIndex);
  const segments = path.split('/').slice(1);
  for (const name of names) if (segments[0] === name) segments.shift();
  while (segments.at(-1) === '') segments.pop();
  return { segments, query: queryIndex === -1 ? '' : target.slice(queryIndex + 1) };
}

/** A percent-decoded path segment; undefined for a malformed encoding. */
export function tryToDecode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** A percent-decoded path segment. @throws HttpProblem 400 for a malformed encoding. */
export function decodeSegment(segment: string): string {
  const text = tryToDecode(segment);
  if (text === undefined) throw malformedEncoding();
  return text;
}

/**
 * What an unencoded `+` in a query means. Forms and URL libraries write it for a blank; in an e-mail address it is a
 * plus sign.
 */
export type PlusMeaning = 'blank' | 'plus';

/**
 * The decoded value of a query parameter; null when it is absent.
 * @throws HttpProblem 400 for a malformed encoding, or a parameter that is given twice.
 */
export function queryParameter(query: string, name: string, plus: PlusMeaning = 'blank'): string | null {
  const values = parametersOf(query, plus).filter(([key]) => key === name);
  if (values.length > 1) throw repeatedParameter(name);
  return values[0]?.[1] ?? null;
}

/**
 * `queryParameter` of one whose absence changes what a request does.
 * @throws HttpProblem 400 also where the name of a parameter differs from this one only in case
 */
export function exactQueryParameter(query: string, name: string): string | null {
  const isMisspelt = parametersOf(query, 'blank').some(
    ([key]) => key !== name && key.toLowerCase() === name.toLowerCase(),
  );
  if (isMisspelt) throw misspeltParameter(name);
  return queryParameter(query, name);
}

/** The decoded names and values. @throws HttpProblem 400 for a malformed encoding. */
function parametersOf(query: string, plus: PlusMeaning): (readonly [name: string, value: string])[] {
  return query
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    })
    .map(([key = '', value = '']) => [decodeFormText(key, 'blank'), decodeFormText(value, plus)] as const);
}

function decodeFormText(text: string, plus: PlusMeaning): string {
  return decodeSegment(plus === 'blank' ? text.replaceAll('+', ' ') : text);
}
