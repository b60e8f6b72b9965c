/** The operators' use case that tells which accepted deletions wait, of a tenant or of all tenants. */
import { listPendingDeletions } from '../../deletions/pending-deletions';
import type { DocumentRef, StoredDocument } from '../../documents/document-store';
import { versionTime } from '../../documents/document-store';
import {
  idOf,
  RAISED_FLAGS,
  raisedFlagPath,
  SET_ASIDE_DELETIONS,
  setAsideDeletionsPath,
  tenantIdOf,
  wideDeletionsPath,
} from '../../documents/paths';
import type { RecordKind } from '../../domain/identity';
import { RECORD_KINDS } from '../../domain/identity';
import {
  MAX_SHOWN_SET_ASIDE,
  MAX_WAITING_DELETIONS,
  MAX_WAITING_FLAGS,
  WAITING_FLAGS_AT_ONCE,
} from '../../limits/deletions';
import { inParallel } from '../../platform/async/in-parallel';
import type { Scope } from '../inputs';
import type { Operator } from '../operator';
import { requireGuid } from '../tenants';

/** Deletions of a tenant and kind that are accepted and not applied yet. */
export interface PendingOfKind {
  readonly tenantId: string;
  readonly kind: RecordKind;
  /** Records and customers that they are about, as far as they were looked at. */
  readonly count: number;
  /** There are more than were looked at. */
  readonly isMore: boolean;
  /** When that of them was accepted that waits longest; where a record has several, its last one counts. */
  readonly oldestAt: string;
}

/** A deletion that cannot be applied, and waits for an operator. */
export interface SetAsideRef {
  readonly tenantId: string;
  readonly deletionId: string;
  readonly reason: string;
}

export interface WaitingDeletions {
  /** Those that wait longest first. */
  readonly pending: readonly PendingOfKind[];
  readonly setAside: readonly SetAsideRef[];
  /** Not all tenants and kinds, or not all that were set aside, were looked at. */
  readonly isMore: boolean;
}

/**
 * The deletions that wait, by tenant and kind, and those that were set aside. What it reads grows with the number of
 * deletions that wait, up to its bounds, and not with that of tenants. A tenant that does not exist has none. @throws
 * OperatorError
 */
export async function listWaitingDeletions({ tenant }: Scope, operator: Operator): Promise<WaitingDeletions> {
  const { store, deadline } = operator;
  const tenantId = tenant === undefined ? undefined : requireGuid(tenant);
  const setAsidePage = { limit: MAX_SHOWN_SET_ASIDE };
  const [flags, setAside] = await Promise.all([
    tenantId === undefined
      ? store.listGroup(RAISED_FLAGS, { limit: MAX_WAITING_FLAGS }, deadline())
      : store.getAll(
          RECORD_KINDS.map((kind) => raisedFlagPath(tenantId, kind)),
          deadline(),
        ),
    tenantId === undefined
      ? store.listGroup(SET_ASIDE_DELETIONS, setAsidePage, deadline())
      : store.list(setAsideDeletionsPath(tenantId), setAsidePage, deadline()),
  ]);
  const pending: PendingOfKind[] = [];
  await inParallel(flags, WAITING_FLAGS_AT_ONCE, async ({ path }) => {
    const kind = RECORD_KINDS.find((one) => one === idOf(path));
    const found = kind && (await findPending(tenantIdOf(path), kind, operator));
    if (found) pending.push(found);
  });
  pending.sort((a, b) => (a.oldestAt < b.oldestAt ? -1 : 1));
  const isMore = flags.length === MAX_WAITING_FLAGS || setAside.length === MAX_SHOWN_SET_ASIDE;
  return { pending, setAside: setAside.map(toSetAsideRef), isMore };
}

/** Undefined: none is pending, and the flag will be lowered. */
async function findPending(
  tenantId: string,
  kind: RecordKind,
  { store, deadline }: Operator,
): Promise<PendingOfKind | undefined> {
  const page = { limit: MAX_WAITING_DELETIONS };
  const [own, wide] = await Promise.all([
    listPendingDeletions(tenantId, kind, page, store, deadline()),
    kind === 'customers' ? store.listRefs(wideDeletionsPath(tenantId), page, deadline()) : [],
  ]);
  const times = [...own, ...wide].map(({ version }: Pick<DocumentRef, 'version'>) => versionTime(version).getTime());
  if (times.length === 0) return undefined;
  const oldestAt = new Date(Math.min(...times)).toISOString();
  const isMore = own.length === page.limit || wide.length === page.limit;
  return { tenantId, kind, count: times.length, isMore, oldestAt };
}

// Read without a check, because only the service writes these documents.
function toSetAsideRef({ path, data }: StoredDocument): SetAsideRef {
  return { tenantId: tenantIdOf(path), deletionId: idOf(path), reason: data.reason as string };
}
