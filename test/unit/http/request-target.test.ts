import * as fc from 'fast-check';
import { HttpProblem } from '../../../shared/http/problems';
import { decodeSegment, parseTarget, queryParameter } from '../../../shared/http/request-target';

const MALFORMED = new HttpProblem(400, 'The URL contains a malformed percent-encoding.');

describe('parseTarget', () => {
  it.each([
    ['/customers/t', ['t'], ''],
    ['/t', ['t'], ''],
    ['/customers', [], ''],
    ['/', [], ''],
    ['', [], ''],
    ['?a=1', [], 'a=1'],
    ['/t?email=a%40b&x=?', ['t'], 'email=a%40b&x=?'],
    ['/t/?', ['t'], ''],
    ['/t//', ['t'], ''],
    ['/t//variants/v', ['t', '', 'variants', 'v'], ''],
    ['//t', ['', 't'], ''],
    ['/customers/customers/t', ['customers', 't'], ''],
    ['/Customers/t', ['Customers', 't'], ''],
    ['/t/a%2Fb', ['t', 'a%2Fb'], ''],
    ['/t/%20', ['t', '%20'], ''],
    ['/t?q=/a/b', ['t'], 'q=/a/b'],
  ])('splits %j into segments and query, with nothing decoded (D-45)', (url, segments, query) => {
    expect(parseTarget(url, 'customers')).toStrictEqual({ segments, query });
  });

  it('never throws, whatever the URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('/', '?', '%', '&', '=', '#', 'customers', 'é', '\0') }), (url) => {
        const { segments } = parseTarget(url, 'customers');
        expect(segments.every((segment) => !/[/?]/.test(segment))).toBe(true);
        expect(segments.at(-1)).not.toBe('');
      }),
    );
  });
});

describe('decodeSegment', () => {
  it.each([
    ['a%2Fb', 'a/b'],
    ['%2e%2e', '..'],
    ['a+b', 'a+b'],
    ['%252F', '%2F'],
    ['%F0%9F%98%80', '😀'],
    ['%20', ' '],
    ['', ''],
  ])('decodes %j once (D-45)', (segment, expected) => {
    expect(decodeSegment(segment)).toBe(expected);
  });

  it('reads back every well-formed text (D-45)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeSegment(encodeURIComponent(text))).toBe(text);
      }),
    );
  });

  it.each(['%', '%2', '%zz', 'a%', '%F0%9F', '%C0%AF', '%ED%A0%80', '%FF'])('refuses %j with 400 (D-45)', (segment) => {
    expect(() => decodeSegment(segment)).toThrow(MALFORMED);
    expect(() => decodeSegment(segment)).toThrow(expect.objectContaining({ status: 400 }) as Error);
  });
});

describe('queryParameter', () => {
  it.each([
    ['email=a%40x.io', 'a@x.io'],
    ['x=1&email=a&y=2', 'a'],
    ['email=a+b', 'a b'],
    ['email=a%2Bb', 'a+b'],
    ['email=%252B', '%2B'],
    ['email=a=b', 'a=b'],
    ['e%6Dail=a', 'a'],
    ['email=', ''],
    ['email', ''],
    ['email=&', ''],
    ['', null],
    ['&&', null],
    ['Email=a', null],
    ['xemail=a', null],
    ['email[]=a', null],
    ['__proto__=a', null],
  ])('finds in %j the value %j, decoded once (D-45, R-07)', (query, value) => {
    expect(queryParameter(query, 'email')).toBe(value);
  });

  it('reads back what URLSearchParams writes (D-45)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (email, other) => {
        const query = new URLSearchParams({ a: other, email, z: other }).toString();
        expect(queryParameter(query, 'email')).toBe(email);
        expect(queryParameter(query, 'customerId')).toBeNull();
      }),
    );
  });

  it('refuses a parameter that is given twice, rather than guess which to delete by (R-07)', () => {
    const given = () => queryParameter('email=a&x=1&email=a', 'email');
    expect(given).toThrow(new HttpProblem(400, 'The query parameter email must be given once.'));
    expect(queryParameter('x=1&x=2&email=a', 'email')).toBe('a');
  });

  it.each(['email=%', 'email=%zz', '%=1&email=a', 'email=%F0'])('refuses the malformed %j with 400 (D-45)', (query) => {
    expect(() => queryParameter(query, 'email')).toThrow(MALFORMED);
  });
});
