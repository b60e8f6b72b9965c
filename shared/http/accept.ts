/** What a caller wants to get: the `Accept` header (RFC 9110, section 12.5.1). */

/** A media type, or several of them: `text/csv`, `text/*`. */
interface MediaRange {
  readonly name: string;
  /** From 0, not wanted, to 1. */
  readonly quality: number;
}

/**
 * The media type that an `Accept` header wants most. Of types that it wants alike, one that it names comes before one
 * that only a wildcard means, then the one that it names first, then the one that is offered first.
 * @param offered in lower case
 * @returns the first type offered where there is no header, or where it wants none of them
 */
export function preferredType<Type extends string>(
  header: string | undefined,
  offered: readonly [Type, ...(readonly Type[])],
): Type {
  const ranges = (header ?? '').split(',').flatMap((text) => parseRange(text) ?? []);
  let preferred = offered[0];
  let best: Wish | undefined;
  for (const type of offered) {
    const wish = wishFor(type, ranges);
    if (wish && wish.quality > 0 && (!best || isGreater(wish, best))) [preferred, best] = [type, wish];
  }
  return preferred;
}

/** How much a type is wanted. */
interface Wish {
  readonly quality: number;
  /** 2: the type is named; 1: its first half is; 0: any type. */
  readonly specificity: number;
  /** Of the range in the header. */
  readonly position: number;
}

/** What the most specific range that means the type says of it; undefined: none means it. */
function wishFor(type: string, ranges: readonly MediaRange[]): Wish | undefined {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type];
  let most: Wish | undefined;
  for (const [position, { name, quality }] of ranges.entries()) {
    const specificity = names.indexOf(name);
    if (specificity > (most?.specificity ?? -1)) most = { quality, specificity, position };
  }
  return most;
}

function isGreater(a: Wish, b: Wish): boolean {
  return (a.quality - b.quality || a.specificity - b.specificity || b.position - a.position) > 0;
}

/** Parameters other than `q` do not count. Undefined: it cannot be read. */
function parseRange(text: string): MediaRange | undefined {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? { name, quality: Number(weight) } : undefined;
}
