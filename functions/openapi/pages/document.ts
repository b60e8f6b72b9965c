/** The parts of `openapi.json` that the pages tell. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | null)[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

interface Content {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Contents = Readonly<Record<string, Content>>;

/** A rule that no schema tells, and the message where it is broken. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
  readonly 'x-rules'?: readonly Rule[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation with its address. */
export interface Operation extends DescribedOperation {
  /** `GET` */
  readonly method: string;
  /** `/products/{tenantId}/{productId}` */
  readonly path: string;
}

/** All operations, in the order of the document. */
export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

/** Of `#/components/schemas/Customer` it is `Customer`. */
export const schemaNameOf = (ref: string) => ref.split('/').at(-1) ?? '';
