/** What the caller of the command can mend. Its message is a sentence that says how. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
