/** Runs transfers through the built transfer-runner, with Pub/Sub's emulator and the stand-in for Cloud Storage. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RUNS } from '../../shared/documents/paths';
import { historicalJobId } from '../../shared/domain/transfer';
import { systemRandom } from '../../shared/random';
import { claimBucket } from '../../shared/transfers/bucket-ownership';
import type { Run } from '../../shared/transfers/run';
import { fromRunDocument } from '../../shared/transfers/run';
import { STEADY_HEAP_OPTIONS } from '../../shared/heap';
import { requireFreePort } from '../local/ports';
import { createTopology } from '../local/pubsub-topology';
import { startStorageStandIn } from '../local/storage-stand-in';
import type { BenchStack } from './bench-stack';
import type { RowFormat } from './transfer-files';
import { writeCustomerFile } from './transfer-files';

const REPORTS_BUCKET = 'bench-reports';
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
  run(file: TransferFile, environment?: Readonly<Record<string, string>>): Promise<TransferSample>;
  stop(): Promise<void>;
}

export async function openTransferRuns(stack: BenchStack): Promise<TransferRuns> {
  const root = mkdtempSync(join(tmpdir(), 'bench-'));
  const removeFiles = () => rmSync(root, { recursive: true, force: true });
  process.once('exit', removeFiles);
  mkdirSync(join(root, REPORTS_BUCKET));
  const standIn = await startStorageStandIn({ host: '127.0.0.1', port: 0, root });
  const port = await requireFreePort({ host: '127.0.0.1', port: 0, field: 'any' });
  const { topics } = stack.config;
  await createTopology(stack.pubsub, topics, `http://127.0.0.1:${port}`);
  let files = 0;
  return {
    writeFile(format, bytes, notesLength) {
      files += 1;
      const bucket = `bench-${files}`;
      mkdirSync(join(root, bucket));
      const file = join(root, bucket, `customers.${format}`);
      return { bucket, file, format, bytes, rows: writeCustomerFile(file, format, bytes, notesLength) };
    },

    async run({ bucket, rows }, environment = {}) {
      const tenant = await stack.createTenant();
      await claimBucket(bucket, tenant.organizationId, stack.operator.store, stack.operator.deadline());
      const addresses = {
        STORAGE_EMULATOR_HOST: `http://127.0.0.1:${standIn.port}`,
        REPORTS_BUCKET,
        NODE_OPTIONS: STEADY_HEAP_OPTIONS,
        ...environment,
      };
      const runner = await stack.startFunction('transfer-runner', { environment: addresses, port });
      const before = await runner.usage();
      const jobId = historicalJobId(tenant.tenantId, systemRandom.bytes(12).toString('hex'));
      const trigger = { jobId, tenantId: tenant.tenantId, bucketName: bucket, folderPaths: [] };
      await stack.pubsub.topic(topics.transfers).publishMessage({ json: trigger });
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

    async stop() {
      await standIn.stop();
      process.off('exit', removeFiles);
      removeFiles();
    },
  };
}

/** Queries only until the run is there: in a filled emulator a query takes longer than a commit. */
async function untilEnded({ operator }: BenchStack, tenantId: string): Promise<Run> {
  const { store, deadline } = operator;
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
