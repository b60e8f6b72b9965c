/** How deletions are carried out: the service's way, and ways that are known to be wrong. */
import type { Clock } from '../../../shared/platform/clock';
import type { DocumentStore, DocumentWrite, StoredDocument, Version } from '../../../shared/documents/document-store';
import { isCheck, writtenPath } from '../../../shared/documents/document-store';
import { idOf } from '../../../shared/documents/paths';
import type { DocumentData } from '../../../shared/domain/records/document';
import type { Random } from '../../../shared/platform/random';
import type { NewDocument } from '../../../shared/workspace/record-documents';
import { isStub } from '../../../shared/workspace/kept-tombstones';
import { asOf, datedRevision } from '../../../shared/workspace/record-documents';
import { SeededRandom } from '../../support/seeded-random';
import { changingTransactions, overriding } from '../../support/overriding';
import type { PlainWork } from './work';

export interface Protocol {
  /** The database as a process sees it that accepts a deletion. */
  whileAccepting(store: DocumentStore, clock: Clock): DocumentStore;
  /** The database as upserts and files see it. */
  whileWriting(store: DocumentStore, clock: Clock): DocumentStore;
  /** The database as the process sees it that applies a deletion. */
  whileDeleting(store: DocumentStore, tenantId: string): DocumentStore;
  /** Where revisions come from, when not from the history. */
  readonly random?: Random;
}

/** The service as it is. */
export const SERVICE: Protocol = {
  whileAccepting: (store) => store,
  whileWriting: (store) => store,
  whileDeleting: (store) => store,
};

/**
 * A deletion removes what matches when its message comes, but spares what was written after it by Firestore's commit
 * times, which every write changes. Wrong in itself, because what is written meanwhile inherits fields that were
 * deleted; right where every record is sent whole. There, each of the three below makes one mistake.
 */
export const COMPARING_COMMIT_TIMES: Protocol = {
  ...SERVICE,
  whileAccepting: (store) => namingAnew(store),
  whileWriting: (store) => ignoringPending(store),
  whileDeleting: (store) => sparing(store, isLaterVersion),
};

/** Nothing is compared, and a message that comes again deletes again. */
export const BLIND: Protocol = {
  ...COMPARING_COMMIT_TIMES,
  whileDeleting: (store) => without(store, isDone),
};

/** The times compared are those of Firestore's updates, which a write that changes nothing keeps. */
export const COMPARING_UPDATE_TIMES: Protocol = {
  ...COMPARING_COMMIT_TIMES,
  random: constantRevisions(),
};

/** The times compared are those of the clocks of the processes that wrote. */
export const COMPARING_CLOCKS: Protocol = {
  whileAccepting: (store, clock) => noting(namingAnew(store), clock, (data, now) => ({ acceptedAt: now, ...data })),
  whileWriting: (store, clock) => noting(ignoringPending(store), clock, dated),
  whileDeleting: (store) => sparing(store, (record, deletion) => asOf(record) > (deletion.data.acceptedAt as Date)),
};

/** The service's way, but a deletion that was accepted is forgotten once it is applied. */
export const FORGETTING_DELETIONS: Protocol = {
  ...SERVICE,
  whileAccepting: (store) => acceptingWithout(store, isTombstone),
};

export const isCheckOf = (collection: string) => (write: DocumentWrite) =>
  isCheck(write) && `${write.check}/`.includes(`/${collection}/`);

/**
 * The service's way, without one of its rules each. Those that histories seldom need have tests of their own
 * (unit/deletions).
 */
export const WITHOUT_A_RULE: readonly (readonly [rule: string, where: PlainWork, protocol: Protocol])[] = [
  [
    'lets upserts pass by what is pending',
    'requests and files',
    { ...SERVICE, whileWriting: (store) => ignoringPending(store) },
  ],
  [
    'removes customers whatever they have become',
    'requests and files',
    { ...SERVICE, whileDeleting: (store) => removingAnyVersion(store) },
  ],
  [
    'removes entries whatever they have become',
    'requests and files',
    { ...SERVICE, whileDeleting: (store) => removingAnyEntry(store) },
  ],
  [
    'accepts by a flag that may be lowered',
    'deletions and files',
    { ...SERVICE, whileAccepting: (store) => withoutLockOn(store, 'deletionFlags') },
  ],
  [
    'commits rows by a flag that may be raised',
    'deletions and files',
    { ...SERVICE, whileWriting: (store) => without(store, isCheckOf('deletionFlags')) },
  ],
  [
    'commits rows for which something was accepted meanwhile',
    'deletions and files',
    { ...SERVICE, whileWriting: (store) => without(without(store, isCheckOf('deletions')), isCheckOf('tombstones')) },
  ],
];

/** The same of orders, which keep their tombstones themselves. */
export const WITHOUT_A_RULE_OF_ORDERS: readonly (readonly [rule: string, protocol: Protocol])[] = [
  ['leaves nothing of a deleted order', { ...SERVICE, whileDeleting: leavingNoStub }],
  ['takes what is left of a deleted order for the order', { ...SERVICE, whileWriting: (store) => showingStubs(store) }],
];

/** A store that removes orders without leaving a tombstone. */
export function leavingNoStub(store: DocumentStore): DocumentStore {
  const removing = (write: DocumentWrite): DocumentWrite =>
    'set' in write && isStub(write.data)
      ? { delete: write.set, ...(write.when !== undefined && { when: write.when }) }
      : write;
  return overriding(store, { commit: (writes, deadline) => store.commit(writes.map(removing), deadline) });
}

/** A store for upserts and files that find an order without items in place of a deleted one. */
function showingStubs(store: DocumentStore): DocumentStore {
  const shown = (document: StoredDocument) =>
    isStub(document.data) ? { ...document, data: { OrderItems: [], revision: 'stub' } } : document;
  return overriding(store, {
    getAll: async (...call) => (await store.getAll(...call)).map(shown),
    getSome: async (...call) => {
      const { documents, unread } = await store.getSome(...call);
      return { documents: documents.map(shown), unread };
    },
  });
}

/** A store for upserts that know nothing of a deletion whose message has not come. */
function ignoringPending(store: DocumentStore): DocumentStore {
  return overriding(store, {
    get: (path, deadline) =>
      path.includes('/deletionFlags/') ? Promise.resolve(undefined) : store.get(path, deadline),
  });
}

/** A store for deletions to come, where upserts may have written what a pending one means: it is named anew. */
function namingAnew(store: DocumentStore): DocumentStore {
  return overriding(store, {
    getSome: async (...call) => {
      const { documents, unread } = await store.getSome(...call);
      const named = documents.map((document) =>
        document.path.includes('/deletions/') ? { ...document, data: { ...document.data, customers: [] } } : document,
      );
      return { documents: named, unread };
    },
  });
}

/** A store that removes customers without a condition. */
function removingAnyVersion(store: DocumentStore): DocumentStore {
  return removingUnconditionally(store, '/customers/');
}

/** A store that removes the entries of deletions without a condition. */
function removingAnyEntry(store: DocumentStore): DocumentStore {
  return removingUnconditionally(store, '/deletions/');
}

function removingUnconditionally(store: DocumentStore, collection: string): DocumentStore {
  const unconditionally = (write: DocumentWrite) =>
    'delete' in write && write.delete.includes(collection) ? { delete: write.delete } : write;
  return overriding(store, {
    commit: (writes, deadline) => store.commit(writes.map(unconditionally), deadline),
  });
}

/** A store that commits without such writes. */
export function without(store: DocumentStore, isLeftOut: (write: DocumentWrite) => boolean): DocumentStore {
  return overriding(store, {
    commit: (writes, deadline) => store.commit(writes.filter((write) => !isLeftOut(write)), deadline), // prettier-ignore
  });
}

/** A store whose transactions commit without such writes. */
export function acceptingWithout(store: DocumentStore, isLeftOut: (write: DocumentWrite) => boolean): DocumentStore {
  return changingTransactions(store, (transaction) =>
    overriding(transaction, {
      commit: (changes, deadline) => transaction.commit(changes.filter((write) => !isLeftOut(write)), deadline), // prettier-ignore
    }),
  );
}

/** A store whose transactions read documents of a collection as if outside of them. */
function withoutLockOn(store: DocumentStore, collection: string): DocumentStore {
  const isUnlocked = (path: string) => path.includes(`/${collection}/`);
  return changingTransactions(store, (transaction) =>
    overriding(transaction, {
      getAll: async (paths, deadline) => [
        ...(await store.getAll(paths.filter(isUnlocked), deadline)),
        ...(await transaction.getAll(
          paths.filter((path) => !isUnlocked(path)),
          deadline,
        )),
      ],
    }),
  );
}

function isTombstone(write: DocumentWrite): boolean {
  return writtenPath(write).includes('/tombstones/');
}

function isDone(write: DocumentWrite): boolean {
  return 'delete' in write && write.delete.includes('/deletions/');
}

function isLaterVersion({ version }: StoredDocument, deletion: StoredDocument): boolean {
  return compare(version, deletion.version) > 0;
}

function compare(a: Version, b: Version): number {
  return a.seconds - b.seconds || a.nanos - b.nanos;
}

/** A store in which a deletion does not remove the records that are newer than it. */
function sparing(
  store: DocumentStore,
  isNewer: (record: StoredDocument, deletion: StoredDocument) => boolean,
): DocumentStore {
  const deadline = { remainingMs: () => 20_000 };
  return overriding(store, {
    commit: async (writes, ...rest) => {
      const entries = writes.flatMap((write) =>
        'delete' in write && write.delete.includes('/deletions/') ? [write.delete] : [],
      );
      const kept: DocumentWrite[] = [];
      for (const write of writes) {
        const isRemoval = 'delete' in write && write.delete.includes('/customers/');
        const record = isRemoval ? await store.get(write.delete, deadline) : undefined;
        const deletions = record ? await store.getAll(entries, deadline) : [];
        const naming = deletions.filter(({ data }) => namesRecord(data, idOf(record?.path ?? '')));
        if (record && naming.some((deletion) => isNewer(record, deletion))) continue;
        kept.push(write);
      }
      return store.commit(kept, ...rest);
    },
  });
}

function namesRecord(data: DocumentData, id: string): boolean {
  return ((data.customers ?? []) as unknown as { id: string }[]).some((customer) => customer.id === id);
}

/** A store that notes the time of a process in what it writes of customers and deletions. */
function noting(
  store: DocumentStore,
  clock: Clock,
  note: (data: NewDocument, now: Date) => NewDocument,
): DocumentStore {
  const noted = <W extends DocumentWrite>(write: W): W =>
    'set' in write && /\/(customers|deletions)\//.test(write.set)
      ? { ...write, data: note(write.data, new Date(clock.nowMs())) }
      : write;
  const noting = overriding(store, {
    commit: (writes, deadline) => store.commit(writes.map(noted), deadline),
    writeEach: (writes, deadline) => store.writeEach(writes.map(noted), deadline),
  });
  return changingTransactions(noting, (transaction) =>
    overriding(transaction, { commit: (changes, deadline) => transaction.commit(changes.map(noted), deadline) }),
  );
}

/** A record that is as old as the clock says, unless it is older by itself. */
function dated(data: NewDocument, now: Date): NewDocument {
  return typeof data.revision === 'string' ? { ...data, revision: datedRevision(data.revision, now) } : data;
}

/** The revisions of records, which have nine bytes, are all the same. */
function constantRevisions(): Random {
  const random = new SeededRandom('ids');
  return {
    bytes: (size) => (size === 9 ? Buffer.alloc(size) : random.bytes(size)),
    fraction: () => random.fraction(),
  };
}
