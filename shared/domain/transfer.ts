/** Transfers: their jobs, job identifiers and schedules (Spec §4.6, D-38 to D-40). */
import { hash } from 'node:crypto';
import type { TransferOptionsDto } from './dto/transfer-options';
import { transferOptionsSchema } from './dto/transfer-options';
import type { TenantId } from './tenant';
import { parseTenantId } from './tenant';

/** A `live` transfer reads files when they are uploaded; its job looks for missed ones once a day. */
export const RECURRING_KINDS = ['daily', 'hourly', 'live'] as const;
export type RecurringTransferKind = (typeof RECURRING_KINDS)[number];
/** Transfers that run once: `preview` decides what `historical` would do, and stores no record. */
export type OneTimeTransferKind = 'historical' | 'preview';
export type TransferKind = OneTimeTransferKind | RecurringTransferKind;

/**
 * `daily-transfer/<tenant_id>`, `hourly-transfer/<tenant_id>`, `live-transfer/<tenant_id>`,
 * `historical-transfer/<tenant_id>/<unique>` (D-40) or `preview-transfer/<tenant_id>/<unique>`.
 */
export type JobId = string & { readonly __brand: 'JobId' };

/** The message that a job sends to the transfer function each time it fires. */
export interface TransferTrigger {
  readonly jobId: JobId;
  readonly kind: TransferKind;
  readonly tenantId: TenantId;
  readonly bucketName: string;
  /** Prefixes to scan; empty: the whole bucket (D-38). */
  readonly folderPaths: readonly string[];
  /** The id of a run that somebody has started outside the job's schedule; absent: the message gives the run its id. */
  readonly runId?: string;
  /** The run reads the uploads that wait for it; absent: it lists the folders. */
  readonly ofUploads?: true;
  /** How many rows a preview reads of each file, from the first on; absent: all. */
  readonly sampleRowsPerFile?: number;
}

/** A Cloud Scheduler job in the service's terms. */
export interface RecurringTransfer {
  readonly trigger: TransferTrigger;
  /** unix-cron, in UTC. */
  readonly schedule: string;
}

/** The id of a tenant's recurring job: one a kind and tenant. */
export function recurringJobId(kind: RecurringTransferKind, tenantId: TenantId): JobId {
  return `${kind}-transfer/${tenantId}` as JobId;
}

/** The id of a one-time job; `unique` has only letters and digits, and no other job has it. */
export function oneTimeJobId(kind: OneTimeTransferKind, tenantId: TenantId, unique: string): JobId {
  return `${kind}-transfer/${tenantId}/${unique}` as JobId;
}

export const historicalJobId = (tenantId: TenantId, unique: string) => oneTimeJobId('historical', tenantId, unique);

export function isRecurring(kind: TransferKind): kind is RecurringTransferKind {
  return (RECURRING_KINDS as readonly TransferKind[]).includes(kind);
}

/** The tenant of a job. */
export function tenantOfJob(jobId: JobId): TenantId {
  return jobId.split('/')[1] as TenantId;
}

/** The unique part of a one-time job's id; undefined for a recurring job. */
export function oneTimePart(jobId: JobId): string | undefined {
  return jobId.split('/')[2];
}

const JOB_ID = /^(daily|hourly|live|historical|preview)-transfer\/([0-9a-f-]{36})(?:\/([a-z0-9]{1,64}))?$/i;

/**
 * Parses a job id; undefined when no transfer can have it. Its kind and tenant are matched in any case, as GUIDs are
 * (D-46). The unique part of a one-time job is taken as it is.
 */
export function parseJobId(text: string): { jobId: JobId; kind: TransferKind; tenantId: TenantId } | undefined {
  const match = JOB_ID.exec(text);
  const tenantId = parseTenantId(match?.[2] ?? '');
  const unique = match?.[3];
  const kind = match?.[1]?.toLowerCase() as TransferKind | undefined;
  if (!kind || !tenantId || isRecurring(kind) !== (unique === undefined)) return undefined;
  const jobId = isRecurring(kind) ? recurringJobId(kind, tenantId) : oneTimeJobId(kind, tenantId, unique ?? '');
  return { jobId, kind, tenantId };
}

/**
 * The name of a job in Cloud Scheduler, which allows no `/`. No part of a job id has a `_`, so `fromSchedulerName` can
 * reverse it (D-40).
 */
export function toSchedulerName(jobId: JobId): string {
  return jobId.replaceAll('/', '_');
}

/** The job id of a Cloud Scheduler name; undefined for a job that is no transfer. */
export function fromSchedulerName(name: string): JobId | undefined {
  const jobId = parseJobId(name.replaceAll('_', '/'))?.jobId;
  return jobId !== undefined && toSchedulerName(jobId) === name ? jobId : undefined;
}

/**
 * The schedule of a recurring transfer in UTC; omitted fields are 0 (D-38). A live transfer looks for missed files once
 * a day, each tenant's at a minute of its own.
 */
export function toSchedule(kind: RecurringTransferKind, options: TransferOptionsDto): string {
  if (kind === 'live') {
    const minute = minuteOfTenant(options.TenantId, MINUTES_OF_A_DAY);
    return `${minute % 60} ${Math.floor(minute / 60)} * * *`;
  }
  return kind === 'hourly'
    ? `${options.HourlyJobStartingMinuteUTC ?? 0} * * * *`
    : `${options.DailyJobStartingMinuteUTC ?? 0} ${options.DailyJobStartingHourUTC ?? 0} * * *`;
}

const MINUTES_OF_A_DAY = 24 * 60;

/** A whole number below `minutes`, always the same for a tenant, by which tenants are spread. */
function minuteOfTenant(tenantId: string, minutes: number): number {
  return parseInt(hash('sha256', tenantId.toLowerCase(), 'hex').slice(0, 8), 16) % minutes;
}

/**
 * When the run of a trigger begins that does not begin at once. The jobs of the full hour, which an omitted minute
 * means (D-38), fire all at once: their runs begin from one to `spreadMinutes` minutes after it, each tenant's always
 * as many. Cloud Scheduler tells nothing of the schedule, so the first minute of an hour stands for it, also
 * where an operator has Cloud Scheduler run a job in it.
 * @param spreadMinutes 0: every run begins at once
 * @returns undefined: it begins at once
 */
export function plannedStart(
  { kind, tenantId, runId }: Pick<TransferTrigger, 'kind' | 'tenantId' | 'runId'>,
  publishedAt: Date,
  spreadMinutes: number,
): Date | undefined {
  const isOfSchedule = (kind === 'daily' || kind === 'hourly') && runId === undefined;
  if (!isOfSchedule || publishedAt.getUTCMinutes() > 0 || spreadMinutes === 0) return undefined;
  return new Date(new Date(publishedAt).setUTCMinutes(1 + minuteOfTenant(tenantId, spreadMinutes), 0, 0));
}

/** The options that a registration of each kind uses in addition to the tenant and the bucket (Spec §4.6). */
const USED_FIELDS: Readonly<Record<TransferKind, ReadonlySet<string>>> = {
  historical: new Set<keyof TransferOptionsDto>(['HistoricalDataFolderPaths']),
  preview: new Set<keyof TransferOptionsDto>(['HistoricalDataFolderPaths']),
  daily: new Set<keyof TransferOptionsDto>(['DataFolderPaths', 'DailyJobStartingHourUTC', 'DailyJobStartingMinuteUTC']),
  hourly: new Set<keyof TransferOptionsDto>(['DataFolderPaths', 'HourlyJobStartingMinuteUTC']),
  live: new Set<keyof TransferOptionsDto>(['DataFolderPaths']),
};

/** The options with a value that a registration of this kind does not use, sorted by name. */
export function unusedOptions(kind: TransferKind, options: TransferOptionsDto): string[] {
  const { TenantId: _tenantId, BucketName: _bucketName, ...others } = options;
  const known = Object.keys(transferOptionsSchema.properties);
  return Object.entries(others)
    .filter(([field, value]) => value !== null && known.includes(field) && !USED_FIELDS[kind].has(field))
    .map(([field]) => field)
    .sort();
}

/** The trigger of a registration or a preview: what its runs read. */
export function toTrigger(
  kind: TransferKind,
  tenantId: TenantId,
  jobId: JobId,
  options: TransferOptionsDto,
): TransferTrigger {
  return { jobId, kind, tenantId, bucketName: options.BucketName, folderPaths: folderPathsOf(kind, options) };
}

/** The folders that a transfer reads; empty: the whole bucket (D-38). */
export function folderPathsOf(kind: TransferKind, options: TransferOptionsDto): readonly string[] {
  return (isRecurring(kind) ? options.DataFolderPaths : options.HistoricalDataFolderPaths) ?? [];
}
