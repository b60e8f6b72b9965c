import type { TenantOptions } from '../../../shared/operations/tenants';
import type { ShownRun } from '../../../shared/operations/transfers';
import { RECORD_KINDS } from '../../../shared/domain/identity';
import { differences } from '../../support/differences';
import type { DeliveryOptions, StartedRun, TransferLab } from '../../support/transfer-lab';
import type { ExportedShop } from './exported-shop';
import { toText } from './exported-shop';

export interface ShopTransfer {
  readonly shop: ExportedShop;
  readonly tenant: TenantOptions;
  /** What delivers all messages of a run, beginning with its trigger. */
  readonly deliverAll: (run: StartedRun) => Promise<void>;
  readonly options?: DeliveryOptions;
}

/**
 * Runs the transfer of a shop's files and then, once they are mended, its replay, for a tenant of its own.
 * @returns what is not as it should be: no texts after a good run.
 */
export async function transferShop(
  lab: TransferLab,
  { shop, tenant: tenantOptions, deliverAll, options }: ShopTransfer,
): Promise<string[]> {
  const tenant = await lab.createTenant(tenantOptions);
  const bucket = await lab.createBucket(tenant);
  for (const { object, content } of shop.files) bucket.put(object, content);
  const started = lab.start(tenant, bucket, { ...options, folders: shop.folders });
  await deliverAll(started);
  const run = await started.shown();
  const report = await lab.report(run.runId);

  for (const { object, mended } of shop.files) bucket.put(object, mended);
  const startedReplay = await lab.startReplay(run.runId, options);
  await deliverAll(startedReplay);
  const replay = await startedReplay.shown();
  const records = await Promise.all(RECORD_KINDS.map((kind) => lab.records(tenant, kind)));
  bucket.destroy();
  const expected = tenant.productIdentifier === 'sku' ? shop.replayBySku : shop.replay;
  return [
    ...differences('run', countsOf(run), { status: 'partial', files: shop.run.files, rows: shop.run.rows }),
    ...differences('report', report.map(({ object, line }) => `${object}:${line}`).sort(), shop.run.report),
    ...differences('replay', countsOf(replay), { status: 'succeeded', ...expected }),
    ...differences('report of the replay', await lab.report(replay.runId), []),
    ...differences('records', records.flat().map(toText).sort(), shop.records),
  ];
}

function countsOf({ status, files, rows }: ShownRun): object {
  return { status, files, rows };
}
