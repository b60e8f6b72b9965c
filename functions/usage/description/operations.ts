/** What `openapi.json` says of the route of usage. */
import { MAX_HOURLY_USAGE_DAYS, MAX_USAGE_DAYS } from '../../../shared/domain/limits';
import type { UsageCounts } from '../../../shared/domain/usage';
import { NO_USAGE, TRANSFERS_ROUTE } from '../../../shared/domain/usage';
import type { FunctionDescription, ParameterDescription } from '../../../shared/endpoint/description/operation';
import type { MemberSchema } from '../../../shared/endpoint/description/schema';
import { answerSchema } from '../../../shared/endpoint/description/schema';
import type { UsageOperation } from '../../../shared/endpoint/operation-id';
import { emptyRange, invalidTime, rangeTooLong, tooManyCounters } from '../../../shared/http/problems';
import type { ShownUsage } from '../../../shared/usage/usage-sum';
import type { USAGE_PARAMETERS } from '../read-usage';

const count = (description: string) => ({ type: 'integer', description }) as const;

const COUNTS: { readonly [Count in keyof UsageCounts]: MemberSchema<number> } = {
  requests: count('Requests with a valid key, refused ones too.'),
  records: count('Records that were stored.'),
  rejected: count('Records that were refused as invalid, those of a batch that was refused as a whole too.'),
  deletions: count('Deletions that were accepted.'),
  errors: count('Requests that were answered with a status of 400 or more.'),
  limited: count('Those of them that were answered with 429: over the limit of their key.'),
};

const usageCounts = answerSchema<UsageCounts>('UsageCounts', 'What was counted.', COUNTS);

const usageStep = answerSchema<ShownUsage['steps'][number]>('UsageStep', 'What was counted in one hour or day.', {
  time: { type: 'string', format: 'date-time', description: 'Its beginning, in UTC.' },
  ...COUNTS,
});

const keyUsage = answerSchema<ShownUsage['keys'][number]>('KeyUsage', 'What was counted of one key.', {
  keyId: { type: 'string', description: 'The name of the key, which is not the key itself.' },
  ...COUNTS,
});

const routeUsage = answerSchema<ShownUsage['routes'][number]>('RouteUsage', 'What was counted of one operation.', {
  route: {
    type: 'string',
    description: `The name of the operation, such as \`upsertCustomers\`; \`${TRANSFERS_ROUTE}\`: the rows of files, in the hour in which their run ended.`,
  },
  ...COUNTS,
});

const usage = answerSchema<ShownUsage>('Usage', 'What was counted of a tenant in a time.', {
  from: { type: 'string', format: 'date-time', description: 'The beginning of the first hour or day, in UTC.' },
  to: { type: 'string', format: 'date-time', description: 'The end of the last hour or day, in UTC.' },
  step: { type: 'string', enum: ['hour', 'day'], description: 'How long a step is.' },
  totals: { $ref: usageCounts, description: 'The sums.' },
  steps: {
    type: 'array',
    items: usageStep,
    description: 'Each hour or day in its order, also where nothing was counted.',
  },
  keys: { type: 'array', items: keyUsage, description: 'By key, those with the most requests first.' },
  routes: { type: 'array', items: routeUsage, description: 'By operation, those with the most requests first.' },
});

const time = (description: string): ParameterDescription => ({
  schema: { type: 'string' },
  allowEmptyValue: true,
  description: `${description} A day or time such as \`2026-03-01\` or \`2026-03-01T10:00:00Z\`; without an offset it is UTC.`,
});

const parameters: Readonly<Record<(typeof USAGE_PARAMETERS)[number], ParameterDescription>> = {
  from: time('The beginning. By default a day before `to`.'),
  to: time('What follows is before this time. By default now.'),
};

const upserts = { ...NO_USAGE, requests: 2, records: 1000, rejected: 1, errors: 1 };
const rows = { ...NO_USAGE, records: 120, rejected: 3 };
const both = { ...NO_USAGE, requests: 2, records: 1120, rejected: 4, errors: 1 };

export const usageDescription: FunctionDescription<UsageOperation> = {
  tag: { name: 'Usage', description: 'What was sent, stored and refused.' },
  bodies: [],
  operations: {
    getUsage: {
      summary: 'Read the usage of a tenant',
      description:
        'Shows what was counted of a tenant: by the hour, or by the day where the time is longer than ' +
        `${MAX_HOURLY_USAGE_DAYS} days. Counts are kept for ${MAX_USAGE_DAYS} days. They may be missing for half a minute, ` +
        'and the last ones before a pause for a quarter of an hour. It changes nothing.',
      parameters,
      data: [usage],
      problems: [invalidTime('from'), invalidTime('to'), emptyRange(), rangeTooLong(MAX_USAGE_DAYS), tooManyCounters()],
      rules: [
        { rule: '`from` is an ISO 8601 date or date-time.', message: invalidTime('from').message },
        { rule: '`to` is an ISO 8601 date or date-time.', message: invalidTime('to').message },
        { rule: '`from` is before `to`, and before now.', message: emptyRange().message },
        {
          rule: `\`from\` is at most ${MAX_USAGE_DAYS} days before \`to\`.`,
          message: rangeTooLong(MAX_USAGE_DAYS).message,
        },
        { rule: 'The time does not have more counters than one answer may read.', message: tooManyCounters().message },
      ],
      examples: {
        hours: {
          summary: 'Two hours',
          parameters: { from: '2026-03-01T10:00:00Z', to: '2026-03-01T12:00:00Z' },
          data: {
            from: '2026-03-01T10:00:00.000Z',
            to: '2026-03-01T12:00:00.000Z',
            step: 'hour',
            totals: both,
            steps: [
              { time: '2026-03-01T10:00:00.000Z', ...upserts },
              { time: '2026-03-01T11:00:00.000Z', ...rows },
            ],
            keys: [{ keyId: 'key_1a2b3c4d5e6f7a8b', ...upserts }],
            routes: [
              { route: 'upsertCustomers', ...upserts },
              { route: TRANSFERS_ROUTE, ...rows },
            ],
          },
        },
      },
    },
  },
};
