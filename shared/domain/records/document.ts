/** The content of a stored document, and its storage size in Firestore. */

export type DocumentValue =
  | string
  | number
  | boolean
  | null
  | Date
  | readonly DocumentValue[]
  | { readonly [field: string]: DocumentValue | undefined };

/** The fields of a document; undefined: the field is absent. */
export type DocumentData = Readonly<Record<string, DocumentValue | undefined>>;

/** Bytes of a document's path and overhead, counted generously: the service's own paths are shorter. */
const PATH_BYTES = 256;

/** The storage size of a document in bytes, by Firestore's rules: names and texts are UTF-8 plus one byte. */
export function documentBytes(data: DocumentData): number {
  return PATH_BYTES + fieldsBytes(data);
}

/** The storage size of one value. */
export function valueBytes(value: DocumentValue | undefined): number {
  if (value === undefined) return 0;
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number' || value instanceof Date) return 8;
  if (isList(value)) return value.reduce((sum: number, element) => sum + valueBytes(element), 0);
  return fieldsBytes(value);
}

/** The storage size of a field whose value takes these bytes. */
export function fieldBytes(name: string, bytes: number): number {
  return textBytes(name) + bytes;
}

export function isList(value: DocumentValue): value is readonly DocumentValue[] {
  return Array.isArray(value);
}

/** Whether two records or parts of records hold the same values. An undefined field is as an absent one. */
export function areSameFields(one: object, other: object): boolean {
  const [a, b] = [one as DocumentData, other as DocumentData];
  for (const name in a) if (!isSameValue(a[name], b[name])) return false;
  for (const name in b) if (a[name] === undefined && b[name] !== undefined) return false;
  return true;
}

function isSameValue(one: DocumentValue | undefined, other: DocumentValue | undefined): boolean {
  if (one === other) return true;
  if (!one || !other || typeof one !== 'object' || typeof other !== 'object') return false;
  if (one instanceof Date || other instanceof Date) {
    return one instanceof Date && other instanceof Date && one.getTime() === other.getTime();
  }
  if (!isList(one) && !isList(other)) return areSameFields(one, other);
  if (!isList(one) || !isList(other) || one.length !== other.length) return false;
  return one.every((value, index) => isSameValue(value, other[index]));
}

function fieldsBytes(fields: DocumentData): number {
  let bytes = 0;
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) bytes += textBytes(name) + valueBytes(value);
  }
  return bytes;
}

/** Most texts are short ASCII names. For them the call into native code takes longer than the work. */
const SHORT_TEXT_LENGTH = 64;

function textBytes(text: string): number {
  if (text.length > SHORT_TEXT_LENGTH) return Buffer.byteLength(text) + 1;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text) + 1;
  }
  return text.length + 1;
}
