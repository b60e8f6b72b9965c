/** Rows of a file, valid and with the record that each is about. */
import { recordPath } from '../../../documents/paths';
import type { DeletionTarget } from '../../../domain/deletion';
import type { UpsertOrderDto } from '../../../domain/dto/order';
import type { UpsertProductDto } from '../../../domain/dto/product';
import type { RecordId, RecordKind } from '../../../domain/identity';
import { customerIdentities, customerRecordId, orderRecordId, productRecordId } from '../../../domain/identity';
import type { Tenant } from '../../../domain/tenant';

/** A valid row with its time. */
export interface TimedRow {
  /** The record to store. A row that only deletes has just the fields that identify its record. */
  readonly dto: object;
  /** When the row was true. A row that only deletes has the time of its last deletion. */
  readonly at: Date;
  /** From the oldest to the newest; absent: the row deletes nothing. */
  readonly deletions?: readonly TimedDeletion[];
  /** Nothing of the row is stored. */
  readonly deletesOnly?: true;
}

/** A deletion as of a moment, with its ids in their matching form. */
export interface TimedDeletion {
  readonly target: DeletionTarget;
  readonly at: Date;
}

/** A row with the record that it is about. */
export interface LocatedRow extends TimedRow {
  readonly id: RecordId;
  readonly path: string;
}

/** Finds the record that a valid row is about, by the identifiers of its tenant. */
export function locateRow(row: TimedRow, { tenant, kind }: Pick<RowContext, 'tenant' | 'kind'>): LocatedRow {
  const id = recordIdOf(row.dto, kind, tenant);
  return { ...row, id, path: recordPath(tenant.tenantId, kind, id) };
}

/** What all rows of a slice share. */
export interface RowContext {
  readonly tenant: Tenant;
  readonly kind: RecordKind;
  readonly revision: string;
  /** When their file was uploaded. */
  readonly uploadedAt: Date;
  /** For the default of `OrderDate`. */
  readonly now: Date;
}

/** Whether rows are products that are matched by the `Sku` of their variants. */
export function isBySku({ tenant, kind }: Pick<RowContext, 'tenant' | 'kind'>): boolean {
  return kind === 'products' && tenant.productIdentifier === 'sku';
}

/** Whether a row deletes anything. */
export function isDeleting(row: TimedRow): boolean {
  return row.deletions !== undefined;
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

/** The identities by which a deletion can name the row's record. */
export function identitiesOf({ dto, id }: LocatedRow, kind: RecordKind): RecordId[] {
  return kind === 'customers' ? customerIdentities(dto) : [id];
}
