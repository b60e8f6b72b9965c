/**
 * JSON without characters that a terminal obeys. A tenant's text may hold C1 control characters or marks that change
 * the direction of text, and `JSON.stringify` does not escape them. Parsing gives the same value.
 * @param indent blanks for each level
 */
export function toTerminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    toEscapeSequence,
  );
}

/** A text without characters that a terminal obeys: they are shown as JSON would escape them. */
export function toTerminalText(text: string): string {
  return toTerminalJson(text)
    .slice(1, -1)
    .replace(/\\(["\\])/g, '$1');
}

function toEscapeSequence(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
