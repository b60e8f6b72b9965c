import type { Caller } from '../../../shared/domain/api-key';
import type { Call, CallerRoute, RouteResult } from '../../../shared/endpoint/route';
import { callerRoute } from '../../../shared/endpoint/route';
import { HttpProblem } from '../../../shared/http/problems';
import { InvalidInput, NotAllowed, OperatorError } from '../../../shared/operations/operator-error';
import { ValidationFailed } from '../../../shared/validation/validation-failed';

/**
 * A route below `/console/management`. Its use case is one of `shared/operations`, and decides what the caller
 * may do; what it refuses becomes an answer here.
 */
export function managementRoute<Input>(definition: CallerRoute<Input>): CallerRoute<never> {
  return callerRoute<Input>({
    ...definition,
    run: (input: Input, caller: Caller, call: Call): Promise<RouteResult> =>
      definition.run(input, caller, call).catch((error: unknown) => {
        throw toAnswerable(error);
      }),
  });
}

/** What the page can show: at its field, or above the form. Any other error stays as it is. */
function toAnswerable(error: unknown): unknown {
  if (error instanceof InvalidInput) return new ValidationFailed({ [error.field]: [error.message] });
  if (error instanceof NotAllowed) return new HttpProblem(403, error.plain);
  return error instanceof OperatorError ? new HttpProblem(409, error.plain) : error;
}
