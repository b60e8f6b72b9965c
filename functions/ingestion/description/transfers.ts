/** What the answers about transfers hold, and what transfer options mean. */
import { previewOptionsSchema } from '../../../shared/domain/dto/preview-options';
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { RECURRING_KINDS } from '../../../shared/domain/transfer';
import { MAX_IGNORED_FIELDS } from '../../../shared/domain/limits';
import type { DefaultTexts, FieldTexts } from '../../../shared/endpoint/description/request-schema';
import { requestSchema } from '../../../shared/endpoint/description/request-schema';
import type { MemberSchema } from '../../../shared/endpoint/description/schema';
import { answerSchema, NamedSchema } from '../../../shared/endpoint/description/schema';
import type { TransferDto } from '../list-transfers';
import type { BucketAccessDto, BucketSetupDto } from '../register-transfer';
import { run } from './runs';

const OPTION_TEXTS: FieldTexts<typeof transferOptionsSchema> = {
  TenantId: 'The tenant.',
  BucketName: 'The bucket with the files. It belongs to the organization that registers it first.',
  HistoricalDataFolderPaths:
    'What a historical transfer or a preview reads: prefixes of object names, without a slash in front. None is blank.',
  DataFolderPaths:
    'What a daily, hourly or live transfer reads: prefixes of object names, without a slash in front. None is blank.',
  HourlyJobStartingMinuteUTC: 'The minute of each hour at which an hourly transfer starts.',
  DailyJobStartingHourUTC: 'The hour at which a daily transfer starts, in UTC.',
  DailyJobStartingMinuteUTC: 'The minute of that hour.',
};

const OPTION_DEFAULTS: DefaultTexts<typeof transferOptionsSchema> = {
  HistoricalDataFolderPaths: 'the whole bucket',
  DataFolderPaths: 'the whole bucket',
  HourlyJobStartingMinuteUTC: '`0`',
  DailyJobStartingHourUTC: '`0`',
  DailyJobStartingMinuteUTC: '`0`',
};

export const transferOptions = requestSchema(
  'TransferOptions',
  transferOptionsSchema,
  'What a transfer reads, and when. Fields that its kind does not use are ignored and named in the answer.',
  OPTION_TEXTS,
  OPTION_DEFAULTS,
  'isAbsent',
);

export const previewOptions = requestSchema(
  'PreviewOptions',
  previewOptionsSchema,
  'What a preview reads. Fields that it does not use are ignored and named in the answer.',
  { ...OPTION_TEXTS, SampleRowsPerFile: 'How many rows are read of each file, from the first on.' },
  { ...OPTION_DEFAULTS, SampleRowsPerFile: 'all' },
  'isAbsent',
);

const ignoredFields: MemberSchema<readonly string[]> = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Fields that are not known, or that this kind of transfer does not use: at most ' +
    `${MAX_IGNORED_FIELDS}; absent: none. Without its own folder paths the whole bucket is read.`,
};

const setup = answerSchema<BucketSetupDto>(
  'BucketSetup',
  'What the owner of the bucket has to do.',
  {
    Role: { type: 'string', description: 'The role, to grant on the bucket.' },
    ServiceAccount: { type: 'string', description: 'Whom to grant it to.' },
    Commands: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Of a live transfer, for a shell: the grant, and the notification of uploads, which is added once; absent: the ' +
        'transfer is of another kind.',
    },
  },
  { Commands: true },
);

const registered = {
  BucketAccess: {
    type: 'string',
    enum: ['ok', 'denied', 'notFound', 'unknown'],
    description:
      'Whether the service can read the bucket now. The transfer is registered in any case. `unknown`: Cloud Storage ' +
      'did not say in time.',
  },
  Setup: {
    $ref: setup,
    description: 'What the owner of the bucket has to do; absent unless access is denied, or the transfer is live.',
  },
  ignoredFields,
} as const;

const OPTIONAL = { Setup: true, ignoredFields: true } as const;

interface Registered extends BucketAccessDto {
  readonly ignoredFields?: readonly string[];
}

export const historicalRegistration = answerSchema<Registered & { readonly JobId: string }>(
  'HistoricalRegistration',
  'The job of a historical transfer.',
  { JobId: { type: 'string', description: 'The id of the job, which has one run.' }, ...registered },
  OPTIONAL,
);

export const recurringRegistration = answerSchema<Registered & { readonly recurringJobId: string }>(
  'RecurringRegistration',
  'The job of a daily, hourly or live transfer.',
  {
    recurringJobId: { type: 'string', description: 'The id of the job, one for each tenant and kind.' },
    ...registered,
  },
  OPTIONAL,
);

export const startedPreview = answerSchema<{ readonly RunId: string; readonly ignoredFields?: readonly string[] }>(
  'PreviewReference',
  'The run of a preview.',
  { RunId: { type: 'string', description: 'The id of the run, which shows what would change.' }, ignoredFields },
  { ignoredFields: true },
);

export const nothing = new NamedSchema('Nothing', {
  type: 'object',
  description: 'Nothing more to say.',
  properties: {},
});

const transfer = answerSchema<TransferDto>('Transfer', 'A recurring transfer that is registered.', {
  JobId: { type: 'string', description: 'The id of the job.' },
  Kind: {
    type: 'string',
    enum: [...RECURRING_KINDS],
    description: 'How often it runs; `live`: when files are uploaded.',
  },
  BucketName: { type: ['string', 'null'], description: 'Its bucket; null: the job was changed by hand.' },
  DataFolderPaths: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Empty: the whole bucket; null: the job was changed by hand.',
  },
  Schedule: { type: 'string', description: 'The schedule as unix-cron. A live transfer looks for missed files then.' },
  TimeZone: { type: 'string', description: 'The time zone of the schedule.' },
  NextRunAt: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it runs next, in UTC; null: the job is paused.',
  },
  LastRun: { anyOf: [run, { type: 'null' }], description: 'Its newest run of any kind; null: there is none.' },
});

export const transferList = answerSchema<{ readonly Transfers: readonly TransferDto[] }>(
  'TransferList',
  'The recurring transfers of a tenant.',
  { Transfers: { type: 'array', items: transfer, description: 'At most one of each kind.' } },
);
