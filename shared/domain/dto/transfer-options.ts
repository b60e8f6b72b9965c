import { MAX_FOLDER_PATH_LENGTH, MAX_FOLDER_PATHS } from '../limits';
import type { Dto } from './schema';

/**
 * A folder path needs a character that is no slash or white space; otherwise it would mean the whole bucket. The schema
 * below has the same pattern.
 */
export const FOLDER_PATH = /[^\s/]/;

const folderPaths = {
  type: ['array', 'null'],
  maxItems: MAX_FOLDER_PATHS,
  items: { type: 'string', format: 'text', pattern: '[^\\s/]', maxLength: MAX_FOLDER_PATH_LENGTH },
} as const;

const minute = { type: ['integer', 'null'], minimum: 0, maximum: 59 } as const;
const hour = { type: ['integer', 'null'], minimum: 0, maximum: 23 } as const;

/** `TenantGoogleCloudStorageOptions` (Spec §2.7). */
export const transferOptionsSchema = {
  $id: 'TenantGoogleCloudStorageOptions',
  type: 'object',
  properties: {
    TenantId: { type: 'string', pattern: '\\S', format: 'guid' },
    BucketName: { type: 'string', pattern: '\\S', format: 'bucket-name' },
    HistoricalDataFolderPaths: folderPaths,
    DataFolderPaths: folderPaths,
    HourlyJobStartingMinuteUTC: minute,
    DailyJobStartingHourUTC: hour,
    DailyJobStartingMinuteUTC: minute,
  },
  required: ['TenantId', 'BucketName'],
} as const;

export type TransferOptionsDto = Dto<typeof transferOptionsSchema>;
