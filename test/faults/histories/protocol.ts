/** How deletions are carried out: the service's way, and ways that are known to be wrong. */
import type { Clock } from '../../../shared/clock';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../../../shared/documents/document-store';
import { deletionPath } from '../../../shared/documents/paths';
import type { DeletionRequested } from '../../../shared/domain/deletion';
import type { Random } from '../../../shared/random';
import { asOf } from '../../../shared/records/record-documents';
import { SeededRandom } from '../../support/seeded-random';
import { overriding } from '../../support/overriding';

export interface Protocol {
  /** The database as a process sees it that accepts a deletion. */
  whileAccepting(store: DocumentStore, clock: Clock): DocumentStore;
  /** The database as upserts and files see it. */
  whileWriting(store: DocumentStore, clock: Clock): DocumentStore;
  /** The database as the process sees it that applies a deletion. */
  whileDeleting(store: DocumentStore, event: DeletionRequested): DocumentStore;
  /** Where stamps come from, when not from the history. */
  readonly random?: Random;
}

/** The service as it is. */
export const SERVICE: Protocol = {
  whileAccepting: (store) => store,
  whileWriting: (store) => store,
  whileDeleting: (store) => store,
};

/** Upserts know nothing of deletions whose message has not come, and files nothing of what was deleted. */
const FORGETFUL: Protocol = {
  whileAccepting: (store) => store,
  whileWriting: (store) =>
    overriding(store, {
      list: (collection, page, deadline) =>
        collection.endsWith('/deletions') ? Promise.resolve([]) : store.list(collection, page, deadline),
    }),
  whileDeleting: (store) =>
    overriding(store, {
      commit: (writes, deadline) => store.commit(writes.filter((write) => !isTombstone(write)), deadline), // prettier-ignore
    }),
};

/** Whenever its message comes, a deletion removes what matches it then. */
export const BLIND: Protocol = {
  ...FORGETFUL,
  whileDeleting: (store) =>
    overriding(store, {
      commit: (writes, deadline) =>
        store.commit(writes.filter((write) => !isTombstone(write) && !isDone(write)), deadline), // prettier-ignore
    }),
};

/** A deletion spares what was written after it, by Firestore's update time, which a write that changes nothing keeps. */
export const COMPARING_UPDATE_TIMES: Protocol = {
  ...FORGETFUL,
  whileWriting: (store, clock) => keepingUnchanged(FORGETFUL.whileWriting(store, clock)),
  whileDeleting: (store, event) => sparing(store, event, isLaterVersion),
  random: constantStamps(),
};

/** A deletion spares what was written after it, by the clocks of the processes that wrote. */
export const COMPARING_CLOCKS: Protocol = {
  whileAccepting: (store, clock) => stamping(store, 'acceptedAt', clock),
  whileWriting: (store, clock) => stamping(FORGETFUL.whileWriting(store, clock), 'asOf', clock),
  whileDeleting: (store, event) =>
    sparing(store, event, (record, deletion) => asOf(record) > (deletion.data.acceptedAt as Date)),
};

/** A deletion spares what was written after it, by commit times that every write changes; it is not remembered. */
export const FORGETTING_DELETIONS: Protocol = {
  ...FORGETFUL,
  whileDeleting: (store, event) => sparing(store, event, isLaterVersion),
};

function isTombstone(write: DocumentWrite): boolean {
  return pathOf(write).includes('/tombstones/');
}

function isDone(write: DocumentWrite): boolean {
  return 'delete' in write && write.delete.includes('/deletions/');
}

function pathOf(write: DocumentWrite): string {
  return 'set' in write ? write.set : write.delete;
}

function isLaterVersion({ version }: StoredDocument, deletion: StoredDocument): boolean {
  return compare(version, deletion.version) > 0;
}

function compare(a: Version, b: Version): number {
  return a.seconds - b.seconds || a.nanos - b.nanos;
}

/** A store in which a deletion does not find the records that are newer than it. */
function sparing(
  store: DocumentStore,
  { tenantId, deletionId }: DeletionRequested,
  isNewer: (record: StoredDocument, deletion: StoredDocument) => boolean,
): DocumentStore {
  return overriding(FORGETFUL.whileDeleting(store, { tenantId, deletionId }), {
    findWhere: async (collection, field, value, limit, deadline) => {
      const deletion = await store.get(deletionPath(tenantId, deletionId), deadline);
      const found = await store.findWhere(collection, field, value, limit, deadline);
      return found.filter((record) => !deletion || !isNewer(record, deletion));
    },
  });
}

/** A store that notes the time of a process in what it writes of customers and deletions. */
function stamping(store: DocumentStore, field: 'acceptedAt' | 'asOf', clock: Clock): DocumentStore {
  const stamp = (write: DocumentWrite): DocumentWrite =>
    'set' in write && /\/(customers|deletions)\//.test(write.set)
      ? { ...write, data: { [field]: new Date(clock.nowMs()), ...write.data } }
      : write;
  return overriding(store, {
    commit: (writes, deadline) => store.commit(writes.map(stamp), deadline),
    writeEach: (writes, deadline) => store.writeEach(writes.map(stamp), deadline),
  });
}

/** A store that, like Firestore, gives no new version to a document that a write leaves as it is. */
function keepingUnchanged(store: DocumentStore): DocumentStore {
  return overriding(store, {
    writeEach: async (writes, deadline) => {
      const stored = await store.getAll(writes.map(pathOf), deadline);
      const isChange = (write: DocumentWrite) => {
        const before = stored.find(({ path }) => path === pathOf(write));
        if (!before || write.when === 'absent' || !('set' in write)) return true;
        const { data, fields = Object.keys(data) } = write;
        return fields.some((field) => JSON.stringify(data[field]) !== JSON.stringify(before.data[field]));
      };
      const changes = writes.filter(isChange);
      const outcomes = await store.writeEach(changes, deadline);
      return writes.map((write) => (changes.includes(write) ? outcomes[changes.indexOf(write)]! : 'written'));
    },
  });
}

/** The stamps of records, which have nine bytes, are all the same. */
function constantStamps(): Random {
  const random = new SeededRandom('ids');
  return {
    bytes: (size) => (size === 9 ? Buffer.alloc(size) : random.bytes(size)),
    fraction: () => random.fraction(),
  };
}
