import * as fc from 'fast-check';
import type { DocumentData, DocumentValue } from '../../../shared/domain/records/document';
import { areSameFields, documentBytes, valueBytes } from '../../../shared/domain/records/document';

const { value: values } = fc.letrec<{ value: DocumentValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'grapheme' }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.date({ noInvalidDate: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
}));
const documents = fc.dictionary(fc.string({ minLength: 1 }), values, { maxKeys: 5 });

describe('valueBytes', () => {
  it.each<[string, DocumentValue | undefined, number]>([
    ['null', null, 1],
    ['false', false, 1],
    ['an integer', 0, 8],
    ['a double', -1.5, 8],
    ['a time', new Date(0), 8],
    ['an empty text', '', 1],
    ['ASCII', 'abc', 4],
    ['two-byte letters', 'é', 3],
    ['three-byte letters', '語', 4],
    ['an emoji', '😀', 5],
    ['a long text', 'x'.repeat(65), 66],
    ['a long text of two-byte letters', 'é'.repeat(65), 131],
    ['an empty list', [], 0],
    ['a list', [1, 'a', null], 11],
    ['an empty map', {}, 0],
    ['a map', { a: 1, é: 'b' }, 2 + 8 + 3 + 2],
    ['a map with an absent field', { a: undefined }, 0],
    ['nested parts', [{ Sku: 's' }, { Sku: 't' }], 12],
    ['nothing', undefined, 0],
  ])('counts %s as Firestore does', (_, value, bytes) => {
    expect(valueBytes(value)).toBe(bytes);
  });

  it('counts a list as the sum of its elements', () => {
    fc.assert(
      fc.property(fc.array(values), (list) => {
        expect(valueBytes(list)).toBe(list.map(valueBytes).reduce((sum, bytes) => sum + bytes, 0));
      }),
    );
  });
});

describe('documentBytes', () => {
  it('grows by the name and the value of each field, and by nothing for an absent one', () => {
    fc.assert(
      fc.property(documents, values, (document, value) => {
        const wider: DocumentData = { ...document, 'the new fiéld': value };
        expect(documentBytes(wider) - documentBytes(document)).toBe(15 + valueBytes(value));
        expect(documentBytes({ ...document, 'the new fiéld': undefined })).toBe(documentBytes(document));
      }),
    );
  });

  it('leaves room for a path and the overhead of a document', () => {
    expect(documentBytes({})).toBeGreaterThanOrEqual(200);
  });

  it('is never below the UTF-8 bytes of the texts in it', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(documentBytes(document)).toBeGreaterThan(textBytes(document));
      }),
    );
  });
});

describe('areSameFields', () => {
  it.each<[a: DocumentData, b: DocumentData]>([
    [{}, {}],
    [{ a: undefined }, {}],
    [
      { a: 1, b: 'x', c: null, d: false },
      { d: false, c: null, b: 'x', a: 1 },
    ],
    [{ a: new Date(5) }, { a: new Date(5) }],
    [{ a: [] }, { a: [] }],
    [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'x', c: undefined }] }],
    [{ a: { b: undefined } }, { a: {} }],
  ])('takes %j for the same as %j', (a, b) => {
    expect([areSameFields(a, b), areSameFields(b, a)]).toEqual([true, true]);
  });

  it.each<[a: DocumentData, b: DocumentData]>([
    [{ a: 1 }, {}],
    [
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: null }, { a: {} }],
    [{ a: {} }, {}],
    [{ a: 1 }, { a: {} }],
    [{ a: 'x' }, { a: ['x'] }],
    [{ a: new Date(5) }, { a: new Date(6) }],
    [{ a: new Date(5) }, { a: {} }],
    [{ a: new Date(5) }, { a: 5 }],
    [{ a: [] }, { a: {} }],
    [{ a: ['x'] }, { a: { 0: 'x', length: 1 } }],
    [{ a: [1] }, { a: [1, 2] }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }],
  ])('tells %j from %j', (a, b) => {
    expect([areSameFields(a, b), areSameFields(b, a)]).toEqual([false, false]);
  });
});

function textBytes(value: unknown): number {
  if (typeof value === 'string') return new TextEncoder().encode(value).length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + textBytes(member), 0);
}
