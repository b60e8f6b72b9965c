/**
 * A path of segments, each encoded.
 * @throws TypeError for `.` and `..`, which a URL cannot hold as a segment: it would mean another address
 */
export function toPath(...segments: readonly string[]): string {
  return segments.map((segment) => `/${toSegment(segment)}`).join('');
}

function toSegment(segment: string): string {
  if (segment !== '.' && segment !== '..') return encodeURIComponent(segment);
  throw new TypeError(`The id ${segment} cannot be in an address. Use deleteAll, which sends ids in a body.`);
}
