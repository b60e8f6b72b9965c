/** Rows that delete parts of their record: elements with `DeletedAt` among its variants or items. */
import { MAX_PARTS } from '../domain/limits';
import { isDeleted } from '../domain/records/row-times';
import type { RecordKind } from '../domain/identity';
import { isObject } from '../validation/values';
import { KIND_FIELDS } from './kind-fields';

type Fields = Readonly<Record<string, unknown>>;

/** A row with elements that are deleted, and perhaps others and fields of its own. */
export interface SplitRow {
  /** The field of the elements. */
  readonly parts: string;
  /** The elements, and the index of each in the row. */
  readonly deleted: readonly Fields[];
  readonly deletedIndexes: readonly number[];
  readonly otherIndexes: readonly number[];
  /** The row without them. */
  readonly recordToStore: Fields;
  /** There is nothing else to store. */
  readonly deletesOnly: boolean;
}

/** Undefined: the row deletes none of its elements, or has so many that it is refused anyhow. */
export function splitDeletedParts(record: Fields, kind: RecordKind): SplitRow | undefined {
  const { parts, identifiers, schema } = KIND_FIELDS[kind];
  const elements = parts === undefined ? undefined : record[parts];
  if (parts === undefined || !Array.isArray(elements) || elements.length > MAX_PARTS) return undefined;
  const isDeletedElement = (element: unknown): element is Fields => isObject(element) && isDeleted(element);
  const deleted = elements.filter(isDeletedElement);
  if (deleted.length === 0) return undefined;
  const indexes = [...elements.keys()];
  const otherIndexes = indexes.filter((index) => !isDeletedElement(elements[index]));
  const recordToStore = { ...record, [parts]: otherIndexes.map((index) => elements[index] as unknown) };
  const isOwnField = (field: string) => field !== identifiers[0] && field !== parts && record[field] !== undefined;
  return {
    parts,
    deleted,
    deletedIndexes: indexes.filter((index) => isDeletedElement(elements[index])),
    otherIndexes,
    recordToStore,
    deletesOnly: otherIndexes.length === 0 && !Object.keys(schema.properties).some(isOwnField),
  };
}

/** The path in the row of a path like `OrderItems[0].Sku`, which counts only the elements with these indexes. */
export function toRowPath(path: string, indexes: readonly number[], parts: string): string {
  if (!path.startsWith(`${parts}[`)) return path;
  const end = path.indexOf(']');
  const index = indexes[Number(path.slice(parts.length + 1, end))] ?? 0;
  return `${parts}[${index}${path.slice(end)}`;
}
