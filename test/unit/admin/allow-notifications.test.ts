import { PubSubTopicGrants } from '../../../shared/adapters/pubsub/pubsub-topic-grants';
import { listAudit } from '../../../shared/operations/audit';
import { allowNotifications } from '../../../shared/operations/buckets';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';

const AGENT = 'service-123456789012@gs-project-accounts.iam.gserviceaccount.com';

async function open() {
  const clock = new FixedClock();
  const store = new MemoryDocumentStore(clock);
  const granted: [string, string][] = [];
  const operator = Object.assign(operatorOn(store, { clock, random: new SeededRandom() }), {
    topicGrants: {
      allowPublishing: (topic: string, member: string) => {
        granted.push([topic, member]);
        return Promise.resolve();
      },
    },
  });
  await claimBucket('acme-exports', 'acme', store, operator.deadline());
  return { operator, granted };
}

describe('buckets allow-notifications (R-382)', () => {
  it('lets Cloud Storage of that project publish to the topic of uploads, and says so in the audit log', async () => {
    const { operator, granted } = await open();
    expect(await allowNotifications('acme-exports', '123456789012', operator)).toEqual({
      bucketName: 'acme-exports',
      organizationId: 'acme',
      topic: 'projects/p/topics/uploads',
      serviceAgent: AGENT,
    });
    expect(granted).toEqual([['uploads', `serviceAccount:${AGENT}`]]);
    const { entries } = await listAudit({}, operator);
    expect(entries).toMatchObject(
      ['done', 'begun'].map((outcome) => ({
        action: 'buckets.allow-notifications',
        outcome,
        organizationId: 'acme',
        after: { bucketName: 'acme-exports', projectNumber: '123456789012' },
      })),
    );
  });

  it.each(['', 'my-project', '12', '0123456789', '123456789012@x', '1'.repeat(30)])(
    'takes no project number like "%s"',
    async (number) => {
      const { operator, granted } = await open();
      await expect(allowNotifications('acme-exports', number, operator)).rejects.toThrow('--project-number must be');
      expect(granted).toEqual([]);
    },
  );

  it('grants nothing for a bucket that nobody has registered, and nothing on the local stack', async () => {
    const { operator, granted } = await open();
    await expect(allowNotifications('other', '123456789012', operator)).rejects.toThrow('by no organization');
    const local = { ...operator, config: { ...operator.config, emulators: { pubsub: 'localhost:1' } } };
    await expect(allowNotifications('acme-exports', '123456789012', local)).rejects.toThrow('On the local stack');
    expect(granted).toEqual([]);
  });
});

describe('the grant on a topic (R-382)', () => {
  const open = (bindings: object[] | undefined) => {
    const written: object[] = [];
    const iam = {
      getPolicy: () => Promise.resolve([{ etag: 'AB', ...(bindings && { bindings }) }]),
      setPolicy: (policy: object) => {
        written.push(policy);
        return Promise.resolve([policy]);
      },
    };
    const connect = () => Promise.resolve({ topic: (name: string) => ({ name, iam }) } as never);
    return { grants: new PubSubTopicGrants({ projectId: 'p' }, connect), written };
  };
  const role = 'roles/pubsub.publisher';

  it('is added to those that are there, with the etag of what was read', async () => {
    const others = [{ role, members: ['serviceAccount:scheduler'] }];
    for (const bindings of [others, undefined]) {
      const { grants, written } = open(bindings);
      await grants.allowPublishing('uploads', 'serviceAccount:a');
      const added = { role, members: ['serviceAccount:a'] };
      expect(written).toEqual([{ etag: 'AB', bindings: [...(bindings ?? []), added] }]);
    }
  });

  it('is not written again', async () => {
    const { grants, written } = open([{ role, members: ['serviceAccount:a'] }]);
    await grants.allowPublishing('uploads', 'serviceAccount:a');
    expect(written).toEqual([]);
  });
});
