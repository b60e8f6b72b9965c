/**
 * A reason why the local stack cannot run, as one sentence (or two) for its user: what is wrong and what to do about
 * it.
 */
export class StackError extends Error {
  override readonly name = 'StackError';
}
