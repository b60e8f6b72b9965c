import type { IncomingMessage } from 'node:http';
import type { AdmissionDependencies } from '../auth/admission';
import { Gatekeeper } from '../auth/admission';
import { KEY_HEADER } from '../domain/api-key';
import type { Answer } from '../http/answer';
import { Capacity } from '../http/capacity';

/**
 * A way into endpoints: how callers show who they are. Whom they are taken for, and what their requests count
 * against, is what the gatekeeper's store says. Endpoints with the same door share its capacity.
 */
export interface Door {
  /** The secret that a request shows, a text with the shape of a key (any other is nobody's); undefined: none. */
  readonly secretOf: (request: IncomingMessage) => string | undefined;
  /** Refuses a request that its caller may not have meant. @throws HttpProblem 403 */
  readonly screen: (request: IncomingMessage) => void;
  /** Headers of every answer, beside those that all doors have. */
  readonly headers: Answer['headers'];
  readonly gatekeeper: Gatekeeper;
  readonly capacity: Capacity;
}

/** The door of the API: each request brings its key (Spec §5). */
export function keyDoor(dependencies: AdmissionDependencies): Door {
  return {
    secretOf: ({ headers }) => {
      const header = headers[KEY_HEADER];
      return typeof header === 'string' ? header : undefined;
    },
    screen: () => undefined,
    headers: {},
    gatekeeper: new Gatekeeper(dependencies),
    capacity: new Capacity(),
  };
}
