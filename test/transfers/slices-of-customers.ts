/** Files of customers that are some slices long, and stores whose commits of such slices a test makes. */
import type { DocumentStore, DocumentWrite } from '../../shared/documents/document-store';
import { RedeliverLater } from '../../shared/events/event-handler';
import { FILE_SLICE_ROWS } from '../../shared/limits/transfers';
import type { TenantOptions } from '../../shared/operations/tenants';
import { encodeRecords } from '../support/file-formats';
import { withMethods } from '../support/overriding';
import type { RunOptions, Shop, StartedRun, TransferLab } from '../support/transfer-lab';
import { KNOWN_BY_ID } from './numbered-customers';

export type Customer = Readonly<Record<string, unknown>> & { readonly CustomerId: string };

/** Rows of a slice. */
export const S = FILE_SLICE_ROWS;

export const customer = (n: number, more: object = {}): Customer => ({
  CustomerId: `c${n}`,
  Name: `Name ${n}`,
  ...more,
});
export const customers = (count: number) => Array.from({ length: count }, (_, n) => customer(n));
export const allStored = (count: number) => ({ read: count, stored: count, invalid: 0, stale: 0, deleted: 0 });

/** A shop with a file of these customers, which was written an hour ago. */
export async function openShop(
  lab: TransferLab,
  rows: readonly Customer[],
  options: TenantOptions = KNOWN_BY_ID,
): Promise<Shop> {
  const shop = await lab.openShop(options);
  const anHourAgo = new Date(lab.operator.clock.nowMs() - 3_600_000);
  shop.bucket.put('customers.ndjson', encodeRecords(rows, 'ndjson'), anHourAgo);
  return shop;
}

export async function namesOf(lab: TransferLab, { tenant }: Shop): Promise<Map<string, unknown>> {
  const records = (await lab.records(tenant, 'customers')) as Customer[];
  return new Map(records.map(({ CustomerId, Name }) => [CustomerId, Name]));
}

export type Writes = readonly DocumentWrite[];

export const holdsCustomers = (writes: Writes) =>
  writes.some((write) => 'set' in write && write.set.includes('/customers/'));

export const holdsCustomer = (writes: Writes, n: number) =>
  writes.some((write) => 'set' in write && write.data.CustomerId === `c${n}`);

/** The lab's store, whose commits of slices a test makes: before, after or in place of its own. */
export function storing(
  lab: TransferLab,
  around: (writes: Writes, commit: () => Promise<unknown>) => Promise<unknown>,
): DocumentStore {
  return withMethods(lab.operator.store, (method, name) => (...args) => {
    const writes = args[0] as Writes;
    if (name !== 'commit' || !holdsCustomers(writes)) return method(...args);
    return around(writes, () => method(writes, lab.operator.deadline())); // however long the test held it
  });
}

/** Delivers what waits until the step that reads the file does, and takes that out. */
export async function untilFileStep(started: StartedRun) {
  for (;;) {
    const message = started.waiting.shift();
    if (!message) throw new Error('No file is read.');
    if ('unitId' in message.event) return message;
    await started.deliver(message);
  }
}

/** A run whose next step reads a file of these customers, which any worker may be given. */
export async function startAtFile(lab: TransferLab, rows: readonly Customer[]) {
  const shop = await openShop(lab, rows);
  const started = lab.start(shop.tenant, shop.bucket);
  await started.deliver(started.trigger);
  const step = await untilFileStep(started);
  /** Delivers the file's step to one more worker, again when it finds that the other one ends the run. */
  const deliverTo = async (overrides: NonNullable<RunOptions['overrides']>): Promise<void> => {
    const { deliver } = lab.start(shop.tenant, shop.bucket, { overrides });
    await deliver(step).catch((error: unknown) => {
      if (!(error instanceof RedeliverLater)) throw error;
      return deliver(step);
    });
  };
  return { shop, started, step, deliverTo };
}

/** The lab's store, whose commits of slices are counted, and wait for what a test says of their indexes, from 0. */
export function holding(lab: TransferLab, waitFor: (index: number) => Promise<unknown> | undefined) {
  const seen = { begun: 0, ended: 0 };
  const store = storing(lab, async (_writes, commit) => {
    const wait = waitFor(seen.begun);
    seen.begun += 1;
    await wait;
    const outcome = await commit();
    seen.ended += 1;
    return outcome;
  });
  return { store, seen };
}

/** A promise that a test resolves. */
export function gate(): { readonly isOpen: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { isOpen, open: () => open() };
}

/** Waits until something is so. @throws Error when it is not after half a minute. */
export async function until(isSo: () => boolean, { operator: { clock } }: TransferLab): Promise<void> {
  const endMs = clock.nowMs() + 30_000;
  while (!isSo()) {
    if (clock.nowMs() > endMs) throw new Error('What a test waits for did not come.');
    await clock.sleep(5);
  }
}
