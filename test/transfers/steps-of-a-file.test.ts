/** Files that take more than one step (D-55): each goes on where the one before it ended. */
import { FILE_CHUNK_BYTES, FILE_EMPTY_CHUNK_FACTOR } from '../../shared/limits/transfers';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { overriding } from '../support/overriding';
import type { Shop } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { customers, finished, ndjson, stored } from './numbered-customers';
import { storing } from './slices-of-customers';

const lab = useTransferLab();
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

/** Runs with a step for each chunk. */
const run = ({ tenant, bucket }: Shop, storage: ObjectStorage = lab().storage) =>
  lab().run(tenant, bucket, { overrides: { storage, stepSeconds: 1e-9 } });

/** The lab's storage with another way to read. */
const reading = (read: ObjectStorage['read']) => overriding<ObjectStorage>(lab().storage, { read });

it('goes on behind chunks without rows (D-55)', async () => {
  const shop = await lab().openShop();
  const blanks = '\n'.repeat(2.5 * FILE_EMPTY_CHUNK_FACTOR * FILE_CHUNK_BYTES);
  shop.bucket.put('customers.ndjson', `${ndjson(customers(1, 2))}${blanks}${ndjson(customers(3, 5))}`);
  const { storage } = lab();
  const offsets: number[] = [];
  const seen = reading((bucketName, object, offset) => {
    if (offsets.includes(offset)) throw new Error(`The file is read from ${offset} again.`);
    offsets.push(offset);
    return storage.read(bucketName, object, offset);
  });
  expect(await run(shop, seen)).toMatchObject({ status: 'succeeded', files: finished(1), rows: stored(5) });
  expect(offsets.length).toBeGreaterThan(3);
});

it.each([
  ['30 s, so that other tenants have their turn', 0, 4],
  ['four times as long as the way to the checkpoint takes, which is lost', 20, 2],
  ['as long as a step may be, however long the way is', 200, 3],
])('has steps of %s (R-376)', async (_, resumptionSeconds, steps) => {
  const shop = await lab().openShop();
  const chunks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(
    (n) => ndjson(customers(n, n)) + ' '.repeat(FILE_CHUNK_BYTES) + '\n',
  );
  shop.bucket.put('customers.ndjson', chunks.join(''));
  let nowMs = 0;
  const clock = overriding(lab().operator.clock, { nowMs: () => nowMs });
  const store = storing(lab(), (_writes, commit) => {
    nowMs += 10_000;
    return commit();
  });
  let reads = 0;
  const storage = reading((...call) => {
    reads += 1;
    nowMs += resumptionSeconds * 1000;
    return lab().storage.read(...call);
  });
  const ended = await lab().run(shop.tenant, shop.bucket, { overrides: { storage, clock, store } });
  expect(ended).toMatchObject({ status: 'succeeded', rows: stored(10) });
  expect(reads).toBe(steps);
});

it('ends the generation that is replaced while it is read, and reads the new one', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers.ndjson', ndjson(customers(1, 1_000)));
  const storage = replacingAfter(1, () => shop.bucket.put('customers.ndjson', ndjson(customers(2_001, 2_500))));
  const ended = await run(shop, storage);
  expect(ended).toMatchObject({ status: 'succeeded', files: finished(1) });
  const kept = (await customersOf(shop)) as { CustomerId: string }[];
  expect(kept.filter(({ CustomerId }) => Number(CustomerId.slice(1)) > 2_000)).toHaveLength(500);
  expect(ended.rows).toEqual(stored(kept.length));
  expect(kept.length).toBeLessThan(1_500);
  expect(await run(shop)).toMatchObject({ files: { found: 1, finished: 0, skipped: 1, failed: 0 } });
});

it('fails a file that is removed while it is read, and reads the others', async () => {
  const shop = await lab().openShop();
  shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 1_000)));
  shop.bucket.put('customers-2.ndjson', ndjson(customers(2_001, 2_002)));
  const storage = replacingAfter(1, () => shop.bucket.remove('customers-1.ndjson'));
  expect(await run(shop, storage)).toMatchObject({
    status: 'partial',
    files: { found: 2, finished: 1, skipped: 0, failed: 1 },
  });
});

/** Calls `replace` before any read after so many. */
function replacingAfter(reads: number, replace: () => void): ObjectStorage {
  const { storage } = lab();
  let done = 0;
  return reading((...call) => {
    done += 1;
    if (done === reads + 1) replace();
    return storage.read(...call);
  });
}
