/** Validation of a batch: every rule for every element, and the fields that are not known (Spec §4.2, §7.2). */
import type { Tenant } from '../domain/tenant';
import { runToEnd } from '../domain/records/parts';
import { EventLoopShare, runInShares } from '../platform/async/event-loop-share';
import { ErrorCollector } from './error-collector';
import { requiredMessage } from './messages';
import type { ObjectSchema, SchemaCheck } from './schema-check';
import { compileSchemaCheck } from './schema-check';
import { compileUnknownFieldCollector } from './unknown-fields';
import { ValidationFailed } from './validation-failed';
import { hasValue, isObject } from './values';

/** What tells one kind of batch from another. */
export interface BatchDefinition {
  readonly schema: ObjectSchema;
  /** Most elements of one request (D-31). */
  readonly maxRecords: number;
  /** Customer fields that the tenant makes mandatory apply here (Spec §2.1). */
  readonly enforcesRequiredFields?: boolean;
  /** A rule about a whole element; says what is wrong with it, or undefined. */
  readonly rule?: (element: Readonly<Record<string, unknown>>) => string | undefined;
}

export interface ValidBatch<Dto> {
  readonly records: readonly Dto[];
  /** Distinct paths of fields that are not stored, at most 20 (D-21). */
  readonly ignoredFields: readonly string[];
}

/** Checks a decoded body. @throws ValidationFailed with every violation, up to 100 (D-22, D-30, D-31, D-32). */
export interface BatchValidator<Dto> {
  (body: unknown, tenant: Tenant): ValidBatch<Dto>;
  /** The same, but lets others have the event loop between two elements. */
  inShares(body: unknown, tenant: Tenant): Promise<ValidBatch<Dto>>;
}

/** Compiles the validator of one kind of batch. */
export function compileBatchValidator<Dto>(definition: BatchDefinition): BatchValidator<Dto> {
  const check = compileSchemaCheck(definition.schema);
  const collectUnknown = compileUnknownFieldCollector(definition.schema);

  /** Stops after each element. */
  function* stepThrough(body: unknown, tenant: Tenant): Generator<void, ValidBatch<Dto>> {
    if (!Array.isArray(body)) throw new ValidationFailed({ '': ['The request body must be a JSON array.'] });
    if (body.length > definition.maxRecords) {
      throw new ValidationFailed({ '': [`The batch must contain at most ${definition.maxRecords} records.`] });
    }
    const errors = new ErrorCollector();
    const ignored = new Set<string>();
    for (const [index, element] of (body as unknown[]).entries()) {
      if (errors.isFull) errors.omit(countViolations(definition, check, element, tenant));
      else checkElement(definition, check, element, `[${index}]`, tenant, errors);
      collectUnknown(element, ignored);
      yield;
    }
    if (!errors.isEmpty) throw errors.toFailure(ignored);
    return { records: body as Dto[], ignoredFields: [...ignored] };
  }

  const validate = (body: unknown, tenant: Tenant) => runToEnd(stepThrough(body, tenant));
  const inShares = (body: unknown, tenant: Tenant) => runInShares(stepThrough(body, tenant), new EventLoopShare());
  return Object.assign(validate, { inShares });
}

/** Checks one record of a file; paths are those of a batch without the index (D-52). @throws ValidationFailed */
export function compileRowValidator(definition: BatchDefinition): (record: unknown, tenant: Tenant) => void {
  const check = compileSchemaCheck(definition.schema);
  return (record, tenant) => {
    const errors = new ErrorCollector();
    checkElement(definition, check, record, '', tenant, errors);
    if (!errors.isEmpty) throw errors.toFailure(new Set());
  };
}

/** @param base path of the element: `[3]` in a batch, empty for a row of a file. */
function checkElement(
  definition: BatchDefinition,
  check: SchemaCheck,
  element: unknown,
  base: string,
  tenant: Tenant,
  errors: ErrorCollector,
): void {
  const pathOf = (field: string) => (base === '' ? field : `${base}.${field}`);
  const missing = missingOf(definition, element, tenant);
  for (const field of missing) errors.add(pathOf(field), requiredMessage(field));
  for (const { path, message } of check(element, base, (count) => errors.omit(count))) {
    if (!missing.some((field) => path === pathOf(field))) errors.add(path, message);
  }
  if (!isObject(element)) return;
  const broken = definition.rule?.(element);
  // Spec §7.2 puts an object-level rule at the empty path, so the message itself has to name the element.
  if (broken !== undefined) errors.add('', base === '' ? sentence(broken) : `Element ${base}: ${broken}`);
}

/** How many violations `checkElement` would add. */
function countViolations(definition: BatchDefinition, check: SchemaCheck, element: unknown, tenant: Tenant): number {
  const missing = missingOf(definition, element, tenant);
  const broken = isObject(element) ? definition.rule?.(element) : undefined;
  return missing.length + check.count(element, (field) => missing.includes(field)) + (broken === undefined ? 0 : 1);
}

/** Fields that the tenant makes mandatory and the element lacks. */
function missingOf(definition: BatchDefinition, element: unknown, tenant: Tenant): readonly string[] {
  if (!definition.enforcesRequiredFields || !isObject(element)) return [];
  return tenant.requiredFields.filter((field) => !hasValue(element[field]));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
