/** What one commit of deletions changes: the records, their tombstones, and the deletions themselves. */
import type { Deadline } from '../deadline';
import type { DocumentStore, DocumentWrite, StoredDocument } from '../documents/document-store';
import type { CustomerRecord } from '../domain/customer';
import type { CustomerLookup } from '../domain/deletion';
import { customerLookups } from '../domain/deletion';
import { customerIdentities, keyIdentity } from '../domain/identity';
import { DELETION_STEP_RECORDS, DELETIONS_AT_ONCE } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { inParallel } from '../in-parallel';
import { lookUpCustomers } from '../records/customer-lookup';
import type { RecordDependencies } from '../records/record-dependencies';
import { fromDocument, newStamp } from '../records/record-documents';
import { applyToRecord, isSpared } from '../records/removed-records';
import { bury } from '../records/tombstones';
import { Workspace } from '../records/workspace';
import type { LoggedDeletion } from './deletion-log';
import { toHalfApplied, toRemoved } from './deletion-log';
import { InapplicableDeletion } from './set-aside';

/** What one commit does; nearly always the only one of its deletions. */
export interface Step {
  readonly writes: readonly DocumentWrite[];
  readonly isLast: boolean;
}

/**
 * Plans as many deletions as one commit takes.
 * @param deletions of one group, in their order
 * @throws InapplicableDeletion
 */
export async function planStep(
  tenant: Tenant,
  deletions: readonly LoggedDeletion[],
  deadline: Deadline,
  { store, random, clock }: RecordDependencies,
): Promise<Step> {
  const workspace = new Workspace(store, deadline);
  const matches = await findMatches(deletions, tenant, store, deadline);
  const applied: LoggedDeletion[] = [];
  let half: LoggedDeletion | undefined;
  for (const deletion of deletions) {
    const { target } = deletion;
    if (!target) throw new InapplicableDeletion('Its entry tells no records.');
    if (target.type === 'customer') {
      if (applied.length > 0 && !hasRoom(workspace, matches.get(deletion) ?? [])) break;
      half = await removeCustomers(workspace, tenant, deletion, matches.get(deletion) ?? []);
      if (half) break;
    } else {
      await applyToRecord(workspace, tenant, target, { ...deletion, stamp: newStamp(random) });
    }
    applied.push(deletion);
  }
  const now = new Date(clock.nowMs());
  const done = applied.flatMap((deletion) => toRemoved(tenant.tenantId, deletion, now));
  const isLast = applied.length === deletions.length;
  return {
    writes: [...workspace.toWrites(), ...done, ...(half ? [toHalfApplied(tenant.tenantId, half)] : [])],
    isLast,
  };
}

/**
 * The stored customers that an identifier of a deletion matches: one more than a step removes tells that there are
 * more.
 */
interface Match {
  readonly lookup: CustomerLookup;
  readonly found: readonly StoredDocument[];
}

/** What each deletion of customers matches, by its identifiers in their order of priority. */
async function findMatches(
  deletions: readonly LoggedDeletion[],
  tenant: Tenant,
  store: DocumentStore,
  deadline: Deadline,
): Promise<ReadonlyMap<LoggedDeletion, readonly Match[]>> {
  const matches = new Map<LoggedDeletion, readonly Match[]>();
  await inParallel(deletions, DELETIONS_AT_ONCE, async (deletion) => {
    const { target, matchedBy, matchedUpTo } = deletion;
    if (target?.type !== 'customer') return;
    const lookups = customerLookups(target, tenant.customerIdentifier).filter(
      ({ by }) => matchedBy === undefined || by === matchedBy,
    );
    const found = lookups.map(async (lookup) => ({
      lookup,
      found: await lookUpCustomers(tenant.tenantId, lookup, DELETION_STEP_RECORDS + 1, store, deadline, matchedUpTo),
    }));
    matches.set(deletion, await Promise.all(found));
  });
  return matches;
}

/** Whether a step that removes customers already can remove these, too. */
function hasRoom(workspace: Workspace, matches: readonly Match[]): boolean {
  const most = Math.max(0, ...matches.map(({ found }) => found.length));
  return workspace.changedPaths().length + most <= DELETION_STEP_RECORDS;
}

/** Removes the customers that a deletion matches, or as many as one step takes: then the deletion as it goes on. */
async function removeCustomers(
  workspace: Workspace,
  tenant: Tenant,
  deletion: LoggedDeletion,
  matches: readonly Match[],
): Promise<LoggedDeletion | undefined> {
  workspace.adopt(matches.flatMap(({ found }) => found));
  const left = matches.map(({ lookup, found }) => ({
    lookup,
    found: found.filter(({ path }) => workspace.get(path) !== undefined), // not removed by a deletion before this one
  }));
  const match = left.find(({ found }) => found.length > 0);
  const counted = match ? [match] : left; // where nothing matches, every identifier of the deletion counts
  const found = match?.found ?? [];
  const looked = found.slice(0, DELETION_STEP_RECORDS);
  const removed = looked.filter(({ path }) => !isSpared(deletion, workspace.asOf(path)));
  const isMore = found.length > DELETION_STEP_RECORDS;
  for (const { path } of removed) workspace.put(path, undefined);
  const identities = counted.flatMap(({ lookup: { by, value } }) =>
    customerIdentities(by === 'email' ? { Email: value } : { CustomerId: value }),
  );
  const keys = removed.flatMap(({ data }) =>
    keyIdentity(fromDocument<CustomerRecord>(data), tenant.customerIdentifier),
  );
  await bury(workspace, tenant.tenantId, [...keys, ...identities], deletion.acceptedAt);
  if (!match || !isMore) return undefined;
  // Once some are removed, the identifier that found them must stay the one that counts (D-43). Those that are spared
  // are found each time, unless the next step begins after them.
  const upTo = removed.length < looked.length ? looked.at(-1)?.path : undefined;
  return { ...deletion, matchedBy: match.lookup.by, ...(upTo !== undefined && { matchedUpTo: upTo }) };
}
