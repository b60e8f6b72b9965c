/** Ids of all lengths and alphabets, in the addresses and bodies of all routes that delete. */
import * as fc from 'fast-check';
import type { RecordKind } from '../../../shared/domain/identity';

/** Lengths around every bound: of fields, of e-mails in lower case, of index values, of what a URL can carry. */
const LENGTHS = [0, 1, 2, 49, 50, 51, 99, 100, 101, 200, 201, 255, 256, 510, 511, 1_500, 1_501, 2_000, 5_000, 15_000];

/** Node.js refuses longer headers, the address among them. */
const MAX_ENCODED = 15_000;

const ALPHABETS = [
  ['a'], ['0'], [' '], ['\u0000'], ['\u0001', '\u007f', '\u202e', '\ufeff'], ['/'], ['.'], ['%'], ['+', '&', '=', '#', '?'], ['é', 'e\u0301', '\u0301'],
  ['😀'], ['𝒳', '\uffff', '\u{10ffff}'], ['İ', 'ẞ', 'Σ'], ['@', 'a', '.'], ['"', '\\', '`', "'"], ['_', '-'],
]; // prettier-ignore
const SPECIAL = ['.', '..', '__x__', '__proto__', 'constructor', 'variants', 'items', 'null', 'undefined', '../../customers/x', '%2F', '%00', ' x ', 'A@X.com']; // prettier-ignore
/** What is no encoding of a text: half characters, cut-off and unfinished sequences. */
const MALFORMED = ['%', '%%', '%E0%A4%A', '%ED%A0%80', '%ud800', '%FF'];

/** An id and how it is written into an address. */
export interface DrawnId {
  /** Undefined: no text. */
  readonly text: string | undefined;
  readonly encoded: string;
}

function toId(drawn: string): DrawnId {
  const text = drawn.toWellFormed(); // a cut may have left half a character
  const fitting = encodeURIComponent(text).length <= MAX_ENCODED ? text : cut(text);
  return { text: fitting, encoded: encodeURIComponent(fitting) };
}

/** As many characters of a text as an address can carry. */
function cut(text: string): string {
  let left = MAX_ENCODED;
  const characters = Array.from(text);
  const end = characters.findIndex((character) => (left -= encodeURIComponent(character).length) < 0);
  return characters.slice(0, end).join('');
}

const repeated = fc
  .tuple(fc.constantFrom(...ALPHABETS), fc.constantFrom(...LENGTHS))
  .map(([alphabet, length]) => Array.from({ length }, (_, n) => alphabet[n % alphabet.length] ?? '').join(''));
const padded = fc.tuple(repeated, repeated).map(([id, pad]) => `${pad.slice(0, 3)}${' '.repeat(20)}${id}`);

const id: fc.Arbitrary<DrawnId> = fc.oneof(
  { weight: 6, arbitrary: repeated.map(toId) },
  { weight: 2, arbitrary: padded.map(toId) },
  { weight: 2, arbitrary: fc.constantFrom(...SPECIAL).map(toId) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }).map(toId) }, // prettier-ignore
  { weight: 1, arbitrary: fc.constantFrom(...MALFORMED).map((encoded) => ({ text: undefined, encoded })) },
);

/** A deletion as it is sent. */
export interface DrawnDeletion {
  readonly kind: RecordKind;
  readonly ids: Readonly<Record<string, DrawnId>>;
  /** Behind the tenant. */
  readonly address: string;
  /** The same in a batch; ids that no JSON can hold as a text are left out. */
  readonly element: Readonly<Record<string, string>>;
}

/** In a body an id may be as long as it was drawn. */
function toElement(names: readonly string[], ids: readonly DrawnId[]): Readonly<Record<string, string>> {
  const texts = names.flatMap((name, index) => {
    const text = ids[index]?.text;
    return text === undefined ? [] : [[`${name.charAt(0).toUpperCase()}${name.slice(1)}`, text]];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}

const ADDRESSES: Readonly<
  Record<string, { kind: RecordKind; names: readonly string[]; write: (...ids: string[]) => string }>
> = {
  // prettier-ignore
  customer: { kind: 'customers', names: ['customerId', 'email'], write: (a, b) => `?customerId=${a}&email=${b}` },
  customerById: { kind: 'customers', names: ['customerId'], write: (a) => `?customerId=${a}` },
  customerByEmail: { kind: 'customers', names: ['email'], write: (a) => `?email=${a}` },
  product: { kind: 'products', names: ['productId'], write: (a) => `/${a}` },
  variant: { kind: 'products', names: ['productId', 'variantId'], write: (a, b) => `/${a}/variants/${b}` },
  order: { kind: 'orders', names: ['orderId'], write: (a) => `/${a}` },
  item: { kind: 'orders', names: ['orderId', 'productId', 'sku'], write: (a, b, c) => `/${a}/items?productId=${b}&sku=${c}` }, // prettier-ignore
};

export const drawnDeletion: fc.Arbitrary<DrawnDeletion> = fc
  .constantFrom(...Object.values(ADDRESSES))
  .chain(({ kind, names, write }) =>
    fc.tuple(...names.map(() => id)).map((ids) => {
      // Only one id can be as long as an address.
      const room = Math.floor(MAX_ENCODED / ids.length);
      const short = ids.map((one) => (one.encoded.length <= room ? one : toId((one.text ?? '').slice(0, room / 12))));
      return {
        kind,
        ids: Object.fromEntries(names.map((name, index) => [name, short[index]!])),
        address: write(...short.map(({ encoded }) => encoded)),
        element: toElement(names, ids),
      };
    }),
  );
