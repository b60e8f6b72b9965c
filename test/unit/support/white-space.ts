import * as fc from 'fast-check';

/** ASCII and Unicode characters that count as white space. */
export const WHITE_SPACE = [' ', '\t', '\n', '\r', '\u00a0', '\u2003', '\u2028', '\u3000', '\ufeff'];

/** No, one or some characters of white space. */
export const padding = fc.string({ unit: fc.constantFrom(...WHITE_SPACE), maxLength: 3 });

/** A text with white space around it. */
export function padded(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(padding, text, padding).map((parts) => parts.join(''));
}

/** The letters of `text`, each in upper or lower case. */
export function inAnyCase(text: string): fc.Arbitrary<string> {
  return fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => Array.from(text, (letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(''));
}
