/** What a row of a file asks of the service, which has upserts and deletions and no time of a row. */
import { DELETED_AT, isDeleted, parseRowTime, UPDATED_AT } from '../../../../shared/domain/records/row-times';
import type { RecordKind } from '../../../../shared/domain/identity';
import { splitDeletedParts, toRowPath } from '../../../../shared/files/deleting-rows';
import { KIND_FIELDS } from '../../../../shared/files/kind-fields';
import type { ValidationErrors } from '../../../../shared/validation/validation-failed';
import { hasValue, isObject } from '../../../../shared/validation/values';

/** The member or column with the messages of a bad row. It is never sent. */
export const ERRORS_FIELD = '_errors';

type Fields = Readonly<Record<string, unknown>>;

/** `push`: a row is stored, and deletes where it has `DeletedAt`. `delete`: a row names what is deleted. */
export type Purpose = 'push' | 'delete';

export interface Operation {
  readonly type: 'upsert' | 'delete';
  readonly element: Fields;
  /** The path in the row of a path in the element. */
  readonly toRowPath: (path: string) => string;
}

/** Undefined: the row has nothing but the messages of another one. */
export type RowOperations =
  | { readonly operations: readonly Operation[]; readonly hasUpdatedAt: boolean }
  | { readonly messages: ValidationErrors }
  | undefined;

/**
 * The operations of a row, to be done in their order.
 * @param now a later `DeletedAt` is in the future
 */
export function toOperations(record: unknown, kind: RecordKind, purpose: Purpose, now: Date): RowOperations {
  if (!isObject(record)) return { messages: { '': ['The element must be an object.'] } };
  const { [ERRORS_FIELD]: errors, ...row } = record;
  if (errors !== undefined && Object.keys(row).length === 0) return undefined;
  if (purpose === 'delete') return toNamed(row, kind);
  const hasUpdatedAt = hasValue(row[UPDATED_AT]);
  if (isDeleted(row)) {
    const problem = parseRowTime(row, DELETED_AT, now);
    if (typeof problem === 'string') return { messages: { [DELETED_AT]: [problem] } };
    const { identifiers, partIds } = KIND_FIELDS[kind];
    return { operations: [deletionOf(pick(row, [...identifiers, ...partIds]))], hasUpdatedAt: false };
  }
  const { [DELETED_AT]: _blank, [UPDATED_AT]: _time, ...fields } = row;
  const split = splitDeletedParts(fields, kind);
  if (!split) return { operations: [upsertOf(withoutBlankTimes(fields, kind))], hasUpdatedAt };
  const { parts, deleted, deletedIndexes, otherIndexes, recordToStore, deletesOnly } = split;
  const messages = deletedPartErrors(deleted, kind, now);
  const toPath = (path: string) => toRowPath(path, deletedIndexes, parts);
  if (messages) {
    return { messages: Object.fromEntries(Object.entries(messages).map(([path, of]) => [toPath(path), of])) };
  }
  const { identifiers, partIds } = KIND_FIELDS[kind];
  const deletions = deleted.map((part, index) => ({
    ...deletionOf({ ...pick(fields, identifiers), ...pick(part, partIds) }),
    toRowPath: (path: string) => (identifiers.includes(path) ? path : toPath(`${parts}[${index}].${path}`)),
  }));
  const upsert = {
    ...upsertOf(withoutBlankTimes(recordToStore, kind)),
    toRowPath: (path: string) => toRowPath(path, otherIndexes, parts),
  };
  return { operations: deletesOnly ? deletions : [...deletions, upsert], hasUpdatedAt };
}

/** A row of `ingest delete`. One that has parts does not say whether it means them or the whole record. */
function toNamed(row: Fields, kind: RecordKind): RowOperations {
  const { parts, partIds } = KIND_FIELDS[kind];
  if (parts === undefined) return { operations: [deletionOf(row)], hasUpdatedAt: false };
  const { [parts]: elements, ...named } = row;
  if (elements === undefined || (Array.isArray(elements) && elements.length === 0)) {
    return { operations: [deletionOf(named)], hasUpdatedAt: false };
  }
  const message = `A row that deletes has no ${parts}. To delete one, name its ${partIds.join(' or ')} in the row itself.`;
  return { messages: { [parts]: [message] } };
}

/** A deletion without the id of a part would delete the whole record. */
function deletedPartErrors(parts: readonly Fields[], kind: RecordKind, now: Date): ValidationErrors | undefined {
  const { parts: field, partIds } = KIND_FIELDS[kind];
  const errors = parts.flatMap((part, index): (readonly [string, readonly string[]])[] => {
    const path = `${field}[${index}]`;
    if (!partIds.some((id) => hasValue(part[id]))) {
      const must = partIds.length === 1 ? partIds.join('') : `At least one of ${partIds.join(', ')}`;
      return [[path, [`${must} must have a value.`]]];
    }
    const time = parseRowTime(part, DELETED_AT, now);
    return typeof time === 'string' ? [[`${path}.${DELETED_AT}`, [time]]] : [];
  });
  return errors.length === 0 ? undefined : Object.fromEntries(errors);
}

/** Without times of elements that are not deleted: a blank one is none. */
function withoutBlankTimes(fields: Fields, kind: RecordKind): Fields {
  const { parts } = KIND_FIELDS[kind];
  const elements = parts === undefined ? undefined : fields[parts];
  const isTimed = (element: unknown) => isObject(element) && DELETED_AT in element;
  if (parts === undefined || !Array.isArray(elements) || !elements.some(isTimed)) return fields;
  const cleared = elements.map((element: unknown) => {
    if (!isObject(element) || !isTimed(element)) return element;
    const { [DELETED_AT]: _blank, ...rest } = element;
    return rest;
  });
  return { ...fields, [parts]: cleared };
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}

const samePath = (path: string) => path;
const deletionOf = (element: Fields): Operation => ({ type: 'delete', element, toRowPath: samePath });
const upsertOf = (element: Fields): Operation => ({ type: 'upsert', element, toRowPath: samePath });
