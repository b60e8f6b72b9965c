/** What the answers about transfers hold, and what transfer options mean. */
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { MAX_IGNORED_FIELDS } from '../../../shared/domain/limits';
import { requestSchema } from '../../../shared/endpoint/description/request-schema';
import type { MemberSchema } from '../../../shared/endpoint/description/schema';
import { answerSchema, NamedSchema } from '../../../shared/endpoint/description/schema';
import type { TransferDto } from '../list-transfers';
import { run } from './runs';

export const transferOptions = requestSchema(
  'TransferOptions',
  transferOptionsSchema,
  'What a transfer reads, and when. Fields that its kind does not use are ignored and named in the answer.',
  {
    TenantId: 'The tenant.',
    BucketName: 'The bucket with the files. It belongs to the organization that registers it first.',
    HistoricalDataFolderPaths:
      'What a historical transfer reads: prefixes of object names, without a slash in front. None is blank.',
    DataFolderPaths:
      'What a daily or hourly transfer reads: prefixes of object names, without a slash in front. None is blank.',
    HourlyJobStartingMinuteUTC: 'The minute of each hour at which an hourly transfer starts.',
    DailyJobStartingHourUTC: 'The hour at which a daily transfer starts, in UTC.',
    DailyJobStartingMinuteUTC: 'The minute of that hour.',
  },
  {
    HistoricalDataFolderPaths: 'the whole bucket',
    DataFolderPaths: 'the whole bucket',
    HourlyJobStartingMinuteUTC: '`0`',
    DailyJobStartingHourUTC: '`0`',
    DailyJobStartingMinuteUTC: '`0`',
  },
);

const ignoredFields: MemberSchema<readonly string[]> = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Fields that are not known, or that this kind of transfer does not use: at most ' +
    `${MAX_IGNORED_FIELDS}; absent: none. Without its own folder paths the whole bucket is read.`,
};

export const historicalRegistration = answerSchema<{
  readonly JobId: string;
  readonly ignoredFields?: readonly string[];
}>(
  'HistoricalRegistration',
  'The job of a historical transfer.',
  { JobId: { type: 'string', description: 'The id of the job, which has one run.' }, ignoredFields },
  { ignoredFields: true },
);

export const recurringRegistration = answerSchema<{
  readonly recurringJobId: string;
  readonly ignoredFields?: readonly string[];
}>(
  'RecurringRegistration',
  'The job of a daily or hourly transfer.',
  {
    recurringJobId: { type: 'string', description: 'The id of the job, one for each tenant and kind.' },
    ignoredFields,
  },
  { ignoredFields: true },
);

export const nothing = new NamedSchema('Nothing', {
  type: 'object',
  description: 'Nothing more to say.',
  properties: {},
});

const transfer = answerSchema<TransferDto>('Transfer', 'A recurring transfer that is registered.', {
  JobId: { type: 'string', description: 'The id of the job.' },
  Kind: { type: 'string', enum: ['daily', 'hourly'], description: 'How often it runs.' },
  BucketName: { type: ['string', 'null'], description: 'Its bucket; null: the job was changed by hand.' },
  DataFolderPaths: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Empty: the whole bucket; null: the job was changed by hand.',
  },
  Schedule: { type: 'string', description: 'The schedule as unix-cron.' },
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
  { Transfers: { type: 'array', items: transfer, description: 'At most one daily and one hourly.' } },
);
