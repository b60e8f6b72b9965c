/**
 * Work was not finished for a transient reason: other writers were faster, or the time was over. A part of it may be
 * done. The same work can safely be repeated. Answered with 503.
 */
export class RetryLater extends Error {
  override readonly name: string = 'RetryLater';
}
