/**
 * The pending wide deletions (`wide-deletions.ts`), which may be thousands. Each is a document with the id of the
 * identity that it deletes. Only those matter to a reader that delete an identity of the customers which it writes or
 * looks at: what is stored of them, and what will be. Those are read by their ids, and only where a short list does not
 * tell that there are none.
 *
 * They are read after the customers, which is safe beside other writers. One that is found was pending while the
 * customers were read, or was accepted later: whoever has written one of them since its acceptance has found it, too,
 * and left a tombstone, or wrote at the same time. One that is not found any more was applied to the customers that
 * were read. A customer that changes after it was read is newer than all deletions accepted before, and its writer has
 * seen to them.
 */
import type { Deadline } from '../platform/deadline';
import type { DocumentReads, StoredDocument, Version } from '../documents/document-store';
import { allDocuments } from '../documents/pages';
import { idOf, wideDeletionPath, wideDeletionsPath } from '../documents/paths';
import type { DocumentData } from '../domain/records/document';
import { parseDeletionId, toDeletionId } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { FEW_WIDE_DELETIONS, MAX_EARLIER_ACCEPTANCES } from '../limits/deletions';
import { MATCHING_CUSTOMER_ID, MATCHING_EMAIL } from '../workspace/record-documents';
import type { PendingDocument } from './pending-deletions';
import { acceptanceTimeOf } from './pending-deletions';
import type { PendingFlag } from './pending-flag';

export interface WideDeletion {
  readonly deletionId: string;
  readonly path: string;
  readonly version: Version;
  /** Its document. */
  readonly data: DocumentData;
  /** The field of a customer that holds the identity. */
  readonly field: string;
  readonly identity: RecordId;
  /** The path of the last customer that was looked at. Undefined: none yet. */
  readonly after: string | undefined;
  /**
   * The identity may be deleted again before all of its customers are removed. Each of these counts, from the first to
   * the last one, because a customer is gone as of the first one that targets him. There is at least one.
   */
  readonly acceptances: readonly WideAcceptance[];
}

export interface WideAcceptance {
  readonly acceptedAt: Date;
  /** The version that the accepting commit gave the document. */
  readonly acceptedVersion: Version;
  /** See `PendingDeletion`. */
  readonly isRetried: boolean;
  /** See `PendingDeletion`. */
  readonly restoredAt: Date | undefined;
}

/** The pending wide deletions of a tenant, as one reader needs them. */
export class PendingWideDeletions {
  private constructor(
    private readonly tenantId: string,
    /** The paths of all of them. Undefined: they are many. */
    private readonly paths: ReadonlySet<string> | undefined,
    private readonly store: DocumentReads,
    private readonly deadline: Deadline,
  ) {}

  /** Covers every deletion that was accepted before the flag was read. Where the flag says none, nothing is read. */
  static async find(
    tenantId: string,
    flag: Pick<PendingFlag, 'hasWide'> | undefined,
    store: DocumentReads,
    deadline: Deadline,
  ): Promise<PendingWideDeletions> {
    const page = { limit: FEW_WIDE_DELETIONS };
    const first = flag?.hasWide ? await store.list(wideDeletionsPath(tenantId), page, deadline) : [];
    const paths = first.length < FEW_WIDE_DELETIONS ? new Set(first.map(({ path }) => path)) : undefined;
    return new PendingWideDeletions(tenantId, paths, store, deadline);
  }

  /** Whether none was pending. */
  get isEmpty(): boolean {
    return this.paths?.size === 0;
  }

  /** One of these alone. */
  only({ path }: WideDeletion): PendingWideDeletions {
    return new PendingWideDeletions(this.tenantId, new Set([path]), this.store, this.deadline);
  }

  /** Those that can target these customers, which must have been read before, and those of further identities. */
  async of(customers: readonly StoredDocument[], identities: readonly RecordId[] = []): Promise<WideDeletion[]> {
    if (this.isEmpty) return [];
    const own = new Set([...customers.flatMap(matchedIdentities), ...identities]);
    const paths = [...own].map((identity) => wideDeletionPathFor(this.tenantId, identity));
    const known = paths.filter((path) => this.paths?.has(path) ?? true);
    const found = known.length > 0 ? await this.store.getAll(known, this.deadline) : [];
    return found.flatMap((document) => toWide(document) ?? []);
  }
}

/** All pending wide deletions of a tenant, a page of them in memory. */
export async function* allWideDeletions(
  tenantId: string,
  store: DocumentReads,
  deadline: Deadline,
): AsyncGenerator<WideDeletion> {
  for await (const document of allDocuments(store, wideDeletionsPath(tenantId), () => deadline)) {
    const wide = toWide(document);
    if (wide) yield wide;
  }
}

/** The path of the wide deletion of an identity. */
export function wideDeletionPathFor(tenantId: string, identity: RecordId): string {
  return wideDeletionPath(tenantId, toDeletionId('customers', identity));
}

/** The wide deletion in a document. Undefined: there is none. */
export function toWide({ path, data, version }: PendingDocument): WideDeletion | undefined {
  const deletionId = idOf(path);
  const identity = parseDeletionId(deletionId)?.id;
  if (identity === undefined || typeof data.field !== 'string') return undefined;
  const after = typeof data.after === 'string' ? data.after : undefined;
  const earlier = (data.earlier ?? []) as readonly DocumentData[];
  const acceptances = [...earlier, data].map((each) => toAcceptance(each, version));
  return { deletionId, path, version, data, field: data.field, identity, after, acceptances };
}

function toAcceptance(data: DocumentData, version: Version): WideAcceptance {
  return {
    acceptedAt: acceptanceTimeOf({ data, version }),
    acceptedVersion: (data.acceptedVersion as Version | undefined) ?? version,
    isRetried: data.isRetried === true,
    restoredAt: data.restoredAt instanceof Date ? data.restoredAt : undefined,
  };
}

/** The last acceptance of a wide deletion. */
export function lastAcceptance({ acceptances }: WideDeletion): WideAcceptance {
  const last = acceptances.at(-1);
  if (!last) throw new Error('A wide deletion was never accepted.');
  return last;
}

/** An acceptance; without its version, if that will be the one of the document's next write. */
type NewAcceptance = Pick<WideAcceptance, 'acceptedAt' | 'isRetried'> & Partial<WideAcceptance>;

/** The fields of a document with these acceptances, in their order. */
export function toAcceptanceFields(acceptances: readonly NewAcceptance[]): DocumentData {
  return { ...acceptances.slice(-1).map(toFields)[0], ...toEarlierField(acceptances.slice(0, -1)) };
}

/**
 * The field with the acceptances before the last one. Of very many the first ones are kept: the last one targets whom
 * the others do, but for those whom a writer that had not seen these has written since.
 */
export function toEarlierField(acceptances: readonly NewAcceptance[]): DocumentData {
  return acceptances.length === 0 ? {} : { earlier: acceptances.slice(0, MAX_EARLIER_ACCEPTANCES).map(toFields) };
}

function toFields({ acceptedAt, acceptedVersion, isRetried, restoredAt }: NewAcceptance): DocumentData {
  return {
    acceptedAt,
    ...(acceptedVersion && { acceptedVersion: { ...acceptedVersion } }),
    ...(isRetried && { isRetried }),
    ...(restoredAt && { restoredAt }),
  };
}

/** The identities by which deletions find a stored customer. */
export function matchedIdentities({ data }: StoredDocument): RecordId[] {
  const identities = [data[MATCHING_EMAIL], data[MATCHING_CUSTOMER_ID]] as (RecordId | undefined)[];
  return identities.filter((identity) => identity !== undefined);
}
