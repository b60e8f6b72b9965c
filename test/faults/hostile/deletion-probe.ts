/** Sends hostile deletions, and looks whether their tenant still works. */
import { setAsideDeletionsPath } from '../../../shared/documents/paths';
import type { RecordKind } from '../../../shared/domain/identity';
import type { Caller, TestService } from '../../support/test-service';
import type { DrawnDeletion } from './drawn-deletion';

const KEY_LIMIT = 1e9;

/** A record that a client knows, and how it is deleted. */
const KNOWN = {
  customers: { record: { CustomerId: 'known', Email: 'Known@x.com' }, address: '?email=known@X.com' },
  products: { record: { ProductId: 'known', ProductVariants: [] }, address: '/known' },
  orders: { record: { OrderId: 'known', Currency: 'EUR' }, address: '/known' },
} as const satisfies Record<RecordKind, object>;

/**
 * @param isBatch in a batch between two deletions of nothing, in place of an address
 * @returns the status of the deletion. @throws Error that says what is wrong.
 */
export async function probeDeletion(
  to: TestService,
  sent: DrawnDeletion,
  isDelivered: boolean,
  isBatch: boolean,
): Promise<number> {
  const caller = await to.createCaller({ requestsPerMinute: KEY_LIMIT });
  to.publisher.published.length = 0;
  to.store.calls.length = 0;
  const status = await (isBatch ? sendHostileBatch(to, caller, sent) : sendHostile(to, caller, sent));
  if (isDelivered) await to.deliverDeletions();
  await expectToWork(to, caller, sent.kind);
  return status;
}

async function sendHostile(to: TestService, { tenantId, key }: Caller, sent: DrawnDeletion): Promise<number> {
  const { status, json } = await to.request('DELETE', `/${sent.kind}/${tenantId}${sent.address}`, { key });
  if (status !== 200) {
    if (status < 400 || status > 499) throw new Error(`The deletion was answered with ${status}.`);
    return status;
  }
  const { data } = json as { data: Readonly<Record<string, unknown>> };
  for (const [name, { text }] of Object.entries(sent.ids)) {
    const isNone = data[name] === null && (text ?? '').trim() === '';
    // An address may be read in another way: `/x/variants/` is the product `x`, or another tenant's nothing.
    const isEchoed = data[name] === text || isNone || !(name in data);
    if (!isEchoed) throw new Error(`Sent ${JSON.stringify(text)} as ${name}, echoed ${JSON.stringify(data[name])}.`);
  }
  return status;
}

async function sendHostileBatch(
  to: TestService,
  { tenantId, key }: Caller,
  { kind, element }: DrawnDeletion,
): Promise<number> {
  const harmless = { CustomerId: 'none', ProductId: 'none', OrderId: 'none' };
  const json = [harmless, element, harmless];
  const { status, json: answer } = await to.request('POST', `/${kind}/${tenantId}/deletions`, { key, json });
  if (status !== 200) {
    if (status !== 400) throw new Error(`The batch was answered with ${status}.`);
    if ((await to.pendingDeletions(tenantId)).length > 0) throw new Error('A part of a refused batch was accepted.');
    return status;
  }
  const { count } = (answer as { data: { count: number } }).data;
  if (count !== json.length) throw new Error(`A batch of ${json.length} was counted as ${count}.`);
  return status;
}

/** The tenant takes a record in, and deletes it. */
async function expectToWork(to: TestService, { tenantId, key }: Caller, kind: RecordKind): Promise<void> {
  const { record, address } = KNOWN[kind];
  const upsert = await to.request('POST', `/${kind}/${tenantId}`, { key, json: [record] });
  if (upsert.status !== 200) throw new Error(`An upsert was answered with ${upsert.status}.`);
  if ((await to.records(tenantId, kind)).length !== 1) throw new Error('The record was not stored.');
  const deletion = await to.request('DELETE', `/${kind}/${tenantId}${address}`, { key });
  if (deletion.status !== 200) throw new Error(`A deletion was answered with ${deletion.status}.`);
  await to.deliverDeletions();
  if ((await to.records(tenantId, kind)).length > 0) throw new Error('The record was not deleted.');
  if ((await to.pendingDeletions(tenantId)).length > 0) throw new Error('A deletion stays pending.');
  const setAside = await to.store.list(setAsideDeletionsPath(tenantId), { limit: 1 }, to.deadline());
  if (setAside.length > 0) throw new Error('A deletion was set aside.');
}
