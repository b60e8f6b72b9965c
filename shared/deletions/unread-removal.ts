/**
 * What a message tells of the customers that its deletions remove. The commit that accepts deletions of customers has
 * found the customers and written the entries, so the message has the versions of both. When it comes, nearly always
 * none has changed: one commit on the condition of all these versions applies the deletions, and nothing is read. Where
 * one has changed or is gone, that commit removes nothing, and the deletions are read.
 */
import type { Version } from '../documents/document-store';
import { parseDeletionId } from '../domain/deletion';
import type { RecordId } from '../domain/identity';
import { isRecordId } from '../domain/identity';
import { DELETIONS_IN_COMMIT, DELETIONS_IN_EVENT } from '../limits/deletions';
import type { Acceptance } from './acceptance/accept-context';

/** What the deletions of one message remove. */
export interface UnreadRemoval {
  /** The version of all entries. */
  readonly entries: Version;
  /** The customers whom the entries name, in the versions that they name. */
  readonly customers: readonly VersionedCustomer[];
}

interface VersionedCustomer {
  readonly id: RecordId;
  readonly version: Version;
}

/**
 * What accepted deletions remove. Undefined: it has to be read, because they are not of customers, or are too many for
 * one message and one commit.
 * @param version of the commit that accepted them
 */
export function toUnreadRemoval(
  { deletionIds, customers }: Pick<Acceptance, 'deletionIds' | 'customers'>,
  version: Version,
): UnreadRemoval | undefined {
  if (!customers || deletionIds.length > DELETIONS_IN_EVENT || customers.length > DELETIONS_IN_COMMIT) return undefined;
  const versioned = customers.flatMap(({ id, by }) => (by.version ? [{ id, version: by.version }] : []));
  return versioned.length === customers.length ? { entries: version, customers: versioned } : undefined;
}

/** The removal in a message of these deletions. Undefined: it has none, or none that is valid for them. */
export function parseUnreadRemoval(deletionIds: readonly string[], removal: unknown): UnreadRemoval | undefined {
  const { entries, customers } = (removal ?? {}) as Readonly<Record<string, unknown>>;
  const areOfCustomers =
    deletionIds.length > 0 && deletionIds.every((deletionId) => parseDeletionId(deletionId)?.kind === 'customers');
  if (!areOfCustomers || !isVersion(entries) || !Array.isArray(customers)) return undefined;
  if (customers.length > DELETIONS_IN_COMMIT || !customers.every(isVersionedCustomer)) return undefined;
  return { entries, customers };
}

function isVersionedCustomer(value: unknown): value is VersionedCustomer {
  const { id, version } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isRecordId(id) && isVersion(version);
}

function isVersion(value: unknown): value is Version {
  const { seconds, nanos } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isUpTo(seconds, LAST_SECOND) && isUpTo(nanos, 999_999_999);
}

/** Of the last time that Firestore stores: the end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

function isUpTo(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
