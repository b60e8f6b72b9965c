/** Reads what is stored, merges, and writes with the SDK's BulkWriter. */
import { FieldValue } from '@google-cloud/firestore';
import type { BulkWriter, DocumentData, DocumentReference, Firestore } from '@google-cloud/firestore';
import { createHash } from 'node:crypto';
import type { Admitted } from './admit';
import type { Customer, Order, Product } from './schemas';

export interface Writers {
  readonly database: Firestore;
  readonly openWriter: () => BulkWriter;
}

export async function upsertCustomers(batch: readonly Customer[], admitted: Admitted, writers: Writers) {
  const records = new Map<string, Customer>();
  for (const customer of batch) {
    const id = idOf(customer.Email?.toLowerCase() ?? `id:${customer.CustomerId ?? ''}`);
    records.set(id, { ...records.get(id), ...customer });
  }
  const defaults = {
    ...(admitted.defaultLanguage && { Language: admitted.defaultLanguage }),
    EmailOptin: false,
    SmsOptin: false,
    WhatsappOptin: false,
    AppPushOptin: false,
    GdprOptin: false,
    IsExcluded: false,
  };
  const references = [...records.keys()].map((id) => admitted.tenant.collection('customers').doc(id));
  const stored = await readAll(references, writers, ['Email']);
  await write([...records.values()], references, writers, (writer, reference, customer) => {
    const cleared = (field: string): unknown => (defaults as Record<string, unknown>)[field] ?? FieldValue.delete();
    const sent = Object.fromEntries(
      Object.entries(customer).map(([field, value]) => [field, value === null ? cleared(field) : value]),
    );
    return writer.set(reference, stored.has(reference.id) ? sent : { ...defaults, ...sent }, { merge: true });
  });
}

export function upsertProducts(batch: readonly Product[], admitted: Admitted, writers: Writers) {
  return upsertMerged(
    batch,
    (product) => admitted.tenant.collection('products').doc(idOf(product.ProductId)),
    (stored, product) => ({
      ...withoutNulls({ ...stored, ...product }),
      ProductVariants: mergeParts(stored?.ProductVariants, product.ProductVariants, ({ VariantId }) => VariantId),
    }),
    writers,
  );
}

export function upsertOrders(batch: readonly Order[], admitted: Admitted, writers: Writers) {
  const defaults = {
    TotalQuantity: 1,
    TotalRevenue: 1,
    UniqueQuantity: 1,
    IsOrderCancelled: false,
    OrderDate: new Date(),
  };
  return upsertMerged(
    batch,
    (order) => admitted.tenant.collection('orders').doc(idOf(order.OrderId)),
    (stored, order) => ({
      ...withoutNulls({ ...defaults, ...stored, ...order }),
      ...(order.OrderDate && { OrderDate: new Date(order.OrderDate) }),
      Customer: order.Email ? { Email: order.Email.toLowerCase() } : { CustomerId: order.CustomerId ?? null },
      OrderItems: mergeParts(stored?.OrderItems, order.OrderItems ?? [], (item) => `${item.ProductId}\n${item.Sku}`),
    }),
    writers,
  );
}

async function upsertMerged<T>(
  batch: readonly T[],
  toReference: (sent: T) => DocumentReference,
  merge: (stored: DocumentData | undefined, sent: T) => DocumentData,
  writers: Writers,
): Promise<void> {
  const references = new Map(batch.map(toReference).map((reference) => [reference.id, reference]));
  const merged = await readAll([...references.values()], writers);
  for (const sent of batch) {
    const { id } = toReference(sent);
    merged.set(id, merge(merged.get(id), sent));
  }
  await write([...references.keys()], [...references.values()], writers, (writer, reference, id) =>
    writer.set(reference, merged.get(id) ?? {}),
  );
}

async function readAll(references: readonly DocumentReference[], { database }: Writers, fieldMask?: string[]) {
  if (references.length === 0) return new Map<string, DocumentData>();
  const snapshots = await database.getAll(...references, ...(fieldMask ? [{ fieldMask }] : []));
  return new Map(
    snapshots.flatMap((snapshot) => {
      const data = snapshot.data();
      return data ? [[snapshot.id, data]] : [];
    }),
  );
}

async function write<T>(
  items: readonly T[],
  references: readonly DocumentReference[],
  { openWriter }: Writers,
  set: (writer: BulkWriter, reference: DocumentReference, item: T) => Promise<unknown>,
): Promise<void> {
  const writer = openWriter();
  const written = items.flatMap((item, index) => {
    const reference = references[index];
    return reference ? [set(writer, reference, item)] : [];
  });
  await Promise.all([...written, writer.close()]);
}

function mergeParts<T extends object>(stored: unknown, sent: readonly T[], keyOf: (part: T) => string): DocumentData[] {
  const parts = new Map(((stored ?? []) as T[]).map((part) => [keyOf(part), part]));
  for (const part of sent) parts.set(keyOf(part), { ...parts.get(keyOf(part)), ...part });
  return [...parts.values()].map(withoutNulls);
}

function withoutNulls(data: object): DocumentData {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null && value !== undefined));
}

function idOf(identifier: string): string {
  return createHash('sha256').update(identifier).digest('base64url');
}
