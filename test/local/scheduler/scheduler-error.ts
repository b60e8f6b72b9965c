import { status } from '@grpc/grpc-js';

/** A failure of a Cloud Scheduler call, with the gRPC code that the real service answers. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';

  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

export function invalidArgument(message: string): SchedulerError {
  return new SchedulerError(status.INVALID_ARGUMENT, message);
}

export function jobNotFound(): SchedulerError {
  return new SchedulerError(status.NOT_FOUND, 'Job not found.');
}
