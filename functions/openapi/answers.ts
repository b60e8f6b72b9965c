/** The answers of an operation, by their status. */
import type { FunctionDescription, OperationDescription } from '../../shared/endpoint/description/operation';
import { DELETION_ACCEPTED_AT } from '../../shared/endpoint/description/records';
import { NamedSchema } from '../../shared/endpoint/description/schema';
import type { AnyRoute, BodyContract } from '../../shared/endpoint/route';
import type { EnvelopeCasing } from '../../shared/http/answer';
import { envelope, validationProblem } from '../../shared/http/answer';
import type { HttpProblem } from '../../shared/http/problems';
import { compileBatchValidator } from '../../shared/validation/batch';
import { compileObjectValidator } from '../../shared/validation/object';
import { ValidationFailed } from '../../shared/validation/validation-failed';
import { DEFAULT_SETTINGS } from '../../shared/domain/tenant';
import type { Tenant } from '../../shared/domain/tenant';
import { headersOf } from './headers';
import { refusalsOf } from './refusals';

export type Tag = FunctionDescription<string>['tag'];

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'The request breaks a rule. Nothing was done. Correct it before you send it again.',
  401: 'The API key is missing, incorrect or revoked, or has ended. The request is not counted.',
  403: "Another organization's tenant or bucket, a suspended tenant, or the key lacks the permission.",
  404: 'What the request names does not exist.',
  408: 'The body did not arrive. The connection is closed. Send it again.',
  409: 'The run is not in the state that the request needs.',
  413: 'The body is too large, or the check would be. Send smaller batches.',
  415: 'The body is not JSON in UTF-8, or has another encoding than gzip.',
  429: "The key's requests of this minute are used up. Send it again after `Retry-After`.",
  500: 'Something unexpected happened. Send it again, with exponential backoff: a repeat is safe.',
  503: 'The service is busy, or was not finished in time. Send it again as it is after `Retry-After`: a repeat is safe.',
};

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

/** The members of the envelope in a casing. */
function membersOf(casing: EnvelopeCasing): { success: string; message: string; data: string } {
  const [success = '', message = '', data = ''] = Object.keys(envelope(casing, true, '', {}) as object);
  return { success, message, data };
}

function envelopeSchema(casing: EnvelopeCasing, isSuccess: boolean, message: object, data: object): object {
  const names = membersOf(casing);
  return {
    type: 'object',
    properties: {
      [names.success]: { type: 'boolean', const: isSuccess },
      [names.message]: message,
      [names.data]: data,
    },
    required: Object.values(names),
  };
}

/** The name of a schema of the transfer routes, whose envelope has capitals. */
const nameIn = (casing: EnvelopeCasing, name: string) => (casing === 'lower' ? name : `Transfer${name}`);

const errorSchemas = Object.fromEntries(
  (['lower', 'capitalised'] as const).map((casing) => {
    const message = { type: 'string', description: 'What is wrong, for a person.' };
    const noData = { type: 'object', description: 'Empty.', maxProperties: 0 };
    const wait = {
      type: 'object',
      properties: { retryAfter: { type: 'integer', description: 'Seconds to wait.' } },
      required: ['retryAfter'],
    };
    const pending = {
      type: 'object',
      properties: { deletionAcceptedAt: DELETION_ACCEPTED_AT },
    };
    const missing = {
      description: 'There is no such record, or an accepted deletion means it.',
      ...envelopeSchema(casing, false, message, pending),
    };
    const error = { description: 'A refusal.', ...envelopeSchema(casing, false, message, noData) };
    const limited = { description: 'A refusal by the rate limit.', ...envelopeSchema(casing, false, message, wait) };
    return [
      casing,
      {
        error: new NamedSchema(nameIn(casing, 'Error'), error),
        limited: new NamedSchema(nameIn(casing, 'RateLimitError'), limited),
        missing: new NamedSchema(nameIn(casing, 'RecordNotFoundError'), missing),
      },
    ];
  }),
) as Record<EnvelopeCasing, Readonly<Record<'error' | 'limited' | 'missing', NamedSchema>>>;

const { type, title, status } = validationProblem(new ValidationFailed({}), '') as Readonly<Record<string, unknown>>;
const messages = { type: 'array', items: { type: 'string' } };

const validationError = new NamedSchema('ValidationError', {
  type: 'object',
  description: 'What is wrong with a body.',
  properties: {
    type: { type: 'string', const: type },
    title: { type: 'string', const: title },
    status: { type: 'integer', const: status },
    traceId: { type: 'string', description: 'That of the header `X-Trace-Id`.' },
    errors: {
      type: 'object',
      additionalProperties: messages,
      description:
        'Messages by the path of the field, such as `[3].ProductVariants[1].Sku`; the empty path is the whole body or, ' +
        'where its message names one, an element.',
    },
    omittedErrors: { type: 'integer', description: 'How many messages are left out; absent: none.' },
    ignoredFields: {
      ...messages,
      description: 'Fields that are not known; the misspelt name of a missing one may be among them. Absent: none.',
    },
  },
  required: ['type', 'title', 'status', 'traceId', 'errors'],
});

/** The answers by their status. */
export function answersOf(
  casing: EnvelopeCasing,
  route: AnyRoute,
  description: OperationDescription,
): Readonly<Record<string, object>> {
  const own = Object.keys(route.headers ?? {});
  const byStatus = refusalsOf(route, description);
  if (route.body && !byStatus.has(400)) byStatus.set(400, []); // a body that breaks a rule
  const refusals: [string, object][] = [...byStatus].map(([code, problems]) => [
    String(code),
    {
      description: STATUS_WORDS[code] ?? '',
      headers: headersOf(own, problems),
      content: { 'application/json': refusalContent(casing, route, code, problems) },
    },
  ]);
  return { 200: success(casing, route, description, own), ...Object.fromEntries(refusals) };
}

function success(
  casing: EnvelopeCasing,
  { successMessage, checkedMessage }: AnyRoute,
  { data, streams = {}, examples }: OperationDescription,
  own: readonly string[],
): object {
  const says = checkedMessage === undefined ? [successMessage] : [successMessage, checkedMessage];
  const [only, ...others] = data;
  const schema = envelopeSchema(
    casing,
    true,
    { type: 'string', enum: says },
    others.length === 0 ? only : { anyOf: data },
  );
  const shown: [string, object][] = Object.entries(examples).map(
    ([name, { summary, message = successMessage, data: value }]) => [
      name,
      { summary, value: envelope(casing, true, message, value) },
    ],
  );
  return {
    description: 'Done.',
    headers: headersOf(own),
    content: { 'application/json': { schema, examples: Object.fromEntries(shown) }, ...streams },
  };
}

function refusalContent(
  casing: EnvelopeCasing,
  { body }: AnyRoute,
  code: number,
  problems: readonly HttpProblem[],
): object {
  const { error, limited, missing } = errorSchemas[casing];
  const mayBePending = problems.some(({ data }) => 'deletionAcceptedAt' in data);
  const examples = Object.fromEntries(
    problems.map(({ message, data }) => [
      exampleName(message),
      { summary: message, value: envelope(casing, false, message, data) },
    ]),
  );
  if (mayBePending) return { schema: missing, examples };
  if (code !== 400 || !body) return { schema: code === 429 ? limited : error, examples };
  const invalid = { summary: 'The body breaks a rule.', value: validationProblem(invalidBody(body), TRACE_ID) };
  const schema = problems.length === 0 ? validationError : { anyOf: [validationError, error] };
  return { schema, examples: { invalidBody: invalid, ...examples } };
}

/** What an empty object is answered. */
function invalidBody(body: BodyContract): ValidationFailed {
  try {
    if ('batch' in body) compileBatchValidator(body.batch)([{}], DEFAULT_SETTINGS as Tenant);
    else compileObjectValidator(body.object)({});
  } catch (error) {
    if (error instanceof ValidationFailed) return error;
    throw error;
  }
  throw new Error('An empty object is valid.');
}

/** `Tenant not found.` is `tenantNotFound`. */
function exampleName(message: string): string {
  const words = message.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}
