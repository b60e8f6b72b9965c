import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEADY_HEAP_OPTIONS } from '../../shared/platform/heap';
import { startStorageStandIn } from '../local/storage-stand-in';

const REPORTS_BUCKET = 'bench-reports';

/** Buckets of files for a while, with the stand-in for Cloud Storage that serves them. */
export interface TransferBuckets {
  /** Of the transfer-runner: where the buckets are, and the heap that it has on the platform. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a bucket. `folder`: where its files go. */
  add(): { readonly bucket: string; readonly folder: string };
  stop(): Promise<void>;
}

export async function openTransferBuckets(): Promise<TransferBuckets> {
  const root = mkdtempSync(join(tmpdir(), 'bench-'));
  const removeFiles = () => rmSync(root, { recursive: true, force: true });
  process.once('exit', removeFiles);
  mkdirSync(join(root, REPORTS_BUCKET));
  const standIn = await startStorageStandIn({ host: '127.0.0.1', port: 0, root });
  let buckets = 0;
  return {
    environment: {
      STORAGE_EMULATOR_HOST: `http://127.0.0.1:${standIn.port}`,
      REPORTS_BUCKET,
      NODE_OPTIONS: STEADY_HEAP_OPTIONS,
    },
    add() {
      buckets += 1;
      const bucket = `bench-${buckets}`;
      const folder = join(root, bucket);
      mkdirSync(folder);
      return { bucket, folder };
    },
    async stop() {
      await standIn.stop();
      process.off('exit', removeFiles);
      removeFiles();
    },
  };
}
