/** Runs transfers through the built transfer-runner, with Pub/Sub's emulator and the stand-in for Cloud Storage. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RUNS } from '../../shared/documents/paths';
import type { Tenant } from '../../shared/domain/tenant';
import { historicalJobId } from '../../shared/domain/transfer';
import { systemRandom } from '../../shared/platform/random';
import { claimBucket } from '../../shared/transfers/runs/bucket-ownership';
import type { Run } from '../../shared/transfers/runs/run';
import { fromRunDocument } from '../../shared/transfers/runs/run';
import { requireFreePort } from '../local/ports';
import { createTopology } from '../local/pubsub-topology';
import type { BenchStack, ServerOptions } from './bench-stack';
import { openTransferBuckets } from './transfer-buckets';
import type { RowFormat } from './transfer-files';
import { writeCustomerFile } from './transfer-files';

const POLL_MS = 50;

export interface TransferFile {
  readonly bucket: string;
  readonly file: string;
  readonly format: RowFormat;
  readonly bytes: number;
  readonly rows: number;
}

export interface TransferSample {
  readonly tenantId: string;
  /** From the start of the run to its end, as the run has them. */
  readonly elapsedMs: number;
  readonly cpuMs: number;
  /** The most memory that the function ever had. */
  readonly peakBytes: number;
}

export interface TransferRuns {
  writeFile(format: RowFormat, bytes: number, notesLength: number): TransferFile;
  /** Runs a historical transfer of the file's bucket for a new tenant, in a new process of the function. */
  run(file: TransferFile, server?: ServerOptions & { readonly folder?: string }): Promise<TransferSample>;
  /** The address of the stand-in for Cloud Storage. */
  readonly storageAddress: string;
  stop(): Promise<void>;
}

export async function openTransferRuns(stack: BenchStack): Promise<TransferRuns> {
  const buckets = await openTransferBuckets();
  const port = await requireFreePort({ host: '127.0.0.1', port: 0, field: 'any' });
  await createTopology(stack.pubsub, stack.config.topics, `http://127.0.0.1:${port}`);
  return {
    writeFile(format, bytes, notesLength) {
      const { bucket, folder } = buckets.add();
      const file = join(folder, `customers.${format}`);
      return { bucket, file, format, bytes, rows: writeCustomerFile(file, format, bytes, notesLength) };
    },

    storageAddress: buckets.environment.STORAGE_EMULATOR_HOST ?? '',

    async run({ bucket, rows }, server = {}) {
      const tenant = await stack.createTenant();
      const environment = { ...buckets.environment, ...server.environment };
      const runner = await stack.startFunction('transfer-runner', { ...server, environment, port });
      const before = await runner.usage();
      await triggerTransfer(stack, tenant, bucket);
      const run = await untilEnded(stack, tenant.tenantId);
      const after = await runner.usage();
      await runner.stop();
      if (run.rows?.stored !== rows) throw new Error(`A transfer stored ${run.rows?.stored ?? 0} of ${rows} rows.`);
      return {
        tenantId: tenant.tenantId,
        elapsedMs: (run.finishedAt?.getTime() ?? NaN) - run.startedAt.getTime(),
        cpuMs: after.cpuMs - before.cpuMs,
        peakBytes: after.peakBytes,
      };
    },

    stop: () => buckets.stop(),
  };
}

/** Has a historical transfer of a bucket run for a tenant, which gets the bucket. */
export async function triggerTransfer(
  { pubsub, config, operator }: BenchStack,
  { tenantId, organizationId }: Tenant,
  bucket: string,
): Promise<void> {
  await claimBucket(bucket, organizationId, operator.store, operator.deadline());
  const jobId = historicalJobId(tenantId, systemRandom.bytes(12).toString('hex'));
  const trigger = { jobId, tenantId, bucketName: bucket, folderPaths: [] };
  await pubsub.topic(config.topics.transfers).publishMessage({ json: trigger });
}

/** The only run of a tenant, when it has ended. */
export async function untilEnded({ operator }: BenchStack, tenantId: string): Promise<Run> {
  const { store, deadline } = operator;
  // Queries only until the run is there: in a filled emulator a query takes longer than a commit.
  let path: string | undefined;
  for (;;) {
    const document = path
      ? await store.get(path, deadline())
      : (await store.findWhere(RUNS, 'tenantId', tenantId, { limit: 1 }, deadline()))[0];
    const run = document && fromRunDocument(document);
    if (run && run.status !== 'running') return run;
    path = document?.path;
    await sleep(POLL_MS);
  }
}
