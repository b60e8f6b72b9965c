/** What the descriptions of all kinds of records share. */
import { checkNotOffered, misspeltParameter } from '../../http/problems';
import type { ParameterDescription, Rule } from './operation';
import type { DerivedFields } from './request-schema';
import type { Schema } from './schema';

/** The times of a record that is read back. */
export const RECORD_TIMES: Readonly<Record<string, Schema>> = {
  updatedAt: { type: 'string', format: 'date-time', description: 'When the record was last written, in UTC.' },
  asOf: {
    type: 'string',
    format: 'date-time',
    description: 'Since when what it says is true, in UTC. A record from a file is as old as its row.',
  },
};

/** When a deletion was accepted that is not applied yet. */
export const DELETION_ACCEPTED_AT = {
  type: 'string',
  format: 'date-time',
  description:
    'When a deletion was accepted, in UTC, that is left out here and not applied yet: of the record or of parts of it, of ' +
    'several the first one. Absent: there is none.',
} as const;

/** What is parsed from the size of a variant or an item. */
export const SIZE_FIELDS: DerivedFields = {
  Size: {
    SizeNumeric: {
      type: ['number', 'null'],
      description: 'The number in `Size`, of a multipack in all; null: there is none.',
    },
    SizeMetric: { type: ['string', 'null'], description: 'The unit in `Size`, or its text; null: there is none.' },
  },
};

/** A single delete must not be done where a check was meant. */
export const SINGLE_DELETE_PROBLEMS = [misspeltParameter('validateOnly'), checkNotOffered()];

const SINGLE_DELETE_RULE =
  'No query parameter is named `validateOnly`, in any case: a single delete cannot be checked.';
export const SINGLE_DELETE_RULES: readonly Rule[] = SINGLE_DELETE_PROBLEMS.map(({ message }) => ({
  rule: SINGLE_DELETE_RULE,
  message,
}));

/** An id in a path. */
export const pathId = (description: string): ParameterDescription => ({
  schema: { type: 'string', pattern: '\\S' },
  description: `${description} Percent-encoded once; not blank.`,
  required: true,
});
