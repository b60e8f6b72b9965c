/** Validates batches: checks every rule for every element, and collects unknown fields (Spec §4.2, §7.2). */
import { RECORD_KINDS } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { MAX_REJECTED_ELEMENTS, MAX_REJECTED_MESSAGES } from '../domain/limits';
import { runToEnd } from '../domain/records/parts';
import type { MisnamedFieldFinder } from '../domain/warnings/misnamed-fields';
import { compileMisnamedFieldFinder } from '../domain/warnings/misnamed-fields';
import { EventLoopShare, runInShares } from '../platform/async/event-loop-share';
import { ErrorCollector } from './error-collector';
import { requiredMessage } from './messages';
import type { ElementErrors } from './validation-failed';
import type { ObjectSchema, SchemaCheck } from './schema-check';
import { compileSchemaCheck } from './schema-check';
import { compileUnknownFieldCollector } from './unknown-fields';
import { ValidationFailed } from './validation-failed';
import { hasValue, isObject } from './values';

/** The rules of one kind of batch. */
export interface BatchDefinition {
  readonly schema: ObjectSchema;
  /** The maximum number of elements in one request (D-31). */
  readonly maxRecords: number;
  /** Whether the customer fields that the tenant makes mandatory are required (Spec §2.1). */
  readonly enforcesRequiredFields?: boolean;
  /** A rule about a whole element. Returns the error message, or undefined if the element is valid. */
  readonly rule?: (element: Readonly<Record<string, unknown>>) => string | undefined;
}

export interface ValidBatch<Dto> {
  readonly records: readonly Dto[];
  /** Distinct paths of unknown fields, which are not stored; at most 20 (D-21). */
  readonly ignoredFields: readonly string[];
}

/** An element that was left out of a batch because it is invalid. Paths in its errors have no index. */
export interface RejectedElement extends ElementErrors {
  /** Its index in the batch as it was sent. */
  readonly index: number;
}

export interface RejectedElements {
  readonly count: number;
  /** The first MAX_REJECTED_ELEMENTS of them, in their order. */
  readonly first: readonly RejectedElement[];
}

/** The elements of a batch that are left, with what was left out. */
export interface PartOfBatch<Dto> {
  readonly records: readonly Dto[];
  /** The index of each record in the batch as it was sent. */
  readonly indexes: readonly number[];
  readonly rejected: RejectedElements;
}

/** Validates a decoded body. @throws ValidationFailed with every violation, up to 100 (D-22, D-30, D-31, D-32). */
export interface BatchValidator<Dto> {
  (body: unknown, tenant: Tenant): ValidBatch<Dto>;
  /** The rules that it checks. */
  readonly definition: BatchDefinition;
  /** Validates likewise, but lets other requests use the event loop between two elements. */
  inShares(body: unknown, tenant: Tenant): Promise<ValidBatch<Dto>>;
  /** Like `inShares`, but leaves out invalid elements, unless all are invalid. */
  skippingInvalid(body: unknown, tenant: Tenant): Promise<ValidBatch<Dto> & PartOfBatch<Dto>>;
  /** Finds the fields of an element that are ignored and were meant as known ones. */
  readonly findMisnamed: MisnamedFieldFinder;
}

/** Compiles the validator of one kind of batch. */
export function compileBatchValidator<Dto>(definition: BatchDefinition): BatchValidator<Dto> {
  const check = compileSchemaCheck(definition.schema);
  const collectUnknown = compileUnknownFieldCollector(definition.schema);

  /** Yields after each element, so that the caller may pause. */
  function* validateElements(body: unknown, tenant: Tenant): Generator<void, ValidBatch<Dto>> {
    const elements = requireElements(body, definition);
    const errors = new ErrorCollector();
    const ignored = new Set<string>();
    for (const [index, element] of elements.entries()) {
      if (errors.isFull) errors.omit(countViolations(definition, check, element, tenant));
      else checkElement(definition, check, element, `[${index}]`, tenant, errors);
      collectUnknown(element, ignored);
      yield;
    }
    if (!errors.isEmpty) throw errors.toFailure(ignored);
    return { records: elements as Dto[], ignoredFields: [...ignored] };
  }

  /** Yields after each element. */
  function* separateElements(body: unknown, tenant: Tenant): Generator<void, ValidBatch<Dto> & PartOfBatch<Dto>> {
    const elements = requireElements(body, definition);
    const ignored = new Set<string>();
    const records: Dto[] = [];
    const indexes: number[] = [];
    const first: RejectedElement[] = [];
    for (const [index, element] of elements.entries()) {
      if (first.length < MAX_REJECTED_ELEMENTS) {
        const errors = new ErrorCollector(MAX_REJECTED_MESSAGES);
        checkElement(definition, check, element, '', tenant, errors);
        if (!errors.isEmpty) first.push({ index, ...errors.toElementErrors() });
        else indexes.push(index);
      } else if (countViolations(definition, check, element, tenant) === 0) indexes.push(index);
      if (indexes.at(-1) === index) records.push(element as Dto);
      collectUnknown(element, ignored);
      yield;
    }
    if (records.length === 0) yield* validateElements(body, tenant); // refuses them all, if there are any
    const rejected = { count: elements.length - records.length, first };
    return { records, indexes, rejected, ignoredFields: [...ignored] };
  }

  const validate = (body: unknown, tenant: Tenant) => runToEnd(validateElements(body, tenant));
  const inShares = (body: unknown, tenant: Tenant) => runInShares(validateElements(body, tenant), new EventLoopShare());
  const skippingInvalid = (body: unknown, tenant: Tenant) =>
    runInShares(separateElements(body, tenant), new EventLoopShare());
  const findMisnamed = compileMisnamedFieldFinder(definition.schema);
  return Object.assign(validate, { definition, inShares, skippingInvalid, findMisnamed });
}

/** Members in which the array of a batch is sent by mistake. */
const WRAPPERS = [...RECORD_KINDS, 'deletions'];

/** The elements of a body. @throws ValidationFailed when it is no array, or one of too many elements (D-31, D-32) */
function requireElements(body: unknown, { maxRecords }: BatchDefinition): readonly unknown[] {
  if (!Array.isArray(body)) {
    const wrapped = isObject(body) ? WRAPPERS.find((name) => Array.isArray(body[name])) : undefined;
    const hint = wrapped === undefined ? [] : [`Send the array in ${wrapped} by itself, without the object around it.`];
    throw new ValidationFailed({ '': ['The request body must be a JSON array.', ...hint] });
  }
  if (body.length > maxRecords) {
    throw new ValidationFailed({ '': [`The batch must contain at most ${maxRecords} records.`] });
  }
  return body;
}

/**
 * Compiles the validator of one record of a file. Its paths are those of a batch, without the index (D-52). The
 * validator throws ValidationFailed.
 */
export function compileRowValidator(definition: BatchDefinition): (record: unknown, tenant: Tenant) => void {
  const check = compileSchemaCheck(definition.schema);
  return (record, tenant) => {
    const errors = new ErrorCollector();
    checkElement(definition, check, record, '', tenant, errors);
    if (!errors.isEmpty) throw errors.toFailure(new Set());
  };
}

/** Adds the violations of one element. @param base path of the element: `[3]` in a batch, empty for a row of a file. */
function checkElement(
  definition: BatchDefinition,
  check: SchemaCheck,
  element: unknown,
  base: string,
  tenant: Tenant,
  errors: ErrorCollector,
): void {
  const pathOf = (field: string) => (base === '' ? field : `${base}.${field}`);
  const missing = missingFields(definition, element, tenant);
  for (const field of missing) errors.add(pathOf(field), requiredMessage(field));
  for (const { path, message } of check(element, base, (count) => errors.omit(count))) {
    if (!missing.some((field) => path === pathOf(field))) errors.add(path, message);
  }
  if (!isObject(element)) return;
  const message = definition.rule?.(element);
  // Spec §7.2 puts an object-level rule at the empty path, so the message itself has to name the element.
  if (message !== undefined) errors.add('', base === '' ? capitalize(message) : `Element ${base}: ${message}`);
}

/** Counts the violations that `checkElement` would add. Cheaper, because it makes no messages. */
function countViolations(definition: BatchDefinition, check: SchemaCheck, element: unknown, tenant: Tenant): number {
  const missing = missingFields(definition, element, tenant);
  const message = isObject(element) ? definition.rule?.(element) : undefined;
  return missing.length + check.count(element, (field) => missing.includes(field)) + (message === undefined ? 0 : 1);
}

/** Returns the fields that the tenant makes mandatory and the element lacks. */
function missingFields(definition: BatchDefinition, element: unknown, tenant: Tenant): readonly string[] {
  if (!definition.enforcesRequiredFields || !isObject(element)) return [];
  return tenant.requiredFields.filter((field) => !hasValue(element[field]));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
