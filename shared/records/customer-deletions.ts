/**
 * Rows of a file that delete customers. Which customers one deletes only a query tells, and there may be very
 * many. So the deletion enters the log of accepted deletions in the commit of its row: from then on whoever writes
 * customers applies it first, in as many commits as it takes. An entry spares what is newer than it (D-54).
 */
import { acceptedAsOf } from '../deletions/deletion-log';
import type { StoredDocument } from '../documents/document-store';
import { customerLookups } from '../domain/deletion';
import type { DeletionTarget } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { customerIdentities } from '../domain/identity';
import { MATCHED_ROWS_AT_ONCE, MATCHES_LOOKED_AT } from '../domain/limits';
import type { Tenant } from '../domain/tenant';
import { inParallel } from '../in-parallel';
import { lookUpCustomers } from './customer-lookup';
import type { LocatedRow, RowContext, TimedDeletion } from './located-row';
import { isDeleting } from './located-row';
import { asOf, fromDocument } from './record-documents';
import { deletedAtOf, tombstonePaths } from './tombstones';
import type { Workspace } from './workspace';

/** What a query has found for a row that deletes customers. */
interface Matched {
  /** Any that are not newer than the row, only newer ones, or none. */
  readonly found: 'older' | 'newer' | 'none';
  /** The identities of those that were looked at: nearly always all. */
  readonly identities: readonly RecordId[];
}

/** Digits of a number that, behind a stamp of 12 characters, makes the 20 of an id in the log. */
const UNIQUE_DIGITS = 8;

export class CustomerDeletions {
  private readonly matched = new Map<LocatedRow, Matched>();
  /** The identities of customers that rows have stored in this commit, or deleted. */
  private readonly stored = new Set<RecordId>();
  private readonly deleted = new Set<RecordId>();
  /** Deletions that entered the log. */
  private accepted = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly context: RowContext,
  ) {}

  /** Looks for the customers that rows delete. To be called before any of the rows is placed. */
  async match(rows: readonly LocatedRow[]): Promise<void> {
    await inParallel(rows, MATCHED_ROWS_AT_ONCE, async (row) => {
      const [deletion] = row.deletions ?? [];
      if (deletion?.target.type !== 'customer') return;
      this.matched.set(row, await matchCustomers(this.workspace, this.context.tenant, deletion.target, deletion.at));
    });
  }

  /** Whether it is known what a row matches, if it deletes. */
  isMatched(row: LocatedRow): boolean {
    return !isDeleting(row) || this.matched.has(row);
  }

  /** Whether a row is about a customer of a row before it, and one of the two deletes. */
  mustWait(row: LocatedRow): boolean {
    if (this.matched.size === 0) return false;
    const identities = this.concernedBy(row);
    const isOf = (known: ReadonlySet<RecordId>) => identities.some((identity) => known.has(identity));
    return isOf(this.deleted) || (isDeleting(row) && isOf(this.stored));
  }

  /** Notes the customers of a row that is placed next. */
  note(row: LocatedRow): void {
    if (this.matched.size === 0) return;
    const known = isDeleting(row) ? this.deleted : this.stored;
    for (const identity of this.concernedBy(row)) known.add(identity);
  }

  /** Enters the deletion of a row into the log, unless something newer is stored, or was deleted where nothing is. */
  accept(row: LocatedRow, deletions: readonly TimedDeletion[]): 'deleted' | 'stale' {
    const { workspace, context } = this;
    const { tenantId } = context.tenant;
    const { kind, mark, stamp } = context;
    workspace.rely(mark); // a deletion that was accepted since can be newer
    const found = this.matched.get(row)?.found;
    const isNewer = (path: string) => (deletedAtOf(workspace.get(path)) ?? row.at) > row.at;
    const tombstones = tombstonePaths(tenantId, customerIdentities(row.dto));
    if (found === 'newer' || (found === 'none' && tombstones.every(isNewer))) return 'stale';
    for (const { target, at } of deletions) {
      const unique = `${stamp}${String(this.accepted).padStart(UNIQUE_DIGITS, '0')}`;
      this.accepted += 1;
      const log = acceptedAsOf({ tenantId, kind }, target, at, workspace.get(mark), unique);
      workspace.assumeAbsent([log.path]);
      workspace.put(log.path, log.entry);
      workspace.put(mark, log.mark);
    }
    return 'deleted';
  }

  /** The identities of the customers that a row is about: its own, and those of the records that it changes. */
  private concernedBy(row: LocatedRow): readonly RecordId[] {
    const own = customerIdentities(row.dto);
    if (isDeleting(row)) return [...own, ...(this.matched.get(row)?.identities ?? [])];
    const stored = this.workspace.get(row.path);
    return stored ? [...own, ...customerIdentities(fromDocument(stored))] : own;
  }
}

/**
 * What a deletion of customers as of a moment matches: what its first identifier finds or, if that finds nothing, the
 * other one (D-43).
 */
async function matchCustomers(
  { store, deadline }: Workspace,
  { tenantId, customerIdentifier }: Tenant,
  target: Extract<DeletionTarget, { readonly type: 'customer' }>,
  at: Date,
): Promise<Matched> {
  const identities: RecordId[] = [];
  for (const lookup of customerLookups(target, customerIdentifier)) {
    let last: StoredDocument | undefined;
    for (;;) {
      const page = await lookUpCustomers(tenantId, lookup, MATCHES_LOOKED_AT, store, deadline, last?.path);
      identities.push(...page.flatMap(({ data }) => customerIdentities(fromDocument(data))));
      if (page.some((customer) => asOf(customer) <= at)) return { found: 'older', identities };
      last = page.at(-1) ?? last;
      if (page.length < MATCHES_LOOKED_AT) break;
    }
    if (last) return { found: 'newer', identities: [] }; // nothing is done to them
  }
  return { found: 'none', identities };
}
