/**
 * A pass of re-keying over all records of a tenant, and how far it is. It is stored after each page, so that whoever
 * comes later goes on with it: another request, or the command after it was stopped. Two who go on at once look at the
 * same records, which does no harm.
 */
import { beginSteps, endSteps, performStep } from '../../audit/audit-log';
import type { Act } from '../../audit/entry';
import type { StoredDocument } from '../../documents/document-store';
import { deletionFlagPath, rekeyPassPath } from '../../documents/paths';
import type { RecordKind } from '../../domain/identity';
import type { Tenant, TenantId } from '../../domain/tenant';
import { STALE_TENANT_MS } from '../../limits/tenants';
import { areKeyedBy, identifiersChangedAt, keyedWrite } from '../../workspace/customer-keys';
import { retryConflicts } from '../../workspace/retry-conflicts';
import type { KeyKeeper } from '../operator';

/** What it goes through, in this order. `skus` is the index of products by their Skus. */
export const PHASES = ['customers', 'skus', 'products', 'orders'] as const;
export type Phase = (typeof PHASES)[number];

/** Where a pass goes on. */
export type PassPlace = Readonly<{
  phase: Phase;
  /** The path of the last document that was looked at; null: it begins. */
  after: string | null;
}>;

/** `moved`: moved to another key or changed in place; `merged`: merged into another record. */
export type PassCounts = Readonly<Record<'lookedAt' | 'moved' | 'merged', number>>;

export interface RekeyPass extends Readonly<Record<RecordKind, PassCounts>> {
  readonly startedAt: Date;
  /** The last change of an identifier before it started; null: none since a pass that was complete. */
  readonly changedAt: Date | null;
  /** Its first entry in the audit log. */
  readonly beganAs: string;
  /** Null: it is over, and has to be repeated: work that began before the change may have stored records since. */
  readonly place: PassPlace | null;
  /** Consents of merged customers that only the younger record had, and that are withdrawn now (D-09). */
  readonly consentsWithdrawn: number;
}

type Means = Pick<KeyKeeper, 'store' | 'deadline'>;

const NOTHING: PassCounts = { lookedAt: 0, moved: 0, merged: 0 };
const START: PassPlace = { phase: 'customers', after: null };

export function actOf({ tenantId, organizationId }: Tenant): Act {
  return { action: 'tenants.rekey', tenantId, organizationId };
}

/** The last pass of a tenant; undefined: the last one was complete, or there was none. */
export async function findPass(tenantId: TenantId, means: Means): Promise<RekeyPass | undefined> {
  return toPass(await readPass(tenantId, means));
}

/** When an identifier of the tenant was last changed; null: a pass was complete since. */
export async function findChange(tenantId: TenantId, means: Means): Promise<Date | null> {
  return identifiersChangedAt((await readFlag(tenantId, means))?.data) ?? null;
}

/** Whether the pass is not over, and goes by the identifiers that the tenant has. */
export function isUnderWay(pass: RekeyPass | undefined, changedAt: Date | null): pass is RekeyPass {
  return Boolean(pass?.place) && pass?.changedAt?.getTime() === changedAt?.getTime();
}

/** Begins a pass, unless one is under way, which goes on then. */
export async function beginPass(tenant: Tenant, keeper: KeyKeeper): Promise<RekeyPass> {
  const { tenantId } = tenant;
  const deadline = keeper.deadline();
  let begun: RekeyPass | undefined;
  const attempt = async () => {
    const stored = await readPass(tenantId, keeper);
    // The change is read after the start was noted: one that comes in between is seen, or makes another pass needed.
    const startedAt = new Date(keeper.clock.nowMs());
    const changedAt = await findChange(tenantId, keeper);
    const former = toPass(stored);
    begun = isUnderWay(former, changedAt) ? former : undefined;
    if (begun) return [];
    const counts = { customers: NOTHING, products: NOTHING, orders: NOTHING, consentsWithdrawn: 0 };
    const outcome = await beginSteps(
      keeper,
      actOf(tenant),
      (beganAs) => {
        begun = { startedAt, changedAt, beganAs, place: START, ...counts };
        return [{ set: rekeyPassPath(tenantId), data: { ...begun }, when: stored?.version ?? 'absent' }];
      },
      deadline,
    );
    return outcome === 'conflict' ? [tenantId] : [];
  };
  await retryConflicts([tenantId], attempt, deadline, keeper);
  if (!begun) throw new Error('A pass that was begun without conflict is there.');
  return begun;
}

/** What a page has done, and where it began. */
export interface PassPage {
  readonly from: PassPlace;
  /** Where the pass goes on; null: this was the last page. */
  readonly next: PassPlace | null;
  /** The kind of the records; undefined: it was no page of records. */
  readonly kind: RecordKind | undefined;
  readonly counts: PassCounts & Pick<RekeyPass, 'consentsWithdrawn'>;
}

/**
 * Notes what a page has done, and after the last one that the pass is over. Then all customers are stored by the
 * tenant's identifier, if nobody could store one by another since the start.
 * @returns the pass as it is since; its place is null, too, when somebody else has ended it
 */
export async function notePage(tenant: Tenant, pass: RekeyPass, page: PassPage, keeper: KeyKeeper): Promise<RekeyPass> {
  const { tenantId } = tenant;
  const deadline = keeper.deadline();
  let noted: RekeyPass = { ...pass, place: null };
  const attempt = async () => {
    const stored = await readPass(tenantId, keeper);
    const current = toPass(stored);
    if (!stored || current?.beganAs !== pass.beganAs || !current.place) return [];
    noted = withPage(current, current.place, page);
    const outcome = noted.place
      ? await goOn(tenant, noted, stored, keeper)
      : await endPass(tenant, noted, stored, keeper);
    return outcome === 'conflict' ? [tenantId] : [];
  };
  await retryConflicts([tenantId], attempt, deadline, keeper);
  return noted;
}

async function goOn(tenant: Tenant, pass: RekeyPass, { path, version }: StoredDocument, keeper: KeyKeeper) {
  return performStep(keeper, actOf(tenant), pass.beganAs, ({ store, deadline }) =>
    store.commit([{ set: path, data: { ...pass }, when: version }], deadline()),
  );
}

async function endPass(tenant: Tenant, pass: RekeyPass, { path, version }: StoredDocument, keeper: KeyKeeper) {
  const { startedAt, changedAt, beganAs, consentsWithdrawn } = pass;
  const flag = await readFlag(tenant.tenantId, keeper);
  const lastChange = identifiersChangedAt(flag?.data);
  const isSettled =
    (lastChange?.getTime() ?? 0) + STALE_TENANT_MS <= startedAt.getTime() &&
    lastChange?.getTime() === changedAt?.getTime();
  const keyed = areKeyedBy(tenant, flag?.data) ? [] : [keyedWrite(tenant, flag, keeper.random)];
  const { moved, merged } = totalOf(pass);
  return endSteps(
    keeper,
    { ...actOf(tenant), after: { moved, merged, consentsWithdrawn } },
    beganAs,
    isSettled ? [...keyed, { delete: path, when: version }] : [{ set: path, data: { ...pass }, when: version }],
    keeper.deadline(),
  );
}

/** What a pass has done to records of all kinds. */
export function totalOf({ customers, products, orders }: RekeyPass): PassCounts {
  const all = [customers, products, orders];
  return all.reduce(plus, NOTHING);
}

function withPage(current: RekeyPass, place: PassPlace, { from, next, kind, counts }: PassPage): RekeyPass {
  const isFirst = comparePlaces(place, from) === 0; // else somebody else has looked at these records, too
  const { consentsWithdrawn, ...done } = isFirst ? counts : { ...counts, lookedAt: 0 };
  return {
    ...current,
    place: next && comparePlaces(place, next) > 0 ? place : next,
    ...(kind && { [kind]: plus(current[kind], done) }),
    consentsWithdrawn: current.consentsWithdrawn + consentsWithdrawn,
  };
}

function comparePlaces(a: PassPlace, b: PassPlace): number {
  const phases = PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase);
  if (phases !== 0 || a.after === b.after) return phases;
  return (a.after ?? '') < (b.after ?? '') ? -1 : 1;
}

function plus(a: PassCounts, b: PassCounts): PassCounts {
  return { lookedAt: a.lookedAt + b.lookedAt, moved: a.moved + b.moved, merged: a.merged + b.merged };
}

// Read without checks, because only the service writes it.
function toPass(document: StoredDocument | undefined): RekeyPass | undefined {
  return document?.data as RekeyPass | undefined;
}

function readPass(tenantId: TenantId, { store, deadline }: Means): Promise<StoredDocument | undefined> {
  return store.get(rekeyPassPath(tenantId), deadline());
}

function readFlag(tenantId: TenantId, { store, deadline }: Means): Promise<StoredDocument | undefined> {
  return store.get(deletionFlagPath(tenantId, 'customers'), deadline());
}
