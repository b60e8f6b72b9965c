/**
 * A mistake that an operator can mend. Its message is meant for the command line: plain sentences, no stack trace, and
 * where it helps a hint that names a command.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** The message without the hint, for those who have no command line. */
  readonly plain: string;

  constructor(message: string, { hint, ...options }: ErrorOptions & { readonly hint?: string } = {}) {
    super(withHint(message, hint), options);
    this.plain = message;
  }
}

/** A message for the command line. @param hint goes on with the last sentence of the message */
export function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message.replace(/\.$/, '')}; ${hint}`;
}

/**
 * A value that a use case refuses. The message names the field of the use case. A front end may compose a message of
 * its own, with the name that the operator knows: a flag of the command line, the label of a form.
 */
export class InvalidInput extends OperatorError {
  override readonly name = 'InvalidInput';

  /**
   * @param complaint continues a sentence that begins with the field's name, without the full stop
   * @param given the refused value, when the message should quote it
   */
  constructor(
    readonly field: string,
    readonly complaint: string,
    readonly given?: string | number,
  ) {
    super(complain(field, complaint, given));
  }
}

/** Whoever acts may not do this, whatever the values are. */
export class NotAllowed extends OperatorError {
  override readonly name = 'NotAllowed';
}

/** The sentence about a refused value. @param name what the reader calls the field */
export function complain(name: string, complaint: string, given: string | number | undefined): string {
  return given === undefined ? `${name} ${complaint}.` : `${name} ${complaint}; it is "${given}".`;
}
