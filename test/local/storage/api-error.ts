/** An error answer of the Cloud Storage JSON API. */
export class StorageApiError extends Error {
  override readonly name = 'StorageApiError';

  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }

  /** The body of the answer, as the real API writes it. */
  toJson(): object {
    const { status, message, reason } = this;
    return { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } };
  }
}

export function bucketNotFound(): StorageApiError {
  return new StorageApiError(404, 'notFound', 'The specified bucket does not exist.');
}

export function objectNotFound(bucket: string, name: string): StorageApiError {
  return new StorageApiError(404, 'notFound', `No such object: ${bucket}/${name}`);
}

export function accessDenied(bucket: string): StorageApiError {
  return new StorageApiError(
    403,
    'forbidden',
    `The caller does not have access to the Google Cloud Storage bucket ${bucket}. Permission denied on resource (or it may not exist).`,
  );
}

export function invalidRequest(message: string): StorageApiError {
  return new StorageApiError(400, 'invalid', message);
}

export function preconditionFailed(): StorageApiError {
  return new StorageApiError(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
}

export function rangeNotSatisfiable(): StorageApiError {
  return new StorageApiError(416, 'requestedRangeNotSatisfiable', 'Requested range not satisfiable');
}
