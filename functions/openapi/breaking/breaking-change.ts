/** A change of the document that breaks a client which is written, or generated, by the one before it. */
export interface BreakingChange {
  /** The operation, component or other part that it is about, by the name that the changelog has to say. */
  readonly subject: string;
  readonly message: string;
}

/** What a comparison reads of a document. */
export interface ComparedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ComparedOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, ComparedSchema>> };
}

export interface ComparedOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ComparedSchema }>> };
  readonly 'x-rules'?: readonly { readonly message: string }[];
}

export interface ComparedSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, ComparedSchema>>;
  readonly items?: ComparedSchema;
}
