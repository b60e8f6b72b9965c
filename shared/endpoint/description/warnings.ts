/** What answers say of warnings. The transfer routes name the same members with capitals. */
import { MAX_WARNING_EXAMPLES } from '../../domain/limits';
import type { ShownWarning, WarningExample } from '../../domain/warnings/warning';
import { WARNING_CODES } from '../../domain/warnings/warning';
import { answerSchema } from './schema';

export const WARNING_EXAMPLE_MEMBERS = {
  index: { type: 'integer', description: 'The index of an element in the array that was sent, from 0.' },
  object: { type: 'string', description: 'The name of an object.' },
  line: { type: 'integer', description: 'The line of a row in it; in an array its position, from 1.' },
  folder: { type: 'string', description: 'A folder path as it was registered.' },
  field: { type: 'string', description: 'A field by the name that was sent.' },
  expected: { type: 'string', description: 'The name by which that field is known.' },
} as const;

export const OPTIONAL_WARNING_EXAMPLE_MEMBERS = {
  index: true,
  object: true,
  line: true,
  folder: true,
  field: true,
  expected: true,
} as const;

export const WARNING_MEMBERS = {
  code: { type: 'string', enum: WARNING_CODES, description: 'What it is about. A code keeps its meaning.' },
  message: { type: 'string', description: 'What it means and what to do, for a person.' },
  count: { type: 'integer', description: 'How many elements, rows, files or folders it concerns.' },
} as const;

export const WARNING_EXAMPLES = `The first ones, at most ${MAX_WARNING_EXAMPLES}.`;

const warningExample = answerSchema<WarningExample>(
  'WarningExample',
  'Where something to warn of was met. It has no value of a record.',
  WARNING_EXAMPLE_MEMBERS,
  OPTIONAL_WARNING_EXAMPLE_MEMBERS,
);

export const warning = answerSchema<ShownWarning>('Warning', 'What was accepted and probably not meant.', {
  ...WARNING_MEMBERS,
  examples: { type: 'array', items: warningExample, description: WARNING_EXAMPLES },
});
