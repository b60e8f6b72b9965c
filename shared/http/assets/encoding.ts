/** The encodings in which the files are kept, the smallest first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * The encoding that an `Accept-Encoding` header takes (RFC 9110, section 12.5.3). Undefined: none of ours, so that the
 * file is sent as it is.
 */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  const weights = new Map((header ?? '').split(',').map(parseCoding));
  return ENCODINGS.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0);
}

/** `gzip;q=0.5`: its name in lower case, and how much it is wanted; 0 where that cannot be read. */
function parseCoding(text: string): readonly [name: string, weight: number] {
  const [name = '', ...parameters] = text.toLowerCase().split(';');
  const weight = parameters.map((parameter) => /^\s*q=(.*)$/.exec(parameter)?.[1]).find((found) => found !== undefined);
  return [name.trim(), Number(weight ?? 1) || 0];
}
