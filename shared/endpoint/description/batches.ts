/** What the descriptions of all upserts and batches of deletions share. */
import { MAX_IGNORED_FIELDS, MAX_REJECTED_ELEMENTS, MAX_REJECTED_MESSAGES } from '../../domain/limits';
import { checkTooLarge, invalidFlag, misspeltParameter, tooManyAtOnce } from '../../http/problems';
import { MAX_RECORD_BYTES } from '../../limits/records';
import type { RejectedElement } from '../../validation/batch';
import type { ValidationErrors } from '../../validation/validation-failed';
import { ValidationFailed } from '../../validation/validation-failed';
import { tooLarge } from '../../workspace/size-checks';
import type { BatchData, BatchOutcome } from '../batch-answer';
import { BATCH_PARAMETERS } from '../validate-only';
import type { OperationDescription, ParameterDescription, Rule } from './operation';
import type { MemberSchema } from './schema';
import { answerSchema } from './schema';
import { warning } from './warnings';

type Outcome<Member extends string> = Extract<BatchOutcome, Readonly<Record<Member, unknown>>>;

const rejectedElement = answerSchema<RejectedElement>(
  'RejectedElement',
  'An element of a batch that was left out because it is invalid.',
  {
    index: { type: 'integer', description: 'Its index in the array that was sent, from 0.' },
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: `Messages by the path of the field, which begins at the element: at most ${MAX_REJECTED_MESSAGES}.`,
    },
    omittedErrors: { type: 'integer', description: 'How many messages are left out; absent: none.' },
  },
  { omittedErrors: true },
);

const ignoredFields: MemberSchema<readonly string[]> = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Paths of fields that are not known and so were not stored, such as a misspelt `EmailOptIn`: ' +
    `at most ${MAX_IGNORED_FIELDS}; absent: none.`,
};

const batchData = {
  ignoredFields,
  rejectedCount: {
    type: 'integer',
    description: 'How many elements were left out because they are invalid; absent without `onInvalid=skip`.',
  },
  rejected: {
    type: 'array',
    items: rejectedElement,
    description: `The first ${MAX_REJECTED_ELEMENTS} of them; absent without \`onInvalid=skip\`.`,
  },
  warnings: {
    type: 'array',
    items: warning,
    description: 'What was accepted and probably not meant; absent: nothing.',
  },
} as const;

const OPTIONAL = { ignoredFields: true, rejectedCount: true, rejected: true, warnings: true } as const;

const upsertResult = answerSchema<BatchData & Outcome<'processedAt'>>(
  'UpsertResult',
  'What an upsert has done. Several elements of one record count once in `created` or `updated`.',
  {
    count: { type: 'integer', description: 'Elements that were stored.' },
    created: { type: 'integer', description: 'Records that were created.' },
    updated: { type: 'integer', description: 'Records that were there already.' },
    processedAt: { type: 'string', format: 'date-time', description: 'When it was stored, in UTC.' },
    ...batchData,
  },
  OPTIONAL,
);

const upsertCheck = answerSchema<BatchData & Outcome<'wouldCreate'>>(
  'UpsertCheck',
  'What an upsert would do. Nothing was stored.',
  {
    count: { type: 'integer', description: 'Elements that are valid.' },
    wouldCreate: { type: 'integer', description: 'Records that it would create.' },
    wouldUpdate: { type: 'integer', description: 'Records that are there already.' },
    ...batchData,
  },
  OPTIONAL,
);

const deletionResult = answerSchema<BatchData & Outcome<'deletedAt'>>(
  'DeletionResult',
  'What a batch of deletions has done.',
  {
    count: { type: 'integer', description: 'Deletions that were accepted, whether or not they match anything.' },
    deletedAt: { type: 'string', format: 'date-time', description: 'When they were accepted, in UTC.' },
    ...batchData,
  },
  OPTIONAL,
);

const deletionCheck = answerSchema<BatchData>(
  'DeletionCheck',
  'That a batch of deletions is valid. Nothing was deleted.',
  { count: { type: 'integer', description: 'Deletions that are valid.' }, ...batchData },
  OPTIONAL,
);

/** A misspelt name must not change what a request does. */
const NAME_RULES: readonly Rule[] = BATCH_PARAMETERS.map((name) => ({
  rule: `No name of a query parameter differs from \`${name}\` only in case.`,
  message: misspeltParameter(name).message,
}));

const onInvalid: ParameterDescription = {
  schema: { type: 'string', enum: ['skip'] },
  description:
    'With `skip`, invalid elements are left out and the others are done. If all are invalid, the answer is the 400 that ' +
    'it would be without the parameter.',
};

const validateOnly = (does: string): ParameterDescription => ({
  schema: { type: 'string', enum: ['true'] },
  description: `With \`true\`, the batch is checked and not ${does}. It counts against the rate limit.`,
});

const FLAG_PROBLEMS = [
  invalidFlag('onInvalid', 'skip'),
  invalidFlag('validateOnly', 'true'),
  ...BATCH_PARAMETERS.map(misspeltParameter),
];

type Own = Pick<OperationDescription, 'summary' | 'description' | 'examples'> & { readonly rules: readonly Rule[] };

/** The description of an upsert. @param own what is special about it */
export function describeUpsert({ description, rules, ...own }: Own): OperationDescription {
  return {
    ...own,
    description:
      `${description} A batch with an invalid element is refused as a whole, unless \`onInvalid=skip\` is given. ` +
      'An omitted field stays as it is, and null clears an optional one. 200 means that all of it is stored. After a 500 ' +
      'or 503 a part may be: send it again as it is, which is safe.',
    parameters: { onInvalid, validateOnly: validateOnly('stored') },
    data: [upsertResult, upsertCheck],
    problems: [...FLAG_PROBLEMS, checkTooLarge(), tooManyAtOnce('checks')],
    rules: [...NAME_RULES, ...rules],
  };
}

/** The description of a batch of deletions. @param own what is special about it */
export function describeDeletions({ description, rules, ...own }: Own): OperationDescription {
  return {
    ...own,
    description:
      `${description} They mean what the single deletes mean, sent one after the other. A batch with an invalid element ` +
      'is refused as a whole, unless `onInvalid=skip` is given. 200 means that all of it is durable, whether or not ' +
      'anything matches. After a 500 or 503 the first ones may be: send it again as it is, which is as safe as repeating ' +
      'single deletes.',
    parameters: { onInvalid, validateOnly: validateOnly('done') },
    data: [deletionResult, deletionCheck],
    problems: FLAG_PROBLEMS,
    rules: [...NAME_RULES, ...rules],
  };
}

/** The rule of a record that is too large. @param record `An order` @param field which is said to be */
export function sizeRule(record: string, field: string): Rule {
  const errors = tooLarge(MAX_RECORD_BYTES + 1, 0, () => field) ?? {};
  return {
    rule: `${record} takes at most ${MAX_RECORD_BYTES} bytes, with what is already stored of it.`,
    message: firstMessage(errors),
  };
}

/** The first message with which a check refuses. @throws Error where it does not */
export function refusalOf(check: () => unknown): string {
  try {
    check();
  } catch (error) {
    if (error instanceof ValidationFailed) return firstMessage(error.errors);
    throw error;
  }
  throw new Error('The check refuses nothing.');
}

function firstMessage(errors: ValidationErrors): string {
  return Object.values(errors)[0]?.[0] ?? '';
}
