/** What an operator can mend: said in one sentence on stderr, without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
