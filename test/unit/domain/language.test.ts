import * as fc from 'fast-check';
import { canonicalLanguage } from '../../../shared/domain/values/language';

describe('canonicalLanguage', () => {
  it.each([
    ['en', 'en'],
    ['TR', 'tr'],
    ['fil', 'fil'],
    ['pt-br', 'pt-BR'],
    ['ES-419', 'es-419'],
    ['ZH-hANT', 'zh-Hant'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['sr-LATN-rs', 'sr-Latn-RS'],
    ['\u00a0en-gb\n', 'en-GB'],
    ['TR-tr', 'tr-TR'],
    ['IW-IL', 'iw-IL'],
  ])('writes %j in canonical case (Spec §2.2, D-16)', (text, expected) => {
    expect(canonicalLanguage(text)).toBe(expected);
  });

  it.each([
    '', ' ', 'e', 'engl', 'english', 'en_US', 'en-', '-en', 'en--US', 'en-U', 'en-USA', 'en-12', 'en-1234', 'en-US-Latn',
    'en-Latn-US-x', 'de-CH-1996', 'x-klingon', 'en US', 'en, de', '*', 'ſl', '12', 'e1', 'en-٤١٩', 'en-Ⅻ', 'eñ', 'null',
    `en${' '.repeat(50_000)}!`,
  ])('refuses what is no language[-script][-region] (D-16): %.40j', (text) => {
    expect(canonicalLanguage(text)).toBeUndefined();
  }); // prettier-ignore

  it('is the same for every letter case, and its own canonical form (D-16)', () => {
    const tag = fc.stringMatching(/^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$/);
    fc.assert(
      fc.property(tag, (text) => {
        const canonical = canonicalLanguage(text);
        expect(canonical).toBeDefined();
        expect(canonicalLanguage(canonical!)).toBe(canonical);
        expect(canonicalLanguage(text.toUpperCase())).toBe(canonical);
        expect(canonicalLanguage(text.toLowerCase())).toBe(canonical);
      }),
    );
  });
});
