/**
 * Rules of deletions that drawn histories seldom need: what is left where the service keeps them, and that it is
 * something else where one is missing.
 */
import { lowerFlag, raiseFlag } from '../../../shared/deletions/pending-flag';
import type { DocumentStore, DocumentWrite } from '../../../shared/documents/document-store';
import { writtenPath } from '../../../shared/documents/document-store';
import { recordPath, recordsPath } from '../../../shared/documents/paths';
import { customerRecordId } from '../../../shared/domain/identity';
import { MAX_NAMED_CUSTOMERS } from '../../../shared/limits/deletions';
import { toCustomerDocument } from '../../../shared/workspace/record-documents';
import { acceptingWithout, isCheckOf, without } from '../../faults/histories/protocol';
import { changingTransactions, overriding } from '../../support/overriding';
import { acceptDeletion } from '../../support/deletions';
import { RecordingPublisher } from '../../support/recording-fakes';
import { aTenant } from '../support/tenant';
import { SlicesInMemory } from '../transfers/slices-in-memory';
import { AMPLE, DeletionsLab } from './deletions-lab';

const byEmail = aTenant({ customerIdentifier: 'email' });
const byId = aTenant({ customerIdentifier: 'customerid' });

/** The database as a service sees it that lacks a rule. */
type Mistake = (store: DocumentStore) => DocumentStore;

interface Rule {
  /** Runs the same with and without the rule. @returns what is left */
  readonly scenario: (mistaken: Mistake) => Promise<unknown>;
  readonly left: unknown;
  readonly mistake: Mistake;
}

const isIn = (collection: string) => (write: DocumentWrite) => writtenPath(write).includes(`/${collection}/`);

/** A store whose first commit of a transaction arrives, and its answer does not. */
function losingFirstAnswer(store: DocumentStore): DocumentStore {
  let isFirst = true;
  return changingTransactions(store, (transaction) =>
    overriding(transaction, {
      commit: async (changes, deadline) => {
        const outcome = await transaction.commit(changes, deadline);
        if (!isFirst) return outcome;
        isFirst = false;
        return 'conflict';
      },
    }),
  );
}

/** A store that does not write what announces the lowering of a flag. */
function announcingNoLowering(store: DocumentStore): DocumentStore {
  return overriding(store, {
    commit: async (writes, deadline) => {
      const [first] = writes;
      const isAnnouncement = first !== undefined && 'set' in first && first.data.state === 'lowering';
      return isAnnouncement ? (await store.get(first.set, deadline))!.version : store.commit(writes, deadline);
    },
  });
}

/** A store that finds no pending deletion. */
function findingNothingPending(store: DocumentStore): DocumentStore {
  return overriding(store, {
    getSome: async (paths, ...rest) => store.getSome(paths.filter((path) => !path.includes('/deletions/')), ...rest), // prettier-ignore
    listRefs: async (collection, ...rest) =>
      collection.endsWith('/deletions') ? [] : store.listRefs(collection, ...rest),
  });
}

/** A store in which all customers seem to be stored by the tenant's identifier. */
function seemingKeyed(store: DocumentStore): DocumentStore {
  return changingTransactions(store, (transaction) =>
    overriding(transaction, {
      getAll: async (...call) => {
        const found = await transaction.getAll(...call);
        return found.map((document) =>
          document.path.includes('/deletionFlags/')
            ? { ...document, data: { ...document.data, customersKeyedBy: 'email' } }
            : document,
        );
      },
    }),
  );
}

const RULES: Readonly<Record<string, Rule>> = {
  'a receipt tells that deletions by two identifiers were accepted (D-43)': {
    scenario: async (mistaken) => {
      const lab = new DeletionsLab(byEmail);
      await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
      await lab.upsert({ Email: 'a@x.com', CustomerId: '1' }, { Email: 'b@x.com', CustomerId: '1' });
      lab.store = losingFirstAnswer(mistaken(lab.memory));
      await lab.deleteCustomer('1', 'a@x.com');
      await lab.drain();
      return lab.customers('Email');
    },
    left: ['b@x.com'],
    mistake: (store) => acceptingWithout(store, isIn('deletionReceipts')),
  },
  'a flag says that it is being lowered before the last look (R-63)': {
    scenario: async (mistaken) => {
      const lab = new DeletionsLab(byEmail);
      await raiseFlag(lab.tenant.tenantId, 'customers', {}, AMPLE, lab);
      await lab.upsert({ Email: 'a@x.com', Name: 'Old' });
      let looks = 0;
      const accepting = overriding(mistaken(lab.memory), {
        listRefs: async (collection, page) => {
          const found = await lab.memory.listRefs(collection, page);
          looks += 1;
          if (looks === 2) await lab.deleteCustomer(null, 'a@x.com');
          return found;
        },
      });
      await lowerFlag(lab.tenant.tenantId, 'customers', AMPLE, { store: accepting, random: lab.random });
      await lab.upsert({ Email: 'a@x.com' });
      return lab.customers('Name');
    },
    left: [undefined],
    mistake: announcingNoLowering,
  },
  'a row that deletes lets pending deletions take their customers first (R-28)': {
    scenario: async (mistaken) => {
      const slices = new SlicesInMemory('customers', { customerIdentifier: 'email' }, (store) => mistaken(store));
      const { tenant, store } = slices;
      await slices.applyAll(
        [
          { Email: 'a@x.com', CustomerId: '1' },
          { Email: 'b@x.com', CustomerId: '1' },
        ],
        60_000,
      );
      const dependencies = { ...slices.dependencies(), store };
      const accepting = { ...dependencies, publisher: new RecordingPublisher(), deletionsTopic: 'deletions' };
      const target = { type: 'customer', email: 'a@x.com', customerId: null } as const;
      await acceptDeletion(tenant, target, AMPLE, accepting);
      const DeletedAt = new Date(slices.nowMs).toISOString(); // who has the e-mail is not gone later than the row
      const { writes } = await slices.apply([{ Email: 'a@x.com', CustomerId: '1', DeletedAt }]);
      await mistaken(store).commit(writes, AMPLE);
      await slices.applyDeletions();
      const stored = await store.list(recordsPath(tenant.tenantId, 'customers'), { limit: 10 });
      return stored.map(({ data }) => data.Email);
    },
    left: [],
    mistake: (store) => without(findingNothingPending(store), isCheckOf('deletions')),
  },
  'who signs up again beside a wide deletion leaves a tombstone that spares him (R-33)': {
    scenario: async (mistaken) => {
      const lab = new DeletionsLab(byId);
      const shared = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({
        CustomerId: `${n}`,
        Email: 's@x.com',
        Name: 'Old',
      }));
      await lab.upsert(...shared);
      await lab.deleteCustomer(null, 's@x.com');
      lab.store = mistaken(lab.memory);
      await lab.upsert({ CustomerId: '0', Email: 's@x.com', Surname: 'New' });
      lab.store = lab.memory;
      await lab.drain();
      return (await lab.documents()).map(({ data: { Surname, Name } }) => ({ Surname, Name }));
    },
    left: [{ Surname: 'New', Name: undefined }],
    mistake: (store) => without(store, isIn('tombstones')),
  },
  'customers are looked for by their keys only while all are stored by them (R-64)': {
    scenario: async (mistaken) => {
      const lab = new DeletionsLab(byEmail);
      // As one is stored while the tenant is not re-keyed after a change of its identifier.
      const ann = { CustomerId: '1', Email: 'a@x.com' };
      const path = recordPath(lab.tenant.tenantId, 'customers', customerRecordId(ann, 'customerid'));
      await lab.memory.commit([{ set: path, data: toCustomerDocument(ann, 'earlier') }]);
      lab.store = mistaken(lab.memory);
      await lab.deleteCustomer(null, 'a@x.com');
      await lab.drain();
      return lab.customers('Email');
    },
    left: [],
    mistake: seemingKeyed,
  },
};

describe.each(Object.keys(RULES))('%s', (name) => {
  const { scenario, left, mistake } = RULES[name]!;

  it('holds', async () => {
    expect(await scenario((store) => store)).toEqual(left);
  });

  it('is missed where it is missing', async () => {
    expect(await scenario(mistake)).not.toEqual(left);
  });
});
