/**
 * Removes orders and products, or parts of them, in a workspace. Deletions that were accepted through the API and
 * deletions by rows of a file both work this way.
 */
import { recordPath, skuPath } from '../documents/paths';
import { later } from '../domain/values/date-time';
import type { DeletionTarget, PartTarget } from '../domain/deletion';
import { documentBytes, valueBytes } from '../domain/records/document';
import type { RecordId } from '../domain/identity';
import { orderRecordId, productRecordId, skuEntryId } from '../domain/identity';
import { MAX_RECORD_BYTES, MISSED_PARTS_AT_ONCE, SKU_ENTRY_BYTES } from '../limits/records';
import type { ProductRecord } from '../domain/records/product';
import type { RecordWithParts } from '../domain/records/removed-parts';
import { RemainingParts } from '../domain/records/removed-parts';
import type { Tenant } from '../domain/tenant';
import { datedRevision, fromDocument, toDocument } from './record-documents';
import { reindex, skuEntryPaths } from './sku-index';
import type { PartDeletion } from './tombstones';
import {
  addTombstones,
  partDeletionsOf,
  addPartDeletions,
  deletedAfter,
  toPartDeletionsField,
  mergePartDeletions,
} from './tombstones';
import type { Workspace } from './workspace';

/** A whole product or order. */
export type RecordTarget = Extract<DeletionTarget, { type: 'order' | 'product' }>;

/** When a deletion was accepted, and which records it spares. */
export interface DeletionTime {
  readonly acceptedAt: Date;
  /**
   * Whether the deletion spares records that are newer than it (D-54). Omitted: no record can be newer, because upserts
   * have waited for the deletion.
   */
  readonly sparesNewer?: boolean;
  /**
   * The time of a restore from before the deletion. A record that was last written until then counts as older than the
   * deletion.
   */
  readonly restoredAt?: Date;
}

/** A deletion, and the id of the revision that its change is written with. */
interface Change extends DeletionTime {
  readonly revision: string;
}

/** Whether a deletion spares the record at this path, which must be loaded. A missing record is not spared. */
export function isSpared(deletion: DeletionTime, path: string, workspace: Workspace): boolean {
  return isNewer(deletion, workspace.asOf(path), workspace.writtenAt(path));
}

/** Whether a deletion spares a record of these times. */
export function isNewer(
  { sparesNewer, acceptedAt, restoredAt }: DeletionTime,
  asOf: Date | undefined,
  writtenAt: Date | undefined,
): boolean {
  const isRestored = restoredAt && writtenAt && writtenAt <= restoredAt;
  return sparesNewer === true && !isRestored && asOf !== undefined && asOf > acceptedAt;
}

/**
 * Removes a whole order or product in the workspace, also from the Sku index, and adds its tombstone.
 * @returns false: the record is spared, and nothing changed
 */
export async function removeRecord(
  workspace: Workspace,
  tenant: Tenant,
  target: RecordTarget,
  change: Change,
): Promise<boolean> {
  const { kind, id, path } = locate(target, tenant.tenantId);
  await workspace.load([path]);
  if (isSpared(change, path, workspace)) return false;
  const data = workspace.get(path);
  workspace.put(path, undefined);
  await addTombstones(workspace, tenant.tenantId, kind, [id], change.acceptedAt, partDeletionsOf(data));
  if (data && target.type === 'product' && tenant.productIdentifier === 'sku') {
    const before = fromDocument<ProductRecord>(data);
    await workspace.load(skuEntryPaths(tenant.tenantId, [before]));
    reindex(workspace, tenant.tenantId, id, before, undefined, () => change.acceptedAt);
  }
  return true;
}

/**
 * Applies many deletions of parts to one record, which may be missing. The record is searched and written only once.
 * Nothing else may change it in the workspace meanwhile.
 *
 * A record that loses a part becomes as new as that deletion, so an older file does not bring the part back. A record
 * that does not hold the part keeps its age, and keeps the deletion for the rows of older files. If its document has no
 * room for that, the record becomes as new as the deletion instead.
 */
export class PartsRemoval {
  private asOf: Date | undefined;
  private readonly writtenAt: Date | undefined;
  private readonly remaining: RemainingParts<RecordWithParts> | undefined;
  /** When variants were removed, by the path of the index entry of their Sku. */
  private readonly removedSkus = new Map<string, Date>();
  private isAnyRemoved = false;
  /** Deletions of parts that the record does not hold. */
  private missed: PartDeletion[] = [];
  private maxBytes = 0;

  private constructor(
    private readonly workspace: Workspace,
    private readonly tenant: Tenant,
    private readonly kind: 'orders' | 'products',
    private readonly id: RecordId,
    private readonly path: string,
  ) {
    const data = workspace.get(path);
    this.asOf = workspace.asOf(path);
    this.writtenAt = workspace.writtenAt(path);
    this.remaining = data && new RemainingParts(fromDocument<RecordWithParts>(data), tenant.productIdentifier);
    this.maxBytes = data ? documentBytes(data) : 0;
  }

  /** Loads the record if it is not loaded yet. */
  static async open(workspace: Workspace, tenant: Tenant, target: PartTarget): Promise<PartsRemoval> {
    const { kind, id, path } = locate(target, tenant.tenantId);
    await workspace.load([path]);
    return new PartsRemoval(workspace, tenant, kind, id, path);
  }

  /** Maximum stored bytes of the changes. */
  get bytes(): number {
    return this.maxBytes;
  }

  /** Applies one deletion. @returns false: the record is spared, and nothing changed */
  remove(target: PartTarget, deletion: DeletionTime): boolean {
    const { acceptedAt } = deletion;
    if (isNewer(deletion, this.asOf, this.writtenAt)) return false;
    const removed = this.remaining?.remove(target) ?? [];
    if (removed.length > 0) {
      this.isAnyRemoved = true;
      this.asOf = later(this.asOf, acceptedAt);
      for (const part of removed) this.addRemovedSku(part as { readonly Sku: string }, acceptedAt);
    } else if (!deletion.sparesNewer || !this.asOf || this.asOf < acceptedAt) {
      // Else the record is as new as the deletion: every row that the deletion affects is older, and yields to it.
      const missed = { target, deletedAt: acceptedAt };
      this.missed.push(missed);
      if (this.missed.length > MISSED_PARTS_AT_ONCE) this.missed = mergePartDeletions(this.missed, []);
      this.maxBytes += valueBytes({ ...missed });
    }
    return true;
  }

  /** Puts all changes into the workspace. Must be called only once. */
  async finish(revision: string): Promise<void> {
    const { workspace, tenant, kind, id, path, remaining, missed } = this;
    if (!this.isAnyRemoved && missed.length === 0) return;
    const data = workspace.get(path);
    if (!remaining || !data) return addPartDeletions(workspace, tenant.tenantId, kind, id, missed);
    const partDeletions = mergePartDeletions(partDeletionsOf(data), missed);
    const toData = (asOf: Date | undefined, kept: readonly PartDeletion[]) => ({
      ...toDocument(remaining.toRecord(), datedRevision(revision, asOf)),
      ...toPartDeletionsField(kept),
    });
    const { asOf } = this;
    const after = toData(asOf, this.isAnyRemoved && asOf ? deletedAfter(partDeletions, asOf) : partDeletions);
    const newest = missed.reduce((time, { deletedAt }) => later(time, deletedAt), asOf);
    const isFitting = documentBytes(after) <= MAX_RECORD_BYTES || !newest;
    workspace.put(path, isFitting ? after : toData(newest, deletedAfter(partDeletions, newest)));
    if (this.removedSkus.size === 0) return;
    await workspace.load([...this.removedSkus.keys()]);
    const before = fromDocument<ProductRecord>(data);
    const rest = remaining.toRecord() as ProductRecord;
    reindex(workspace, tenant.tenantId, id, before, rest, (entry) => this.removedSkus.get(entry));
  }

  private addRemovedSku({ Sku }: { readonly Sku: string }, deletedAt: Date): void {
    if (this.tenant.productIdentifier !== 'sku' || this.kind !== 'products') return;
    const entry = skuPath(this.tenant.tenantId, skuEntryId(Sku));
    if (!this.removedSkus.has(entry)) this.maxBytes += SKU_ENTRY_BYTES;
    this.removedSkus.set(entry, later(this.removedSkus.get(entry), deletedAt) ?? deletedAt);
  }
}

/** Where the record of a target is stored. */
export function locate(target: RecordTarget | PartTarget, tenantId: string) {
  const [kind, id] =
    'orderId' in target
      ? (['orders', orderRecordId(target.orderId)] as const)
      : (['products', productRecordId(target.productId)] as const);
  return { kind, id, path: recordPath(tenantId, kind, id) };
}
