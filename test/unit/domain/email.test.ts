import * as fc from 'fast-check';
import { isEmail } from '../../../shared/domain/values/email';
import { padded, WHITE_SPACE } from '../support/white-space';

describe('isEmail', () => {
  it.each(['a@b', ' a@b.io\n', '\ufeffa@b.io', 'a+tag@b.io', 'İ@ß.io', '"quoted"@b', '😀@😀', '.@.', "o'neil@b.ie"])(
    'accepts %j (D-17)',
    (text) => {
      expect(isEmail(text)).toBe(true);
    },
  );

  it.each(['', ' ', '@', 'a', 'a@', '@b', ' @b', 'a@ ', 'a@@b', 'a@b@c', '"a@b"@c', 'a b@c', 'a@b c', 'a@b\r\nBcc:c'])(
    'refuses %j (D-17)',
    (text) => {
      expect(isEmail(text)).toBe(false);
    },
  );

  it.each(WHITE_SPACE)('refuses the white space %j inside, and allows it around (D-01, D-17)', (blank) => {
    expect(isEmail(`a${blank}b@x.io`)).toBe(false);
    expect(isEmail(`ab@x${blank}.io`)).toBe(false);
    expect(isEmail(`${blank}ab@x.io${blank}`)).toBe(true);
  });

  it('accepts exactly what has one @ with text on both sides and no white space (D-17)', () => {
    const unit = fc.constantFrom('a', '.', '@', ' ', '\u3000', 'é');
    fc.assert(
      fc.property(padded(fc.string({ unit, maxLength: 8 })), (text) => {
        const sides = text.trim().split('@');
        const holds =
          sides.length === 2 && sides.every((side) => side !== '' && side.trim() === side && !/\s/.test(side));
        expect(isEmail(text)).toBe(holds);
      }),
      { numRuns: 500 },
    );
  });
});
