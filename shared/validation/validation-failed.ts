/** Path → messages, as in the answer of Spec §7.2: `{ "[0].Email": ["The field Email must be …"] }`. */
export type ValidationErrors = Readonly<Record<string, readonly string[]>>;

/** The request's content breaks a rule that its sender can mend. Answered with 400 and every message (D-22). */
export class ValidationFailed extends Error {
  constructor(
    readonly errors: ValidationErrors,
    /** What an answer says beside the errors. */
    readonly details: { readonly omittedErrors?: number; readonly ignoredFields?: readonly string[] } = {},
  ) {
    super('One or more validation errors occurred.');
    this.name = 'ValidationFailed';
  }
}
