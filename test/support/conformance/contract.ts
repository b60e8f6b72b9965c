/** `openapi.json` as tests use it: its operations, and checks of what is sent and received against its schemas. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020';
import Ajv2020 from 'ajv/dist/2020';
import { FORMATS } from '../../../shared/validation/formats';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Content {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly operationId: string;
  readonly security: readonly [{ readonly ApiKey: readonly [string] }];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Content } };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-rules'?: readonly { readonly rule: string; readonly message: string }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly required: boolean; readonly schema: JsonSchema }>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

const DOCUMENT = JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as Document;

/** An operation, and where it is. */
export interface DescribedOperation {
  readonly method: string;
  /** As the router has it, relative to its function: `/:tenantId/:productId`. */
  readonly path: string;
  /** As the document has it. */
  readonly template: string;
  readonly functionName: string;
  readonly operation: Operation;
}

export const OPERATIONS: readonly DescribedOperation[] = Object.entries(DOCUMENT.paths).flatMap(([template, item]) => {
  const [, functionName = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(template) ?? [];
  const path = rest.replace(/\{(\w+)\}/g, ':$1');
  return Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    template,
    functionName,
    operation,
  }));
});

export const HEADERS = DOCUMENT.components.headers;
export const SCHEMAS = DOCUMENT.components.schemas;

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const formats = { ...FORMATS, uuid: FORMATS.guid, 'date-time': UTC, int64: Number.isSafeInteger, int32: FORMATS.int32 };

/** Requests may have fields that are not known. */
const open = new Ajv2020({ strict: false, strictNumbers: true, formats: { ...formats, int64: true } });
/** Answers have no member that is not documented, though the document lets clients expect more. */
const closed = new Ajv2020({ strict: false, strictNumbers: true, formats: { ...formats, int64: true } });
open.addSchema({ ...DOCUMENT, $id: 'open' });
closed.addSchema({ ...(toClosed(DOCUMENT) as object), $id: 'closed' });

/** The same with no member allowed that a schema does not name. */
function toClosed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toClosed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toClosed(member)]));
  const isObject = 'properties' in members && !('additionalProperties' in members);
  return isObject ? { ...members, additionalProperties: false } : members;
}

const validators = new Map<string, ValidateFunction>();

/** What is wrong with a value by the schema at a place of the document; empty: nothing. */
export function schemaProblems(value: unknown, of: 'request' | 'answer', ...place: readonly string[]): string[] {
  const pointer = place.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const key = `${of} ${pointer}`;
  const ajv = of === 'request' ? open : closed;
  const validate = validators.get(key) ?? ajv.compile({ $ref: `${of === 'request' ? 'open' : 'closed'}#/${pointer}` });
  validators.set(key, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath || 'the value'} ${message ?? ''} ${JSON.stringify(params)}`;
  });
}
