/** What tenants send, and when. */
import { toSchedule } from '../../../shared/domain/transfer';
import type { RecurringTransferKind } from '../../../shared/domain/transfer';
import type { TransferOptionsDto } from '../../../shared/domain/dto/transfer-options';
import type { Random } from '../../../shared/platform/random';
import { standardNormal } from '../engine/draws';
import { ASSUMED } from '../figures/assumptions';

export interface Workload {
  readonly tenants: number;
  /** Records that each tenant sends in a day. */
  readonly records: Float64Array;
  readonly total: number;
  readonly largest: number;
}

/** Tenants whose sizes are drawn, with as many records in a day as `recordsOfTenant` makes. */
export function drawWorkload(tenants: number, random: Random): Workload {
  const sizes = Float64Array.from({ length: tenants }, () => Math.exp(ASSUMED.sizeDeviation * standardNormal(random)));
  const total = tenants * ASSUMED.recordsOfTenant;
  const factor = total / sizes.reduce((sum, size) => sum + size, 0);
  const records = sizes.map((size) => size * factor);
  return { tenants, records, total, largest: records.reduce((most, size) => Math.max(most, size), 0) };
}

/** Rows of the files that a run of this kind finds new. */
export function rowsOfRun(kind: RecurringTransferKind, records: number): number {
  const inFiles = records * ASSUMED.fileShare;
  return Math.round(kind === 'daily' ? inFiles * ASSUMED.dailyShare : (inFiles * (1 - ASSUMED.dailyShare)) / 24);
}

/** The rows of each of the files that so many rows come in. */
export function filesOf(rows: number): number[] {
  const files = Math.ceil(rows / ASSUMED.rowsOfFile);
  return Array.from(
    { length: files },
    (_, index) => Math.round(((index + 1) * rows) / files) - Math.round((index * rows) / files),
  );
}

/** Requests a second over HTTP, on average over a day. */
export function requestsASecond({ total }: Pick<Workload, 'total'>): number {
  return (total * (1 - ASSUMED.fileShare)) / ASSUMED.recordsOfBatch / 86_400;
}

/** When the job of a tenant that says no time fires first, in milliseconds after midnight, and how often in a day. */
export function firesOf(kind: RecurringTransferKind): { readonly firstMs: number; readonly timesADay: number } {
  const [minute, hour] = toSchedule(kind, {} as TransferOptionsDto).split(' ');
  const atHour = hour === '*' ? 0 : Number(hour);
  return { firstMs: (atHour * 60 + Number(minute)) * 60_000, timesADay: hour === '*' ? 24 : 1 };
}
