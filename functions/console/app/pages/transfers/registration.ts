/** What a person fills in about a transfer, and what the API takes of it. */
import type { Transfer, TransferOptions } from '../../../../../client/src/index';

export const KINDS = ['daily', 'hourly', 'live', 'historical'] as const;
export type RegistrationKind = (typeof KINDS)[number];

export interface RegistrationForm {
  readonly bucket: string;
  /** One a line; blank: the whole bucket. */
  readonly folders: string;
  /** `03:30`, of a daily transfer. */
  readonly time: string;
  /** Of an hourly transfer. */
  readonly minute: string;
}

export const EMPTY_FORM: RegistrationForm = { bucket: '', folders: '', time: '00:00', minute: '0' };

export type Options = Omit<TransferOptions, 'TenantId'>;

/** Fields that the kind does not use are left out. */
export function toOptions(kind: RegistrationKind, form: RegistrationForm): Options {
  const folders = toFolders(form.folders);
  const paths = folders.length > 0 ? folders : null;
  const BucketName = form.bucket.trim();
  if (kind === 'historical') return { BucketName, HistoricalDataFolderPaths: paths };
  const common = { BucketName, DataFolderPaths: paths };
  if (kind === 'live') return common;
  if (kind === 'hourly') return { ...common, HourlyJobStartingMinuteUTC: Number(form.minute) };
  const [hour = '0', minute = '0'] = form.time.split(':');
  return { ...common, DailyJobStartingHourUTC: Number(hour), DailyJobStartingMinuteUTC: Number(minute) };
}

/** The form that registers a transfer as it is; undefined: its job was changed by hand, into what no form says. */
export function formOf({ Kind, BucketName, DataFolderPaths, Schedule }: Transfer): RegistrationForm | undefined {
  const time = timeOf(Schedule);
  if (BucketName === null || !time || (Kind === 'hourly') !== (time.hour === undefined)) return undefined;
  return {
    bucket: BucketName,
    folders: (DataFolderPaths ?? []).join('\n'),
    time: `${twoDigits(time.hour ?? 0)}:${twoDigits(time.minute)}`,
    minute: String(time.minute),
  };
}

export function toFolders(lines: string): string[] {
  return lines.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** `15 3 * * *` and `15 * * * *`; undefined: any other schedule. */
function timeOf(schedule: string): { readonly hour: number | undefined; readonly minute: number } | undefined {
  const [, minute, hour] = /^(\d{1,2}) (\d{1,2}|\*) \* \* \*$/.exec(schedule) ?? [];
  if (minute === undefined) return undefined;
  return { hour: hour === '*' ? undefined : Number(hour), minute: Number(minute) };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
