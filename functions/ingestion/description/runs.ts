/** What the answers about runs hold. */
import type { RunDetailsDto } from '../find-run';
import type { FileDto } from '../list-files';
import { FILE_STATUSES } from '../list-files';
import type { RowErrorDto } from '../error-lines';
import type { FilesDto, RowsDto, RunDto } from '../run-answers';
import type { Capitalized, WarningDto } from '../warning-answers';
import { capitalized } from '../warning-answers';
import { MAX_IGNORED_FIELDS } from '../../../shared/domain/limits';
import type { MemberSchema } from '../../../shared/endpoint/description/schema';
import { answerSchema, NamedSchema } from '../../../shared/endpoint/description/schema';
import {
  OPTIONAL_WARNING_EXAMPLE_MEMBERS,
  WARNING_EXAMPLE_MEMBERS,
  WARNING_EXAMPLES,
  WARNING_MEMBERS,
} from '../../../shared/endpoint/description/warnings';
import { FILE_FORMATS } from '../../../shared/files/file-kind';
import type { WarningExample } from '../../../shared/domain/warnings/warning';
import type { ShownChanges, ShownConsent, ShownConsents, ShownRecords } from '../../../shared/transfers/runs/changes';
import { MAX_EXAMPLES, START_SPREAD_MINUTES } from '../../../shared/limits/transfers';
import { RUN_STATUSES } from '../../../shared/transfers/runs/run';
import type { Example } from '../../../shared/transfers/runs/view/examples';

const count = (description: string) => ({ type: 'integer', description }) as const;

const fileCounts = answerSchema<FilesDto>('FileCounts', 'The files of a run.', {
  Found: count('Objects in its folders.'),
  Finished: count('Files that were read to their end.'),
  Skipped: count('Files that were not read: of no known kind or format, read before, or read by another run.'),
  Failed: count('Files that could not be read to their end.'),
});

const rowCounts = answerSchema<RowsDto>('RowCounts', 'The rows of a file or run. `Read` is the sum of the others.', {
  Read: count('Rows that were read.'),
  Stored: count('Rows that were stored.'),
  Invalid: count('Rows that break a rule.'),
  Stale: count('Rows that changed nothing, because something newer was stored or deleted.'),
  Deleted: count('Rows that only delete, whether or not anything was there.'),
});

const recordMembers = {
  Created: count('Rows that created a record.'),
  Updated: count('Rows that changed a record.'),
  Unchanged: count('Rows that were stored and changed nothing.'),
  Deleted: count('Rows that deleted something.'),
};

const recordChanges = answerSchema<ShownRecords>('RecordChanges', 'Rows by what they did to records.', recordMembers);

const consentChanges = answerSchema<ShownConsent>('ConsentChanges', 'Rows by what they did to one consent.', {
  Granted: count('From false or absent to true.'),
  Withdrawn: count('From true to false.'),
  KeptWithdrawn: count('Rows that said true and were older than the stored false, which stays.'),
  Erased: count('Rows that said true and were older than the deletion of the customer.'),
});

const consent = (name: string) => ({ $ref: consentChanges, description: `What became of \`${name}\`.` });

const consentsChanges = answerSchema<ShownConsents>('ConsentsChanges', 'What became of each consent.', {
  EmailOptin: consent('EmailOptin'),
  SmsOptin: consent('SmsOptin'),
  WhatsappOptin: consent('WhatsappOptin'),
  AppPushOptin: consent('AppPushOptin'),
  GdprOptin: consent('GdprOptin'),
});

const customerChanges = answerSchema<ShownChanges['Customers']>(
  'CustomerChanges',
  'Rows by what they did to customers and their consents.',
  { ...recordMembers, Consents: { $ref: consentsChanges, description: 'What became of each consent.' } },
);

const runChanges = answerSchema<ShownChanges>('RunChanges', 'What a run has changed.', {
  Customers: { $ref: customerChanges, description: 'Of customers.' },
  Products: { $ref: recordChanges, description: 'Of products.' },
  Orders: { $ref: recordChanges, description: 'Of orders.' },
});

const warningExample = answerSchema<Capitalized<WarningExample>>(
  'TransferWarningExample',
  'Where something to warn of was met. It has no value of a record.',
  capitalized(WARNING_EXAMPLE_MEMBERS),
  capitalized(OPTIONAL_WARNING_EXAMPLE_MEMBERS),
);

const warning = answerSchema<WarningDto>('TransferWarning', 'What was accepted and probably not meant.', {
  ...capitalized(WARNING_MEMBERS),
  Examples: { type: 'array', items: warningExample, description: WARNING_EXAMPLES },
});

const fieldChange = new NamedSchema<Example['Fields'][string]>('FieldChange', {
  type: 'object',
  description: 'A field before and after. Of arrays only the elements that would go and come are shown.',
  properties: { from: { description: 'Null: it has no value.' }, to: { description: 'Null: it has no value.' } },
  required: ['from', 'to'],
});

const example = answerSchema<Example>(
  'PreviewExample',
  'A record that a preview would change.',
  {
    Object: { type: 'string', description: 'The name of the object.' },
    Line: {
      type: ['integer', 'null'],
      description: 'The first row about the record; null: its rows name it by another identifier.',
    },
    Identifiers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'What identifies the record, by field.',
    },
    Fields: {
      type: 'object',
      additionalProperties: fieldChange,
      description: 'The fields that would change, by name.',
    },
    OmittedFields: {
      type: 'array',
      items: { type: 'string' },
      description: 'Fields that would change and are too long to be shown; absent: none.',
    },
  },
  { OmittedFields: true },
);

const runMembers = {
  RunId: { type: 'string', description: 'The id of the run. It begins with the time of its start.' },
  JobId: { type: 'string', description: 'The id of the job that it is of.' },
  Kind: {
    type: ['string', 'null'],
    enum: ['historical', 'daily', 'hourly', 'live', 'sweep', 'replay', 'preview', 'manual', null],
    description:
      'What started it: a registration, the schedule, uploads (`live`), the daily look of a live transfer through its ' +
      'folders (`sweep`), a replay, a preview, or a request; null: it is not known.',
  },
  BucketName: { type: 'string', description: 'The bucket that it reads.' },
  FolderPaths: { type: 'array', items: { type: 'string' }, description: 'Empty: the whole bucket.' },
  ReplayOf: {
    type: ['string', 'null'],
    description: 'The id of the run whose bad rows it reads again; null: it is no replay.',
  },
  Status: {
    type: 'string',
    enum: RUN_STATUSES,
    description: '`partial`: it has ended, with bad rows or failed files.',
  },
  StartedAt: {
    type: 'string',
    format: 'date-time',
    description:
      `When it began or, while it waits, begins, in UTC: a run of the full hour up to ${START_SPREAD_MINUTES} minutes ` +
      'after it, each tenant at a minute of its own.',
  },
  FinishedAt: { type: ['string', 'null'], format: 'date-time', description: 'When it ended, in UTC; null: it runs.' },
  Files: {
    anyOf: [fileCounts, { type: 'null' }],
    description: 'Its files; null: it has more than one request counts.',
  },
  Rows: { anyOf: [rowCounts, { type: 'null' }], description: 'Its rows; null as `Files`.' },
  Changes: {
    anyOf: [runChanges, { type: 'null' }],
    description:
      'What it has changed, or a preview would; null as `Files`, where an older release has read some of the rows, and of ' +
      'a preview that is older than 24 hours.',
  },
  IgnoredFields: {
    type: 'array',
    items: { type: 'string' },
    description: `Paths of fields that rows have and records do not, at most ${MAX_IGNORED_FIELDS}.`,
  },
  Warnings: { type: 'array', items: warning, description: 'What was accepted and probably not meant.' },
  Error: { type: ['string', 'null'], description: 'Why it failed; null: it did not.' },
  NotificationError: {
    type: ['string', 'null'],
    description: "Why the tenant's topic could not be notified of its end; null: it was notified, or there is none.",
  },
  TraceId: {
    type: ['string', 'null'],
    description:
      "Names it and its replays in the service's logs; say it when you ask the operator about it. Null: a release that " +
      'gave none has started it.',
  },
} as const;

export const run = answerSchema<RunDto>(
  'Run',
  'One execution of a transfer. Counts are those so far while it runs.',
  runMembers,
);

const runByItself = answerSchema<RunDetailsDto>('RunWithExamples', 'A run, and what a preview has to show.', {
  ...runMembers,
  Examples: {
    type: ['array', 'null'],
    items: example,
    description:
      `Records that a preview would change, at most ${MAX_EXAMPLES}, consents first; null: it is no preview, or it is ` +
      'older than 24 hours.',
  },
});

const runFile = answerSchema<FileDto>('RunFile', 'A file of a run.', {
  Object: { type: 'string', description: 'The name of the object.' },
  Generation: { type: 'string', description: 'Its generation in Cloud Storage.' },
  Updated: { type: 'string', format: 'date-time', description: 'When it was written, in UTC.' },
  Size: { type: 'integer', format: 'int64', description: 'Its bytes as they are stored.' },
  Kind: {
    type: ['string', 'null'],
    enum: ['customers', 'products', 'orders', null],
    description: 'What its rows are; null: its name does not tell.',
  },
  Format: { type: ['string', 'null'], enum: [...FILE_FORMATS, null], description: 'Its format; null as `Kind`.' },
  Status: {
    type: 'string',
    enum: FILE_STATUSES,
    description: '`skipped`: the run does not read it, or not to its end.',
  },
  Reason: {
    type: ['string', 'null'],
    enum: ['unknown kind', 'unknown format', 'read before', 'replaced', 'run ended', null],
    description: 'Why it is skipped; null in any other status.',
  },
  Rows: { $ref: rowCounts, description: 'Its rows, those so far while it is read.' },
  Error: { type: ['string', 'null'], description: 'Why it failed; null: it did not.' },
  ReadBytes: {
    type: ['integer', 'null'],
    format: 'int64',
    description: 'Bytes, inflated, up to which a running file is stored; null in any other status.',
  },
});

export const rowError = answerSchema<RowErrorDto>(
  'RowError',
  'A bad row of a file. It repeats no rejected value.',
  {
    Object: { type: 'string', description: 'The name of the object.' },
    Generation: { type: 'string', description: 'Its generation in Cloud Storage.' },
    Line: { type: 'integer', format: 'int64', description: 'The line of the row; in an array its position, from 1.' },
    Errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: 'Messages by the path of the field; the empty path is the whole row.',
    },
    OmittedErrors: { type: 'integer', description: 'How many messages are left out; absent: none.' },
  },
  { OmittedErrors: true },
);

const NextPageToken: MemberSchema<string | null> = {
  type: ['string', 'null'],
  description: 'Asks for the next page as `pageToken`; null: this is the last one.',
};

export const runDetails = answerSchema<{ readonly Run: RunDetailsDto }>('RunDetails', 'A run.', {
  Run: { $ref: runByItself, description: 'The run.' },
});

export const runList = answerSchema<{ readonly Runs: readonly RunDto[]; readonly NextPageToken: string | null }>(
  'RunList',
  'A page of runs.',
  { Runs: { type: 'array', items: run, description: 'The newest first.' }, NextPageToken },
);

export const fileList = answerSchema<{ readonly Files: readonly FileDto[]; readonly NextPageToken: string | null }>(
  'RunFileList',
  'A page of files.',
  { Files: { type: 'array', items: runFile, description: 'In no order that means anything.' }, NextPageToken },
);

export const errorList = answerSchema<{
  readonly Errors: readonly RowErrorDto[];
  readonly NextPageToken: string | null;
}>('RowErrorList', 'A page of bad rows.', {
  Errors: { type: 'array', items: rowError, description: 'File by file, in the order of their lines.' },
  NextPageToken,
});

export const startedRun = answerSchema<{ readonly RunId: string }>('RunReference', 'A run.', {
  RunId: { type: 'string', description: 'The id of the run.' },
});
