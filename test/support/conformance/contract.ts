/**
 * `openapi.json` as tests use it: its operations, and checks of what is sent and received against its schemas. Of the
 * formats only those are checked that JSON Schema and OpenAPI know, as any tool would.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020';
import Ajv2020 from 'ajv/dist/2020';
import { FORMAT_WORDS } from '../../../shared/endpoint/description/formats';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
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

/** What tests read of the document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly required: boolean; readonly schema: JsonSchema }>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

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

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Those that only the service knows say nothing here. */
const formats = {
  ...Object.fromEntries(Object.keys(FORMAT_WORDS).map((format) => [format, true] as const)),
  uuid: UUID,
  'date-time': UTC,
  int64: true as const,
};

/** Without the schema of schemas, which takes long to compile: `npm run openapi:lint` checks the document. */
const OPTIONS = { strict: false, strictNumbers: true, formats, meta: false, validateSchema: false } as const;

/** A document, which tests may change a copy of. */
export class Contract {
  readonly operations: readonly DescribedOperation[];
  readonly headers: Document['components']['headers'];
  readonly schemas: Document['components']['schemas'];
  private readonly validators = new Map<string, ValidateFunction>();
  /** Requests may have fields that are not known. */
  private readonly open = new Ajv2020(OPTIONS);
  /** Answers have no member that is not documented, though the document lets clients expect more. */
  private readonly closed = new Ajv2020(OPTIONS);

  constructor(document: Document) {
    this.operations = Object.entries(document.paths).flatMap(([template, item]) => operationsOf(template, item));
    this.headers = document.components.headers;
    this.schemas = document.components.schemas;
    this.open.addSchema({ ...document, $id: 'open' });
    this.closed.addSchema({ ...(toClosed(document) as object), $id: 'closed' });
  }

  /** What is wrong with a value by the schema at a place of the document; empty: nothing. */
  schemaProblems(value: unknown, of: 'request' | 'answer', ...place: readonly string[]): string[] {
    const validate = this.validatorAt(of, place.map(toPointerPart).join('/'));
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath || 'the value'} ${message ?? ''} ${JSON.stringify(params)}`;
    });
  }

  private validatorAt(of: 'request' | 'answer', pointer: string): ValidateFunction {
    const [ajv, id] = of === 'request' ? [this.open, 'open'] : [this.closed, 'closed'];
    const $ref = `${id}#/${pointer}`;
    const validate = this.validators.get($ref) ?? ajv.compile({ $ref });
    this.validators.set($ref, validate);
    return validate;
  }
}

function operationsOf(template: string, item: Readonly<Record<string, Operation>>): DescribedOperation[] {
  const [, functionName = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(template) ?? [];
  const path = rest.replace(/\{(\w+)\}/g, ':$1');
  return Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    template,
    functionName,
    operation,
  }));
}

const toPointerPart = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** The same with no member allowed that a schema does not name. */
function toClosed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toClosed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toClosed(member)]));
  const isObject = 'properties' in members && !('additionalProperties' in members);
  return isObject ? { ...members, additionalProperties: false } : members;
}

/** A copy of the committed document. */
export function readDocument(): Document {
  return JSON.parse(readFileSync(join(__dirname, '../../../openapi.json'), 'utf8')) as Document;
}

/** The committed document. */
export const CONTRACT = new Contract(readDocument());
