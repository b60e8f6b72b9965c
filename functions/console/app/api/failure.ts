import { AbortedError, IngestionError, ValidationError } from '../../../../client/src/index';
import { TEXTS } from '../texts';

/** What went wrong, for the person who looks at the page. */
export interface Failure {
  readonly message: string;
  /** Names the request in the service's logs; undefined: no answer had one. */
  readonly traceId: string | undefined;
  readonly status: number | undefined;
  /** Messages by the path of the field. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

export function toFailure(error: unknown): Failure {
  if (!(error instanceof IngestionError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { message, traceId: undefined, status: undefined, errors: {} };
  }
  const { message, traceId, status } = error;
  if (error instanceof ValidationError)
    return { message: TEXTS.problem.invalid, traceId, status, errors: error.errors };
  return { message: error instanceof AbortedError ? TEXTS.problem.aborted : message, traceId, status, errors: {} };
}

/** The messages of a field, or of an element of a list: `DataFolderPaths` also has those of `DataFolderPaths[1]`. */
export function messagesOf(failure: Failure | undefined, field: string): readonly string[] {
  return Object.entries(failure?.errors ?? {}).flatMap(([path, messages]) =>
    path === field || path.startsWith(`${field}[`) ? messages : [],
  );
}
