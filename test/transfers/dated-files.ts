/** Files of times that a test decides, and what the API does before and after. */
import type { DeletionTarget } from '../../shared/domain/deletion';
import type { RecordKind } from '../../shared/domain/identity';
import { remove, upsert } from '../support/api-writes';
import { encodeRecords } from '../support/file-formats';
import type { Shop } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';

const HOUR_MS = 3_600_000;

/** More than the clocks of two processes differ by, also where one stands while the machine is busy. */
const CLOCKS_DIFFER_MS = 50;

/** A lab with what tests do in it. */
export function useDatedFiles() {
  const lab = useTransferLab();
  return {
    lab,

    /** A time before everything that the test does. */
    hoursAgo: (hours: number) => new Date(lab().operator.clock.nowMs() - hours * HOUR_MS),

    /** A time after all that the test has done and before all that it does next, by any process's clock. */
    afterwards: async (): Promise<Date> => {
      const { clock } = lab().operator;
      await clock.sleep(CLOCKS_DIFFER_MS);
      const now = new Date(clock.nowMs());
      await clock.sleep(CLOCKS_DIFFER_MS);
      return now;
    },

    /** Reads a file of records that was written at a time, and gives the counts of its rows. */
    readFile: async ({ tenant, bucket }: Shop, kind: RecordKind, records: readonly object[], at: Date) => {
      const name = `${kind}/${lab().operator.random.bytes(4).toString('hex')}.ndjson`;
      bucket.put(name, encodeRecords(records, 'ndjson'), at);
      const { rows, files, status } = await lab().run(tenant, bucket, { folders: [name] });
      expect(files).toEqual({ found: 1, finished: 1, skipped: 0, failed: 0 });
      expect(status).toBe(rows.invalid === 0 ? 'succeeded' : 'partial');
      return rows;
    },

    api: ({ tenant }: Shop, kind: RecordKind, batch: readonly object[]) => upsert(tenant, kind, batch, lab().operator),

    deleteBy: ({ tenant }: Shop, target: DeletionTarget, state: 'applied' | 'pending') =>
      remove(tenant, target, state, lab().operator),

    records: ({ tenant }: Shop, kind: RecordKind) => lab().records(tenant, kind),
  };
}

export const stored = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0, deleted: 0 });
export const stale = (count: number) => ({ read: count, stored: 0, invalid: 0, stale: count, deleted: 0 });

export const order = (OrderId: string, more: object = {}) => ({ OrderId, Currency: 'EUR', ...more });
export const item = (Sku: string) => ({ ProductId: 'p', Sku, Quantity: 1, Price: 1 });
export const product = (ProductId: string, skus: readonly string[], more: object = {}) => ({
  ProductId,
  ProductVariants: skus.map((Sku) => ({ VariantId: `v-${Sku}`, Sku })),
  ...more,
});
