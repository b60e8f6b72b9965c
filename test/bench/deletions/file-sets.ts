/** Buckets with files of sample records, and historical transfers of several of them at once. */
import { join } from 'node:path';
import type { Tenant } from '../../../shared/domain/tenant';
import type { BenchStack } from '../bench-stack';
import type { BenchKind } from '../sample-records';
import type { TransferBuckets } from '../transfer-buckets';
import { openTransferBuckets } from '../transfer-buckets';
import { writeRecordFile } from '../transfer-files';
import { triggerTransfer, untilEnded } from '../transfer-runs';

/** The files of a bucket. */
export interface FileSet {
  readonly bucket: string;
  /** Of all its files. */
  readonly rows: number;
}

export interface FileShape {
  readonly kind: BenchKind;
  readonly files: number;
  /** Of each file. */
  readonly rows: number;
  /** Number of the first record. */
  readonly first: number;
}

/** Writes a bucket of files of which no two have a record in common. */
export function writeFileSet(buckets: TransferBuckets, { kind, files, rows, first }: FileShape): FileSet {
  const { bucket, folder } = buckets.add();
  for (let file = 0; file < files; file += 1) {
    writeRecordFile(join(folder, `${kind}-${file}.ndjson`), kind, rows, first + file * rows);
  }
  return { bucket, rows: files * rows };
}

/**
 * Runs transfers of buckets at once, each for a tenant. @returns how long they took together, in milliseconds, as the
 * runs have it
 * @throws Error when not all rows were stored
 */
export async function runAtOnce(
  stack: BenchStack,
  transfers: readonly { readonly tenant: Tenant; readonly set: FileSet }[],
): Promise<number> {
  await Promise.all(transfers.map(({ tenant, set }) => triggerTransfer(stack, tenant, set.bucket)));
  let startMs = Infinity;
  let endMs = 0;
  // One run is waited for at a time: so many transfers are looked at as often as one.
  for (const { tenant, set } of transfers) {
    const { rows, startedAt, finishedAt, error } = await untilEnded(stack, tenant.tenantId);
    if (rows?.stored !== set.rows) {
      throw new Error(`A transfer stored ${rows?.stored ?? 0} of ${set.rows} rows: ${error ?? 'no error'}`);
    }
    startMs = Math.min(startMs, startedAt.getTime());
    endMs = Math.max(endMs, finishedAt?.getTime() ?? NaN);
  }
  return endMs - startMs;
}

/** Runs with buckets, which are gone afterwards. */
export async function withTransferBuckets<T>(use: (buckets: TransferBuckets) => Promise<T>): Promise<T> {
  const buckets = await openTransferBuckets();
  try {
    return await use(buckets);
  } finally {
    await buckets.stop();
  }
}
