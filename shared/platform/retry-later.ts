/**
 * Work that was not finished, for a reason that passes: other writers were faster, or the time was over. A part of it
 * may be done. Repeating it as it is is safe. Answered with 503.
 */
export class RetryLater extends Error {
  override readonly name: string = 'RetryLater';
}
