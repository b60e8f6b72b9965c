/** How long transfers take beside one tenant with very many files, and those of very many tiny files. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runFilesPath, RUNS, idOf } from '../../../shared/documents/paths';
import { requireFreePort } from '../../local/ports';
import { createTopology, PUSHED_AT_ONCE } from '../../local/pubsub-topology';
import type { BenchStack } from '../bench-stack';
import { withBenchStack } from '../bench-stack';
import { percentile } from '../statistics';
import type { Suite } from '../suite';
import type { TransferBuckets } from '../transfer-buckets';
import { openTransferBuckets } from '../transfer-buckets';
import { writeRecordFile } from '../transfer-files';
import { triggerTransfer, untilEnded } from '../transfer-runs';

/** Tenants with one file of `ROWS` rows; files of the large tenant, which have as many; tiny files. */
const SIZES = { tenants: 50, files: 10_000, tinyFiles: 3_000 };
const QUICK_SIZES = { tenants: 10, files: 500, tinyFiles: 300 };
const ROWS = 100;
const TINY_ROWS = 10;

const POLL_MS = 200;

export const measureFairness: Suite = ({ quick, progress }) =>
  withBenchStack(async (stack) => {
    const { tenants, files, tinyFiles } = quick ? QUICK_SIZES : SIZES;
    const buckets = await openTransferBuckets();
    const port = await requireFreePort({ host: '127.0.0.1', port: 0, field: 'any' });
    await createTopology(stack.pubsub, stack.config.topics, `http://127.0.0.1:${port}`);
    const environment = { ...buckets.environment, TRANSFER_TENANT_CONCURRENCY: String(PUSHED_AT_ONCE) };
    const runner = await stack.startFunction('transfer-runner', { environment, port });
    await transfer(stack, buckets, 1, ROWS); // the first one of a process takes longer
    progress(`fairness: ${tinyFiles} files of ${TINY_ROWS} rows`);
    const tinyMs = await transfer(stack, buckets, tinyFiles, TINY_ROWS);
    progress(`fairness: ${tenants} tenants`);
    const alone = await transferAtOnce(stack, buckets, tenants);
    progress(`fairness: ${tenants} tenants beside ${files} files`);
    const large = fillBucket(buckets, files, ROWS);
    const tenant = await stack.createTenant();
    await triggerTransfer(stack, tenant, large);
    await untilReading(stack, tenant.tenantId);
    const beside = await transferAtOnce(stack, buckets, tenants);
    await runner.stop();
    await buckets.stop();
    const figures = (times: readonly number[]) => [0.5, 0.99].map((part) => Math.round(percentile(times, part)));
    const quotient = (part: number) => percentile(beside, part) / percentile(alone, part);
    return {
      suite: 'fairness',
      tables: [
        {
          title: `A transfer of one file of ${ROWS} rows, of ${tenants} tenants at once, in ms`,
          columns: ['beside', 'p50', 'p99'],
          rows: [
            ['nothing', ...figures(alone)],
            [`a tenant with ${files} files of ${ROWS} rows`, ...figures(beside)],
          ],
        },
        {
          title: 'Many tiny files of one tenant',
          columns: ['files', 'rows of each', 'seconds', 'files a second'],
          rows: [[tinyFiles, TINY_ROWS, (tinyMs / 1000).toFixed(1), Math.round((tinyFiles * 1000) / tinyMs)]],
        },
      ],
      bars: [
        { name: 'p50 beside ÷ alone', value: quotient(0.5), limit: 1.5, must: 'stay at or below' },
        { name: 'p99 beside ÷ alone', value: quotient(0.99), limit: 1.5, must: 'stay at or below' },
      ],
      notes: [
        `The emulator of Pub/Sub pushes ${PUSHED_AT_ONCE} messages at once, and so many units of a tenant are under way here, not 8.`,
        'The large transfer is not awaited.',
      ],
      samples: { tinyMs, alone, beside },
    };
  });

/** A bucket with files of customers. */
function fillBucket(buckets: TransferBuckets, files: number, rows: number): string {
  const { bucket, folder } = buckets.add();
  for (let n = 0; n < files; n += 1)
    writeRecordFile(join(folder, `customers-${n}.ndjson`), 'customers', rows, n * rows);
  return bucket;
}

/** @returns milliseconds from the trigger of a new tenant's transfer to the end of the run */
async function transfer(stack: BenchStack, buckets: TransferBuckets, files: number, rows: number): Promise<number> {
  const tenant = await stack.createTenant();
  const bucket = fillBucket(buckets, files, rows);
  const startMs = Date.now();
  await triggerTransfer(stack, tenant, bucket);
  const run = await untilEnded(stack, tenant.tenantId);
  if (run.rows?.stored !== files * rows) throw new Error('A transfer did not store all of its rows.');
  return run.finishedAt!.getTime() - startMs;
}

async function transferAtOnce(stack: BenchStack, buckets: TransferBuckets, tenants: number): Promise<number[]> {
  return Promise.all(Array.from({ length: tenants }, () => transfer(stack, buckets, 1, ROWS)));
}

/** Waits until the first file of the tenant's only run is read. */
async function untilReading({ operator }: BenchStack, tenantId: string): Promise<void> {
  const { store, deadline } = operator;
  for (let finished = 0; finished === 0;) {
    await sleep(POLL_MS);
    const [run] = await store.findWhere(RUNS, 'tenantId', tenantId, { limit: 1 }, deadline());
    if (!run) continue;
    const files = runFilesPath(idOf(run.path));
    finished = (await store.findWhere(files, 'status', 'finished', { limit: 1 }, deadline())).length;
  }
}
