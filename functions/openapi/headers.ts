/** The headers of answers. */
import { rateStatus, rateWindowAt } from '../../shared/domain/rate-window';
import { commonHeaders } from '../../shared/http/answer';
import type { HttpProblem } from '../../shared/http/problems';

interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** By their names. Those that only concern the connection are not documented. */
export const HEADERS: Readonly<Record<string, Header>> = {
  'Cache-Control': { description: 'No answer may be kept.', required: true, schema: { const: 'no-store' } },
  'X-RateLimit-Limit': {
    description: "The key's requests in each clock minute.",
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'How many of them are left.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'When the next minute begins, as Unix time in seconds.',
    required: true,
    schema: { type: 'integer', format: 'int64' },
  },
  'X-Trace-Id': {
    description:
      'Names this request in the logs: that of the header `traceparent` or `X-Cloud-Trace-Context`, or a new one. Say it ' +
      'when you ask for help.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  'Retry-After': {
    description: 'Send the request again after so many seconds.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Accept-Encoding': {
    description: 'The encodings of a body that are taken. It is there when that was the reason.',
    required: false,
    schema: { type: 'string' },
  },
  Vary: {
    description: 'The answer depends on this header of the request.',
    required: true,
    schema: { type: 'string' },
  },
};

/** They concern the connection and not the answer. */
const OF_CONNECTION = ['Connection'];

const COMMON = Object.keys(commonHeaders(rateStatus(rateWindowAt(0), 1, 0), ''));

/**
 * References to the headers that an answer has.
 * @param own the names of those that only the route's answers have
 * @param problems the refusals that are answered with the same status
 */
export function headersOf(own: readonly string[], problems: readonly HttpProblem[] = []): Record<string, object> {
  const ofProblems = problems.flatMap(({ headers }) => Object.keys(headers));
  const names = [...new Set([...COMMON, ...own, ...ofProblems])].filter((name) => !OF_CONNECTION.includes(name));
  const unknown = names.filter((name) => !(name in HEADERS));
  if (unknown.length > 0) throw new Error(`The header ${unknown.join(', ')} has no description.`);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
