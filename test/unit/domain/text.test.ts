import * as fc from 'fast-check';
import { hasAtMost, isPresent, presentOrNull, toMatchingEmail, toMatchingId } from '../../../shared/domain/values/text';
import { padded, WHITE_SPACE } from '../support/white-space';

describe('isPresent', () => {
  it.each([undefined, null, '', ...WHITE_SPACE, WHITE_SPACE.join('')])(
    'takes %j for missing (Spec §2.2, D-12)',
    (value) => {
      expect(isPresent(value)).toBe(false);
    },
  );

  it.each(['0', 'null', ' a ', '\u200b', '😀'])('takes %j for a value', (value) => {
    expect(isPresent(value)).toBe(true);
  });
});

describe('presentOrNull', () => {
  it('takes a blank id for one that was not sent, and leaves any other as it is (Spec §4.3)', () => {
    for (const blank of [undefined, null, '', ...WHITE_SPACE]) expect(presentOrNull(blank)).toBeNull();
    expect(presentOrNull(' 0 ')).toBe(' 0 ');
  });
});

describe('hasAtMost', () => {
  it.each([
    ['', 0, true],
    ['a', 0, false],
    ['abc', 3, true],
    ['abcd', 3, false],
    ['😀😀😀', 3, true],
    ['😀😀😀😀', 3, false],
    ['a😀b', 3, true],
    ['a😀bc', 3, false],
    ['abcdefg', 3, false],
  ])('counts the characters of %j, not its UTF-16 units: at most %i, %s', (text, characters, has) => {
    expect(hasAtMost(text, characters)).toBe(has);
  });
});

describe('matching forms', () => {
  it.each([
    [' A@X.Io\n', 'a@x.io'],
    ['\u3000ÄÖ@x.io\ufeff', 'äö@x.io'],
    ['İ@x.io', 'i̇@x.io'],
  ])('compares the e-mail %j trimmed and in lower case (D-01)', (email, expected) => {
    expect(toMatchingEmail(email)).toBe(expected);
  });

  it.each([
    [' Ab ', 'Ab'],
    ['A b', 'A b'],
    ['\ufeffİ', 'İ'],
  ])('compares the identifier %j trimmed, otherwise exactly (D-01)', (id, expected) => {
    expect(toMatchingId(id)).toBe(expected);
  });

  it('are their own matching forms (D-01)', () => {
    fc.assert(
      fc.property(padded(fc.string({ unit: 'grapheme' })), (text) => {
        expect(toMatchingEmail(toMatchingEmail(text))).toBe(toMatchingEmail(text));
        expect(toMatchingId(toMatchingId(text))).toBe(toMatchingId(text));
      }),
    );
  });
});
