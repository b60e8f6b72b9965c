/**
 * Re-keying a tenant's records after its identifiers were changed (D-08): a pass over all of them, page by page. The
 * command makes a whole pass; the console one step after the other, each of which fits into a request.
 */
import type { AuditMeans } from '../audit/audit-log';
import { performStep } from '../audit/audit-log';
import { recordsPath, skusPath } from '../documents/paths';
import type { RecordKind } from '../domain/identity';
import type { Tenant } from '../domain/tenant';
import { REKEY_PAGE_DOCUMENTS, REKEY_STEP_MS, REKEYED_AT_ONCE } from '../limits/rekeying';
import { STALE_TENANT_MS } from '../limits/tenants';
import { inParallel } from '../platform/async/in-parallel';
import type { KeyKeeper, Operator } from './operator';
import { OperatorError } from './operator-error';
import type { PassCounts, PassPage, PassPlace, RekeyPass } from './rekeying/pass';
import { actOf, beginPass, findChange, findPass, isUnderWay, notePage, PHASES, totalOf } from './rekeying/pass';
import { rekeyRecord } from './rekeying/rekey-record';
import { areIdentifiersDifferent, requireTenant } from './tenants';
import { requireKeeperOf } from './tenants/configuration';

export type RekeyCounts = Omit<PassCounts, 'lookedAt'>;

export interface RekeyReport extends RekeyCounts {
  readonly tenantId: string;
  /**
   * When it has to be run once more, because work that began before the change may store records by the former
   * identifiers until then. Null: it does not.
   */
  readonly repeatAfter: Date | null;
  /** Consents of merged customers that only the younger record had, and that are withdrawn now (D-09). */
  readonly consentsWithdrawn: number;
  readonly customers: RekeyCounts;
  readonly products: RekeyCounts;
  readonly orders: RekeyCounts;
}

/** How far re-keying is, by what is stored. */
export interface Rekeying {
  /**
   * - `complete`: all records are keyed by the tenant's identifiers
   * - `due`: an identifier was changed, and a pass has to begin
   * - `unfinished`: a pass has begun and is not over
   * - `waiting`: a pass is over, and another one has to begin after `repeatAfter`
   */
  readonly state: 'complete' | 'due' | 'unfinished' | 'waiting';
  /** When an identifier was last changed; null: a pass was complete since. */
  readonly changedAt: Date | null;
  /** When a pass may begin that makes it complete; null: at any time. */
  readonly repeatAfter: Date | null;
  /** The last pass since the change; null: there is none. */
  readonly pass: Pick<RekeyPass, 'startedAt' | RecordKind | 'consentsWithdrawn'> | null;
}

/**
 * Re-keys all records of a tenant by its current settings, and applies pending deletions first. Goes on with a pass
 * that was stopped. A repeat is safe.
 * @throws OperatorError when there is no such tenant, it is being erased, or its identifiers are changed meanwhile
 */
export async function rekeyTenant(guid: string, operator: Operator): Promise<RekeyReport> {
  const tenant = await requireTenant(guid, operator);
  let pass = await beginPass(tenant, operator);
  while (pass.place) {
    pass = await rekeyPage(tenant, pass, pass.place, operator);
    const { lookedAt, moved, merged } = totalOf(pass);
    operator.progress(`${lookedAt} records looked at, ${moved} moved, ${merged} merged`);
  }
  const changedAt = await findChange(tenant.tenantId, operator);
  const { consentsWithdrawn, customers, products, orders } = pass;
  return {
    tenantId: tenant.tenantId,
    repeatAfter: changedAt && settledAt(changedAt),
    ...toCounts(totalOf(pass)),
    consentsWithdrawn,
    customers: toCounts(customers),
    products: toCounts(products),
    orders: toCounts(orders),
  };
}

/**
 * Does a part of what is left, for REKEY_STEP_MS, and says how far it is since. Where nothing is left, or not yet, it
 * does nothing. A repeat is safe, and so is another one at the same time.
 * @throws NotAllowed for a tenant whose settings the keeper may not change
 * @throws OperatorError as `rekeyTenant`
 */
export async function rekeyStep(guid: string, keeper: KeyKeeper): Promise<Rekeying> {
  const tenant = await requireTenant(guid, keeper);
  requireKeeperOf(tenant, keeper);
  const before = await readRekeying(tenant, keeper);
  if (before.state === 'complete' || before.state === 'waiting') return before;
  const endMs = keeper.clock.nowMs() + REKEY_STEP_MS;
  let pass = await beginPass(tenant, keeper);
  while (pass.place && keeper.clock.nowMs() < endMs) pass = await rekeyPage(tenant, pass, pass.place, keeper);
  return readRekeying(tenant, keeper);
}

/** How far the re-keying of a tenant is. */
export async function readRekeying(
  { tenantId }: Tenant,
  means: Pick<KeyKeeper, 'store' | 'deadline' | 'clock'>,
): Promise<Rekeying> {
  const [changedAt, pass] = await Promise.all([findChange(tenantId, means), findPass(tenantId, means)]);
  const isOfChange = pass?.changedAt?.getTime() === changedAt?.getTime();
  const repeatAfter = changedAt && settledAt(changedAt);
  const facts = { changedAt, repeatAfter, pass: pass && isOfChange ? toShown(pass) : null };
  if (isUnderWay(pass, changedAt)) return { state: 'unfinished', ...facts };
  if (!repeatAfter) return { state: 'complete', ...facts, pass: null };
  const isEarly = facts.pass !== null && means.clock.nowMs() < repeatAfter.getTime();
  return { state: isEarly ? 'waiting' : 'due', ...facts };
}

/** The time from which on nobody stores by the identifiers before a change. */
function settledAt(changedAt: Date): Date {
  return new Date(changedAt.getTime() + STALE_TENANT_MS);
}

function toShown({ startedAt, customers, products, orders, consentsWithdrawn }: RekeyPass) {
  return { startedAt, customers, products, orders, consentsWithdrawn };
}

function toCounts({ moved, merged }: RekeyCounts): RekeyCounts {
  return { moved, merged };
}

async function rekeyPage(tenant: Tenant, pass: RekeyPass, place: PassPlace, keeper: KeyKeeper): Promise<RekeyPass> {
  const page = await performStep(keeper, actOf(tenant), pass.beganAs, (means) =>
    place.phase === 'skus' ? dropSkus(tenant, place, means) : rekeyRecords(tenant, place, place.phase, means),
  );
  return notePage(tenant, pass, page, keeper);
}

async function rekeyRecords(tenant: Tenant, from: PassPlace, kind: RecordKind, means: AuditMeans): Promise<PassPage> {
  const paths = await listPage(recordsPath(tenant.tenantId, kind), from, means);
  // By now it may be under erasure, or have other settings: then nothing is written by those of the start.
  if (paths.length > 0 && areIdentifiersDifferent(await requireTenant(tenant.tenantId, means), tenant)) {
    throw new OperatorError('The identifiers of the tenant were changed meanwhile: re-keying has to begin again.');
  }
  const counts = { none: 0, moved: 0, merged: 0, consentsWithdrawn: 0 };
  await inParallel(paths, REKEYED_AT_ONCE, async (path) => {
    const { effect, consentsWithdrawn } = await rekeyRecord(path, kind, tenant, means);
    counts[effect] += 1;
    counts.consentsWithdrawn += consentsWithdrawn;
  });
  const { none: _none, ...done } = counts;
  return { from, next: placeAfter(tenant, from, paths), kind, counts: { ...done, lookedAt: paths.length } };
}

/** Removes the index of products by their Skus, page by page. */
async function dropSkus(tenant: Tenant, from: PassPlace, means: AuditMeans): Promise<PassPage> {
  const paths = await listPage(skusPath(tenant.tenantId), from, means);
  const removals = paths.map((path) => ({ delete: path }));
  if (removals.length > 0) await means.store.writeEach(removals, means.deadline());
  const counts = { lookedAt: 0, moved: 0, merged: 0, consentsWithdrawn: 0 };
  return { from, next: placeAfter(tenant, from, paths), kind: undefined, counts };
}

async function listPage(collection: string, { after }: PassPlace, { store, deadline }: AuditMeans): Promise<string[]> {
  const page = { limit: REKEY_PAGE_DOCUMENTS, ...(after !== null && { after }) };
  return (await store.listRefs(collection, page, deadline())).map(({ path }) => path);
}

/** Where a pass goes on after a page. The index of Skus stays where products are identified by them. */
function placeAfter({ productIdentifier }: Tenant, { phase }: PassPlace, paths: readonly string[]): PassPlace | null {
  const last = paths.at(-1);
  if (last !== undefined && paths.length === REKEY_PAGE_DOCUMENTS) return { phase, after: last };
  const rest = PHASES.slice(PHASES.indexOf(phase) + 1);
  const next = rest.find((other) => other !== 'skus' || productIdentifier !== 'sku');
  return next === undefined ? null : { phase: next, after: null };
}
