/** The parts of an OpenAPI document that the page shows. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

export interface Example {
  readonly summary?: string;
  readonly value: Json;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
  readonly example?: Json;
}

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
    readonly securitySchemes: Readonly<Record<string, { readonly name: string }>>;
  };
}

/** An operation with its address. */
export interface Endpoint extends Operation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
}

/** All operations, in the document's order. */
export function endpointsOf({ paths }: OpenApiDocument): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** `#/components/schemas/Customer` → `Customer` */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** The schema that a reference means; the description beside the reference counts. @throws Error where it means none */
export function resolve(schema: Schema, { components }: OpenApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const found = components.schemas[nameOf(schema.$ref)];
  if (!found) throw new Error(`The document has no ${schema.$ref}.`);
  return schema.description === undefined ? found : { ...found, description: schema.description };
}

/** A value as a person writes it: a text as it is, anything else as JSON. */
export function plainText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
