import * as fc from 'fast-check';
import { toTerminalJson } from '../../../functions/admin/terminal-json';

describe('toTerminalJson', () => {
  it('is parsed to the same value as plain JSON, whatever the texts hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2), (value, indent) => {
        expect(JSON.parse(toTerminalJson(value, indent))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ['an escape sequence', '\u001b]0;owned\u0007', '"\\u001b]0;owned\\u0007"'],
    ['the same in one C1 character', '\u009b2J', '"\\u009b2J"'],
    ['a turned direction', '\u202etxt.exe\u2066', '"\\u202etxt.exe\\u2066"'],
    ['delete', '\u007f', '"\\u007f"'],
    ['ordinary text', 'Zoë 🍵', '"Zoë 🍵"'],
  ])('prints %s as text', (_, text, printed) => {
    expect(toTerminalJson(text)).toBe(printed);
    expect(toTerminalJson({ [text]: text })).toBe(`{${printed}:${printed}}`);
  });
});
