/**
 * JSON that a terminal cannot take for commands: a tenant's text may hold C1 control characters, which `JSON.stringify`
 * leaves as they are, or change the direction of what follows. It is parsed to the same value. @param indent blanks a
 * level
 */
export function toTerminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    toEscape,
  );
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
