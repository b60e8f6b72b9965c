/**
 * What a row of a file does to a workspace: the same rules as an upsert, except that a row yields to a record or a
 * deletion that is newer than the row (D-54, D-58).
 */
import { isRaised } from '../deletions/deletion-log';
import { recordPath } from '../documents/paths';
import { applyPatch, createCustomer, toPatch } from '../domain/customer';
import type { CustomerRecord } from '../domain/customer';
import { later } from '../domain/date-time';
import type { PartTarget } from '../domain/deletion';
import type { DocumentData } from '../domain/document';
import type { UpsertOrderDto } from '../domain/dto/order';
import type { UpsertProductDto } from '../domain/dto/product';
import type { RecordId, RecordKind } from '../domain/identity';
import { customerIdentities, customerRecordId, orderRecordId, productRecordId } from '../domain/identity';
import type { OrderRecord } from '../domain/order';
import { mergeOrder, removeItems } from '../domain/order';
import type { ProductRecord } from '../domain/product';
import { mergeProduct, removeVariant } from '../domain/product';
import type { Tenant } from '../domain/tenant';
import { requireFit } from './fits';
import type { SkuMatch } from './place-product-by-sku';
import { findBySku, lastSkuDeletion, loadProductsBySku, placeProductBySku } from './place-product-by-sku';
import type { NewDocument, Stamp } from './record-documents';
import { datedStamp, fromDocument, toCustomerDocument, toDocument } from './record-documents';
import type { BuriedPart } from './tombstones';
import { lastDeletion, partsDeletedAfter, toBuriedField, tombstonePaths, uniteParts } from './tombstones';
import type { Workspace } from './workspace';

/** A valid row and the time at which it was true. */
export interface TimedRow {
  readonly dto: object;
  readonly at: Date;
}

/** A row with the record that it is about. */
export interface LocatedRow extends TimedRow {
  readonly id: RecordId;
  readonly path: string;
}

/** The record that a valid row is about, by the identifiers of its tenant. */
export function locateRow({ dto, at }: TimedRow, { tenant, kind }: Pick<RowContext, 'tenant' | 'kind'>): LocatedRow {
  const id = recordIdOf(dto, kind, tenant);
  return { dto, at, id, path: recordPath(tenant.tenantId, kind, id) };
}

/** What all rows of a slice share. */
export interface RowContext {
  readonly tenant: Tenant;
  readonly kind: RecordKind;
  readonly stamp: string;
  /** The path of the mark of deletions of the kind. */
  readonly mark: string;
  /** For the default of `OrderDate`. */
  readonly now: Date;
}

/** What is expected of documents that rows rely on. Only a guess that saves reading: the commit checks it. */
export interface Expectation {
  readonly records: Presence;
  readonly deletionMark: Presence;
}

type Presence = 'absent' | 'unknown';

/**
 * Reads everything that the rows can touch and is not expected to be absent. Tombstones are no part of a commit, which
 * would not notice a wrong guess. They are looked for where one can be newer than its row: the mark of deletions, on
 * which the commit relies, changes with each deletion of the kind.
 * @returns what was found, for the next ones
 */
export async function loadRows(
  workspace: Workspace,
  rows: readonly LocatedRow[],
  { tenant, kind, mark }: RowContext,
  expected: Expectation,
): Promise<Expectation> {
  const areBySku = isBySku({ tenant, kind });
  if (areBySku) {
    await loadProductsBySku(
      workspace,
      tenant,
      rows.map(({ dto }) => dto as UpsertProductDto),
    );
  }
  const records = rows.map(({ path }) => path);
  const areAbsent = (paths: readonly string[]): Presence =>
    paths.every((path) => workspace.get(path) === undefined) ? 'absent' : 'unknown';
  if (expected.deletionMark === 'absent') workspace.assumeAbsent([mark]);
  if (expected.records === 'absent') workspace.assumeAbsent(records);
  await workspace.load([mark, ...records]);
  const found = { records: areBySku ? 'unknown' : areAbsent(records), deletionMark: areAbsent([mark]) } as const;
  const lastChange = workspace.asOf(mark);
  if (!lastChange) return found;
  // A record that has all identities of its row was written after their last deletion, so only the others need to ask;
  // by Sku all do, because a row before may move the record.
  const asking = rows.filter(
    ({ dto, at, path }) => at <= lastChange && (areBySku || !hasIdentities(workspace.get(path), dto, kind)),
  );
  await workspace.load(asking.flatMap((row) => tombstonePaths(tenant.tenantId, identitiesOf(row, kind))));
  return found;
}

/** Whether rows are products that are matched by the `Sku` of their variants. */
export function isBySku({ tenant, kind }: Pick<RowContext, 'tenant' | 'kind'>): boolean {
  return kind === 'products' && tenant.productIdentifier === 'sku';
}

/** Whether deletions may be pending that have to be applied before the rows, by what was read for them. */
export function mayBePending(workspace: Workspace, { mark }: Pick<RowContext, 'mark'>): boolean {
  return isRaised(workspace.get(mark));
}

/**
 * Applies one row to the workspace, in the order of rows. `stale`: something newer is stored or was deleted, and
 * nothing changed. @throws ValidationFailed (at the index 0) when the record would outgrow its document.
 */
export function placeRow(workspace: Workspace, row: LocatedRow, context: RowContext): 'stored' | 'stale' {
  const { tenant, kind, now } = context;
  const { dto, at, path } = row;
  const matched = isBySku(context) ? findBySku(workspace, tenant.tenantId, dto as UpsertProductDto) : undefined;
  const newest = newestTime(workspace, row, matched, context);
  if (newest && at < newest) return 'stale';
  const stored = workspace.get(path);
  const deleted = deletedParts(workspace, row, matched, context);
  const rest = deleted.reduce((kept, { target }) => withoutPart(kept, target, tenant), dto);
  const stamp = datedStamp(context.stamp, at);
  const notes = toBuriedField(deleted);
  if (isBySku(context)) {
    const placed = { product: rest as UpsertProductDto, index: 0 };
    placeProductBySku(workspace, tenant, placed, matched, { stamp, ...notes });
    return 'stored';
  }
  const data = Object.assign(merge(stored, rest, kind, tenant, stamp, now), notes);
  workspace.rely(path); // that it does not fit is true of what is stored now
  workspace.put(path, data, requireFit(data, 0));
  return 'stored';
}

/** A row of a product or an order without the part that a deletion addresses. */
function withoutPart(dto: object, target: PartTarget, { productIdentifier }: Tenant): object {
  if (target.type === 'variant') return removeVariant(dto as UpsertProductDto, target.variantId) ?? dto;
  return removeItems(dto as UpsertOrderDto, target, productIdentifier) ?? dto;
}

/**
 * Parts that were deleted after the row of a record that did not hold them: its own or, by `Sku`, one that it takes
 * over.
 */
function deletedParts(
  workspace: Workspace,
  { id, path, at }: LocatedRow,
  matched: SkuMatch | undefined,
  { tenant: { tenantId } }: RowContext,
): BuriedPart[] {
  const own = partsDeletedAfter(workspace, tenantId, id, workspace.get(path), at);
  if (!matched || matched.id === id) return own;
  return uniteParts(own, partsDeletedAfter(workspace, tenantId, matched.id, workspace.get(matched.path), at));
}

/** The time of what is stored of the row's record or, where nothing is, of its last deletion. */
function newestTime(
  workspace: Workspace,
  row: LocatedRow,
  matched: SkuMatch | undefined,
  { tenant, kind, mark }: RowContext,
): Date | undefined {
  const { dto, path } = row;
  let newest = later(workspace.asOf(path), matched && workspace.asOf(matched.path));
  if (isBySku({ tenant, kind })) {
    newest = later(newest, lastSkuDeletion(workspace, tenant.tenantId, dto as UpsertProductDto));
  }
  // That no deletion was accepted since: one that has looked before the row is written does not find it, and a
  // tombstone that it leaves afterwards is too late.
  workspace.rely(mark);
  if (workspace.get(mark) === undefined || hasIdentities(workspace.get(path), dto, kind)) return newest;
  return later(newest, lastDeletion(workspace, tenant.tenantId, identitiesOf(row, kind)));
}

function merge(
  stored: DocumentData | undefined,
  dto: object,
  kind: RecordKind,
  tenant: Tenant,
  stamp: Stamp,
  now: Date,
): NewDocument {
  switch (kind) {
    case 'customers': {
      const patch = toPatch(dto, tenant);
      const record = stored ? applyPatch(fromDocument<CustomerRecord>(stored), patch) : createCustomer(patch, tenant);
      return toCustomerDocument(record, stamp);
    }
    case 'products': {
      const before = stored && fromDocument<ProductRecord>(stored);
      return toDocument(mergeProduct(before, dto as UpsertProductDto, tenant.productIdentifier), stamp);
    }
    case 'orders': {
      const before = stored && fromDocument<OrderRecord>(stored);
      return toDocument(mergeOrder(before, dto as UpsertOrderDto, tenant.orderCustomer, now), stamp);
    }
  }
}

function recordIdOf(dto: object, kind: RecordKind, tenant: Tenant): RecordId {
  switch (kind) {
    case 'customers':
      return customerRecordId(dto, tenant.customerIdentifier);
    case 'products':
      return productRecordId((dto as UpsertProductDto).ProductId);
    case 'orders':
      return orderRecordId((dto as UpsertOrderDto).OrderId);
  }
}

/** What a deletion of the row's record can be addressed to. */
function identitiesOf({ dto, id }: LocatedRow, kind: RecordKind): RecordId[] {
  return kind === 'customers' ? customerIdentities(dto) : [id];
}

function hasIdentities(stored: DocumentData | undefined, dto: object, kind: RecordKind): boolean {
  if (!stored || kind !== 'customers') return stored !== undefined;
  const known = new Set(customerIdentities(fromDocument(stored)));
  return customerIdentities(dto).every((identity) => known.has(identity));
}
