import * as fc from 'fast-check';
import type { DocumentData, DocumentValue } from '../../../../shared/domain/records/document';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme-ascii', minLength: 20, maxLength: 200, size: 'max' }),
  fc.constantFrom(
    '',
    'ä'.repeat(31),
    'x'.repeat(32),
    'x'.repeat(33),
    'x'.repeat(127),
    'x'.repeat(128),
    '🍵'.repeat(5000),
  ),
);
/** Firestore keeps names between two underscores for itself; this one JavaScript has its own use for. */
const name = text.filter((each) => each !== '__proto__');
const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.integer(),
  fc.constantFrom(0, -0, 127, 128, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 2 ** 63, NaN, Infinity, -Infinity),
);
const date = fc.date({
  min: new Date('0001-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const { value } = fc.letrec<{ value: DocumentValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    date,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, fc.option(tie('value'), { nil: undefined, freq: 9 }), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** Whatever a document of the service may hold, and names that need quoting. */
export const documentData: fc.Arbitrary<DocumentData> = fc.dictionary(
  name,
  fc.option(value, { nil: undefined, freq: 9 }),
  { maxKeys: 8, noNullPrototype: true },
);

const timestamp = fc.record({
  seconds: fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
  nanos: fc.integer({ min: 0, max: 999_999_999 }),
});

const { protoValue } = fc.letrec<{ protoValue: object }>((tie) => ({
  protoValue: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant({ nullValue: 'NULL_VALUE' }),
    fc.boolean().map((booleanValue) => ({ booleanValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((whole) => ({ integerValue: whole.toString() })),
    number.map((doubleValue) => ({ doubleValue })),
    timestamp.map((timestampValue) => ({ timestampValue })),
    text.map((stringValue) => ({ stringValue })),
    fc.array(tie('protoValue'), { maxLength: 5 }).map((values) => ({ arrayValue: { values } })),
    fc
      .dictionary(name, tie('protoValue'), { maxKeys: 5, noNullPrototype: true })
      .map((fields) => ({ mapValue: { fields } })),
    // What the service never writes.
    fc.uint8Array().map((bytes) => ({ bytesValue: Buffer.from(bytes) })),
    fc.constantFrom({}, { referenceValue: 'projects/p' }, { geoPointValue: { latitude: 1.5, longitude: -2 } }),
  ),
}));

/** Whatever a document of Firestore may hold, as its protocol has it. */
export const protoDocument = fc.record({
  name: text.map((path) => `projects/p/databases/d/documents/${path}`),
  fields: fc.dictionary(name, protoValue, { maxKeys: 8, noNullPrototype: true }),
  createTime: timestamp,
  updateTime: timestamp,
});
