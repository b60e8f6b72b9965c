/** Path → messages, in the form of Spec §7.2: `{ "[0].Email": ["The field Email must be …"] }`. */
export type ValidationErrors = Readonly<Record<string, readonly string[]>>;

/** What is wrong, and how many messages were left out because an answer is bounded. */
export interface ElementErrors {
  readonly errors: ValidationErrors;
  readonly omittedErrors?: number;
}

/** The content of a request breaks a rule, and its sender can correct it. Answered with 400 and the messages (D-22). */
export class ValidationFailed extends Error {
  constructor(
    readonly errors: ValidationErrors,
    /** Further members of the answer, beside the errors. */
    readonly details: { readonly omittedErrors?: number; readonly ignoredFields?: readonly string[] } = {},
  ) {
    super('One or more validation errors occurred.');
    this.name = 'ValidationFailed';
  }
}
