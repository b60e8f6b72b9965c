import * as fc from 'fast-check';
import { parseSize } from '../../../shared/domain/values/size';

const size = (SizeNumeric: number | null, SizeMetric: string | null) => ({ SizeNumeric, SizeMetric });

describe('parseSize', () => {
  it.each([
    ['2l', size(2, 'l')],
    ['500ml', size(500, 'ml')],
    ['1.5kg', size(1.5, 'kg')],
    ['XL', size(null, 'XL')],
    ['4x500ml', size(2, 'l')],
  ])('parses the documented shape %j (Spec §2.4)', (text, expected) => {
    expect(parseSize(text)).toStrictEqual(expected);
  });

  it.each([
    ['42', size(42, null)],
    ['42.5', size(42.5, null)],
    ['42,5', size(42.5, null)],
    ['007', size(7, null)],
    ['0', size(0, null)],
  ])('reads the number alone %j without a metric (D-20)', (text, expected) => {
    expect(parseSize(text)).toStrictEqual(expected);
  });

  it.each([
    ['500 ml', size(500, 'ml')],
    ['  500\u00a0ML\t', size(500, 'ml')],
    ['1,5 KG', size(1.5, 'kg')],
    ['12%', size(12, '%')],
    ['12 %', size(12, '%')],
    ['2XL', size(2, 'xl')],
    ['3 Stück', size(3, 'stück')],
    ['5 литр', size(5, 'литр')],
  ])('reads %j as number and unit in lower case (D-20)', (text, expected) => {
    expect(parseSize(text)).toStrictEqual(expected);
  });

  it.each([
    ['4X500ML', size(2, 'l')],
    ['4×500ml', size(2, 'l')],
    ['4*500ml', size(2, 'l')],
    ['4 x 500 ml', size(2, 'l')],
    ['6x33cl', size(1.98, 'l')],
    ['3x2dl', size(0.6, 'l')],
    ['10x500mg', size(0.005, 'kg')],
    ['3x100g', size(0.3, 'kg')],
    ['2x5mm', size(0.01, 'm')],
    ['2x150cm', size(3, 'm')],
    ['3x0.1kg', size(0.3, 'kg')],
    ['3x0,1 kg', size(0.3, 'kg')],
    ['3x2l', size(6, 'l')],
    ['3x2 Pcs', size(6, 'pcs')],
    ['2x5%', size(10, '%')],
    ['0x500ml', size(0, 'l')],
    ['3x333.333333333333g', size(1, 'kg')],
  ])('adds up the multipack %j in its larger unit, to 12 significant digits (D-20)', (text, expected) => {
    expect(parseSize(text)).toStrictEqual(expected);
  });

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'])(
    'keeps the unit %j of a multipack, which is no unit that it knows (D-20)',
    (unit) => {
      expect(parseSize(`4x5${unit}`)).toStrictEqual(size(20, unit.toLowerCase()));
      expect(parseSize(`5${unit}`)).toStrictEqual(size(5, unit.toLowerCase()));
    },
  );

  it.each(['XL', 'One Size', 'X-Large', 'Größe', 'size  two', 'ÉTÉ', 'İ', 'constructor'])(
    'keeps the letters %j as they are (D-20)',
    (text) => {
      expect(parseSize(text)).toStrictEqual(size(null, text));
      expect(parseSize(`  ${text}\n`)).toStrictEqual(size(null, text));
    },
  );

  it.each([
    '', '   ', '-5ml', '+5ml', '.5l', '5.', '1.5.2l', '4x500', 'x500ml', '4xx500ml', '4x500x2ml', '500 ml net', 'XL/XXL',
    'XL-', '-XL', '12 fl oz', '3+1', '½ l', '１２ml', '10"', '40-42', '__proto__', '😀', '5😀', '\u0000', '\ud800',
    '1e3', '1e999ml', 'Infinity ml2', `${'9'.repeat(400)}ml`, `${'9'.repeat(200)}x${'9'.repeat(200)}ml`,
  ])('finds neither number nor metric in %j (D-20)', (text) => {
    expect(parseSize(text)).toStrictEqual(size(null, null));
  }); // prettier-ignore

  it('reads back the number and the unit of any number and unit (D-20)', () => {
    const unit = fc.constantFrom('l', 'ML', 'kg', '%', 'Stück', 'oz', 'constructor');
    const blanks = fc.constantFrom('', ' ', '\u00a0', '  ');
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(999_999),
        fc.constantFrom('.', ','),
        blanks,
        unit,
        (whole, part, point, gap, metric) => {
          const parsed = parseSize(`${whole}${point}${part}${gap}${metric}`);
          expect(parsed).toStrictEqual(size(Number(`${whole}.${part}`), metric.toLowerCase()));
        },
      ),
    );
  });

  it('gives a multipack the same amount in either unit (D-20)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 5000 }), (count, millilitres) => {
        const small = parseSize(`${count}x${millilitres}ml`);
        expect(small).toStrictEqual(parseSize(`${count} × ${millilitres / 1000} L`));
        expect(small.SizeNumeric).toBeCloseTo((count * millilitres) / 1000, 8);
      }),
    );
  });

  it('never throws, and yields a finite number or null, whatever the text (D-20)', () => {
    const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const meaningful = fc.constantFrom(
      '1',
      '9',
      '.',
      ',',
      'x',
      '×',
      '*',
      ' ',
      'ml',
      '%',
      '-',
      'İ',
      'constructor',
      '\ud800',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyUnit }),
          fc.array(meaningful).map((parts) => parts.join('')),
        ),
        (text) => {
          const { SizeNumeric, SizeMetric } = parseSize(text);
          expect(SizeNumeric === null || Number.isFinite(SizeNumeric)).toBe(true);
          expect(SizeMetric === null || SizeMetric.trim() !== '').toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['digits', '1'.repeat(50_000)],
    ['blanks between', `1${' '.repeat(50_000)}!`],
    ['letters that end wrongly', `${'a'.repeat(50_000)}!`],
    ['letters and blanks that end wrongly', `${'a '.repeat(25_000)}1`],
    ['letters and hyphens that end wrongly', `a${'-'.repeat(50_000)}1`],
    ['a unit that ends wrongly', `1${'a'.repeat(50_000)}1`],
    ['a multipack that ends wrongly', `1 x ${'1'.repeat(25_000)}${' '.repeat(25_000)}!`],
    ['many x', '1x'.repeat(25_000)],
  ])('finds no size in 50,000 characters: %s (D-20)', (_, text) => {
    expect(parseSize(text)).toStrictEqual(size(null, null)); // of a slow pattern it would not end
  });
});
