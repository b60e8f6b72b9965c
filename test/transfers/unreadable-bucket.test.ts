/** Runs of a bucket that cannot be read, and whose bucket a run may read (D-56, D-57). */
import { claimBucket, releaseWrite } from '../../shared/transfers/runs/bucket-ownership';
import type { ObjectStorage } from '../../shared/transfers/object-storage';
import { RequestRefused } from '../../shared/transfers/object-storage';
import { overriding } from '../support/overriding';
import type { RunOptions, Shop } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { BAD_LINE, customers, ndjson, noFiles, stored } from './numbered-customers';

/** So that each file has a message of its own, as large ones have. */
jest.mock<object>('../../shared/limits/transfers', () => ({
  ...jest.requireActual<object>('../../shared/limits/transfers'),
  UNIT_FILES: 1,
}));

const lab = useTransferLab();
const run = ({ tenant, bucket }: Shop, options: RunOptions = {}) => lab().run(tenant, bucket, options);
const customersOf = ({ tenant }: Shop) => lab().records(tenant, 'customers');

/** The lab's storage with some methods replaced. */
const storageWith = (methods: Partial<ObjectStorage>) => overriding<ObjectStorage>(lab().storage, methods);

describe('a bucket that cannot be read (D-56, D-57)', () => {
  it('fails where the bucket does not exist, and names it', async () => {
    const tenant = await lab().createTenant();
    const name = `gone-${tenant.tenantId}`;
    const { store, deadline } = lab().operator;
    await claimBucket(name, tenant.organizationId, store, deadline());
    const failed = await lab().run(tenant, name);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles });
    expect(failed.error).toContain(name);
    expect(failed.finishedAt).not.toBeNull();
  });

  it('fails where access is denied, and names the bucket and the role to grant', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    shop.bucket.denyAccess();
    const failed = await run(shop);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles, rows: stored(0) });
    expect(failed.error).toContain(shop.bucket.name);
    expect(failed.error).toContain('roles/storage.objectViewer');
    expect(await customersOf(shop)).toEqual([]);
  });

  it('reads no bucket of another organization, and none that nobody has registered', async () => {
    const owner = await lab().openShop();
    owner.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    const stranger = await lab().createTenant();
    const foreign = await lab().run(stranger, owner.bucket);
    expect(foreign).toMatchObject({ status: 'failed', files: noFiles });
    expect(foreign.error).toBe(`The bucket ${owner.bucket.name} is registered by another organization.`);

    const unregistered = await lab().createBucket();
    unregistered.put('customers.ndjson', ndjson(customers(1, 2)));
    const failed = await lab().run(stranger, unregistered);
    expect(failed).toMatchObject({ status: 'failed', files: noFiles });
    expect(failed.error).toContain(unregistered.name);
    expect(await lab().records(stranger, 'customers')).toEqual([]);
  });

  it('lets two tenants of one organization read its bucket', async () => {
    const { tenant, bucket } = await lab().openShop();
    const sister = await lab().createTenant({ organization: tenant.organizationId });
    bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    expect(await lab().run(tenant, bucket)).toMatchObject({ status: 'succeeded', rows: stored(2) });
    expect(await lab().run(sister, bucket)).toMatchObject({ status: 'succeeded', rows: stored(2) });
  });

  it('reads nothing more of a bucket that goes to another organization while the run is under way', async () => {
    const shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 2)));
    const started = lab().start(shop.tenant, shop.bucket);
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    const { store, deadline } = lab().operator;
    await store.commit([releaseWrite(shop.bucket.name)], deadline());
    expect(await claimBucket(shop.bucket.name, 'another organization', store, deadline())).toBe(true);
    await started.deliverAll();
    const ended = await started.shown();
    expect(ended).toMatchObject({ status: 'failed', rows: stored(0) });
    expect(ended.error).toBe(`The bucket ${shop.bucket.name} is no longer registered.`);
    expect(await customersOf(shop)).toEqual([]);
  });

  describe('that Cloud Storage refuses for a reason of its own', () => {
    const refusal = new RequestRefused('The bucket acme cannot be read (400): Bucket is requester pays bucket.');
    const refuse = () => Promise.reject(refusal);
    const refused = { [Symbol.asyncIterator]: () => ({ next: refuse }) };

    it('fails with that reason where it cannot be listed', async () => {
      const shop = await lab().openShop();
      const storage = storageWith({ list: refuse });
      const expected = { status: 'failed', error: refusal.message, files: noFiles };
      expect(await run(shop, { overrides: { storage } })).toMatchObject(expected);
    });

    it('fails the file with that reason that cannot be read, and reads the others', async () => {
      const shop = await lab().openShop();
      shop.bucket.put('customers-1.ndjson', ndjson(customers(1, 2)));
      shop.bucket.put('customers-2.ndjson', ndjson(customers(3, 4)));
      const { storage } = lab();
      const refusing = storageWith({
        read: (...call) => (call[1].name === 'customers-1.ndjson' ? refused : storage.read(...call)),
      });
      expect(await run(shop, { overrides: { storage: refusing } })).toMatchObject({
        status: 'partial',
        error: `customers-1.ndjson: ${refusal.message}`,
        files: { found: 2, finished: 1, skipped: 0, failed: 1 },
      });
    });

    it('fails a replay with that reason', async () => {
      const shop = await lab().openShop();
      shop.bucket.put('customers.ndjson', BAD_LINE);
      const first = await run(shop);
      const storage = storageWith({ find: refuse });
      const expected = { status: 'failed', error: refusal.message };
      expect(await lab().replay(first.runId, { overrides: { storage } })).toMatchObject(expected);
    });
  });

  /** A run whose three files are known, and of which the first one is read. */
  async function startedRun(shop: Shop) {
    for (const file of [1, 2, 3]) shop.bucket.put(`customers-${file}.ndjson`, ndjson(customers(file, file)));
    const started = lab().start(shop.tenant, shop.bucket);
    started.waiting.push(started.trigger);
    for (let delivered = 0; delivered < 3; delivered += 1) await started.deliver(started.waiting.shift()!);
    expect(await started.shown()).toMatchObject({ status: 'running', rows: stored(1) });
    return started;
  }

  it('fails where access is denied while its files are read, and reads no more of them', async () => {
    const shop = await lab().openShop();
    const started = await startedRun(shop);
    shop.bucket.denyAccess();
    await started.deliver(started.waiting.shift()!);
    const failed = await started.shown();
    expect(failed).toMatchObject({ status: 'failed', files: { found: 3, finished: 1, failed: 0 }, rows: stored(1) });
    expect(failed.error).toContain(shop.bucket.name);
    expect(failed.error).toContain('roles/storage.objectViewer');

    shop.bucket.allowAccess();
    await started.deliverAll();
    expect(await started.shown()).toEqual(failed);
    expect(await customersOf(shop)).toHaveLength(1);
    expect(await run(shop)).toMatchObject({ status: 'succeeded', files: { finished: 2, skipped: 1 }, rows: stored(2) });
  });

  it('has in its sums what a step stores that was reading when another one failed it (R-80)', async () => {
    const shop = await lab().openShop();
    for (const file of [1, 2]) shop.bucket.put(`customers-${file}.ndjson`, ndjson(customers(file, file)));
    const { storage } = lab();
    let goOn = (): void => undefined;
    const hasFailed = new Promise<void>((resolve) => (goOn = resolve));
    const read: ObjectStorage['read'] = async function* (...call) {
      if (call[1].name === 'customers-1.ndjson') shop.bucket.denyAccess();
      else await hasFailed;
      yield* storage.read(...call);
    };
    const started = lab().start(shop.tenant, shop.bucket, { overrides: { storage: storageWith({ read }) } });
    await started.deliver(started.trigger);
    await started.deliver(started.waiting.shift()!);
    const [refused, reading] = started.waiting.splice(0).map((message) => started.deliver(message));
    await refused;
    expect(await started.shown()).toMatchObject({ status: 'failed', files: { found: 2, finished: 0 } });
    shop.bucket.allowAccess();
    goOn();
    await reading;
    const ended = { status: 'failed', files: { found: 2, finished: 1 }, rows: stored(1) };
    expect(await started.shown()).toMatchObject(ended);
    expect(await customersOf(shop)).toHaveLength(1);
  });

  it('fails where the bucket disappears while its files are read', async () => {
    const shop = await lab().openShop();
    const started = await startedRun(shop);
    shop.bucket.destroy();
    await started.deliverAll();
    expect(await started.shown()).toMatchObject({
      status: 'failed',
      error: `The bucket ${shop.bucket.name} does not exist.`,
      files: { found: 3, finished: 1, failed: 0 },
    });
  });
});
