import { canonicalCurrency } from '../../../shared/domain/values/currency';

describe('canonicalCurrency', () => {
  it.each([
    ['USD', 'USD'],
    ['usd', 'USD'],
    ['eUr', 'EUR'],
    [' try ', 'TRY'],
    ['jpy\u00a0', 'JPY'],
    ['SLE', 'SLE'],
    ['HRK', 'HRK'],
  ])('reads %j in any case and writes it in upper case (D-14)', (text, expected) => {
    expect(canonicalCurrency(text)).toBe(expected);
  });

  it.each(['', ' ', 'US', 'USDT', 'ABC', 'BTC', '$', '€', '840', 'U SD', 'U\nD', 'ＵＳＤ', 'constructor', '__proto__'])(
    'refuses %j, which is no ISO 4217 code (D-14)',
    (text) => {
      expect(canonicalCurrency(text)).toBeUndefined();
    },
  );

  it.each(['uſd', 'ınr'])('refuses %j, which only Unicode’s upper case turns into a code (D-14)', (text) => {
    expect(canonicalCurrency(text)).toBeUndefined();
  });
});
