/**
 * What a deletion does to an order or a product, or to a part of one: the same for one that was accepted through the
 * API and for a row of a file.
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

/** When a deletion was made, and what it spares. */
export interface DeletionTime {
  readonly acceptedAt: Date;
  /** It does nothing to a record that is newer than it (D-54); else upserts have waited for it, and nothing can be. */
  readonly sparesNewer?: boolean;
  /** What was last written until then came with a restore from before the deletion: it is older than it. */
  readonly restoredAt?: Date;
}

/** A deletion, and what its change is written with. */
interface Change extends DeletionTime {
  readonly revision: string;
}

/** Whether a deletion does nothing to the record at this path, which is loaded: one that is not there is not spared. */
export function isSpared(deletion: DeletionTime, path: string, workspace: Workspace): boolean {
  return isNewer(deletion, workspace.asOf(path), workspace.writtenAt(path));
}

function isNewer(
  { sparesNewer, acceptedAt, restoredAt }: DeletionTime,
  asOf: Date | undefined,
  writtenAt: Date | undefined,
): boolean {
  const isRestored = restoredAt && writtenAt && writtenAt <= restoredAt;
  return sparesNewer === true && !isRestored && asOf !== undefined && asOf > acceptedAt;
}

/**
 * Notes in the workspace what the deletion of a part makes of an order or a product, and of the index by `Sku`. For
 * many parts of one record see `PartsRemoval`.
 */
export async function removePart(
  workspace: Workspace,
  tenant: Tenant,
  target: PartTarget,
  change: Change,
): Promise<void> {
  const parts = await PartsRemoval.open(workspace, tenant, target);
  parts.remove(target, change);
  await parts.finish(change.revision);
}

/**
 * The same for a whole record.
 * @returns false: the record is newer, and nothing changed
 */
export async function removeRecord(
  workspace: Workspace,
  tenant: Tenant,
  target: RecordTarget,
  change: Change,
): Promise<boolean> {
  const { id, path } = locate(target, tenant.tenantId);
  await workspace.load([path]);
  if (isSpared(change, path, workspace)) return false;
  const data = workspace.get(path);
  workspace.put(path, undefined);
  await addTombstones(workspace, tenant.tenantId, [id], change.acceptedAt, partDeletionsOf(data));
  if (data && target.type === 'product' && tenant.productIdentifier === 'sku') {
    const before = fromDocument<ProductRecord>(data);
    await workspace.load(skuEntryPaths(tenant.tenantId, [before]));
    reindex(workspace, tenant.tenantId, id, before, undefined, () => change.acceptedAt);
  }
  return true;
}

/**
 * A stored record, or none, while deletions of its parts are applied to it, one after the other: it is looked through
 * and written once. Nobody else changes it in the workspace meanwhile.
 *
 * A record of which a part was removed is as new as that deletion, so that an older file does not bring the part back.
 * One that does not hold the part stays as old as it was, and remembers the deletion for the rows of older files; one
 * that has no room for that becomes as new as the deletion instead.
 */
export class PartsRemoval {
  private asOf: Date | undefined;
  private readonly writtenAt: Date | undefined;
  private readonly left: RemainingParts<RecordWithParts> | undefined;
  /** Of variants that were removed: when, by the entry of their Sku. */
  private readonly removedSkus = new Map<string, Date>();
  private isAnyRemoved = false;
  private missed: PartDeletion[] = [];
  private addedBytes = 0;

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
    this.left = data && new RemainingParts(fromDocument<RecordWithParts>(data), tenant.productIdentifier);
    this.addedBytes = data ? documentBytes(data) : 0;
  }

  /** Reads the record, if it is not read yet. */
  static async open(workspace: Workspace, tenant: Tenant, target: PartTarget): Promise<PartsRemoval> {
    const { kind, id, path } = locate(target, tenant.tenantId);
    await workspace.load([path]);
    return new PartsRemoval(workspace, tenant, kind, id, path);
  }

  /** Stored bytes of what is to be written, at most. */
  get bytes(): number {
    return this.addedBytes;
  }

  /** Applies one deletion. @returns false: the record is newer, and nothing changed */
  remove(target: PartTarget, deletion: DeletionTime): boolean {
    const { acceptedAt } = deletion;
    if (isNewer(deletion, this.asOf, this.writtenAt)) return false;
    const removed = this.left?.remove(target) ?? [];
    if (removed.length > 0) {
      this.isAnyRemoved = true;
      this.asOf = later(this.asOf, acceptedAt);
      for (const part of removed) this.noteSku(part as { readonly Sku: string }, acceptedAt);
    } else if (!deletion.sparesNewer || !this.asOf || this.asOf < acceptedAt) {
      // A row that is older than a record which is as old as the deletion yields to that record.
      const buried = { target, deletedAt: acceptedAt };
      this.missed.push(buried);
      if (this.missed.length > MISSED_PARTS_AT_ONCE) this.missed = mergePartDeletions(this.missed, []);
      this.addedBytes += valueBytes({ ...buried });
    }
    return true;
  }

  /** Puts all changes into the workspace. To be called once. */
  async finish(revision: string): Promise<void> {
    const { workspace, tenant, id, path, left, missed } = this;
    if (!this.isAnyRemoved && missed.length === 0) return;
    const data = workspace.get(path);
    if (!left || !data) return addPartDeletions(workspace, tenant.tenantId, id, missed);
    const remembered = mergePartDeletions(partDeletionsOf(data), missed);
    const toData = (asOf: Date | undefined, buried: readonly PartDeletion[]) => ({
      ...toDocument(left.toRecord(), datedRevision(revision, asOf)),
      ...toPartDeletionsField(buried),
    });
    const { asOf } = this;
    const after = toData(asOf, this.isAnyRemoved && asOf ? deletedAfter(remembered, asOf) : remembered);
    const newest = missed.reduce((time, { deletedAt }) => later(time, deletedAt), asOf);
    const isHeld = documentBytes(after) <= MAX_RECORD_BYTES || !newest;
    workspace.put(path, isHeld ? after : toData(newest, deletedAfter(remembered, newest)));
    if (this.removedSkus.size === 0) return;
    await workspace.load([...this.removedSkus.keys()]);
    const [before, rest] = [fromDocument<ProductRecord>(data), left.toRecord() as ProductRecord];
    reindex(workspace, tenant.tenantId, id, before, rest, (entry) => this.removedSkus.get(entry));
  }

  private noteSku({ Sku }: { readonly Sku: string }, deletedAt: Date): void {
    if (this.tenant.productIdentifier !== 'sku' || this.kind !== 'products') return;
    const entry = skuPath(this.tenant.tenantId, skuEntryId(Sku));
    if (!this.removedSkus.has(entry)) this.addedBytes += SKU_ENTRY_BYTES;
    this.removedSkus.set(entry, later(this.removedSkus.get(entry), deletedAt) ?? deletedAt);
  }
}

function locate(target: RecordTarget | PartTarget, tenantId: string) {
  const [kind, id] =
    'orderId' in target
      ? (['orders', orderRecordId(target.orderId)] as const)
      : (['products', productRecordId(target.productId)] as const);
  return { kind, id, path: recordPath(tenantId, kind, id) };
}
