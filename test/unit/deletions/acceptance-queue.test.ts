import { AcceptanceQueue } from '../../../shared/deletions/acceptance-queue';
import { ACCEPTED_IN_COMMIT } from '../../../shared/domain/limits';
import { overriding } from '../../support/overriding';
import { pendingDeletions } from '../../support/pending-deletions';
import { AMPLE, DeletionsLab } from './deletions-lab';

const COUNT = ACCEPTED_IN_COMMIT + 20;
const customer = (n: number) => ({ type: 'customer', customerId: null, email: `${n}@x.com` }) as const;

it('accepts what arrives at once in few commits, in the order of arrival, each commit with one message (R-51)', async () => {
  const lab = new DeletionsLab();
  let commits = 0;
  lab.store = overriding(lab.memory, {
    commit(writes) {
      commits += 1;
      return lab.memory.commit(writes);
    },
  });
  const queue = new AcceptanceQueue(lab);
  const { tenantId } = lab.tenant;
  await Promise.all(Array.from({ length: COUNT }, (_, n) => queue.accept(tenantId, 'customers', [customer(n)], AMPLE)));
  expect(commits).toBe(3); // the first by itself, what came meanwhile, and the rest
  const pending = await lab.pending();
  expect(pending.map((id) => Number(id.split('-')[1]))).toEqual(Array.from({ length: COUNT }, (_, n) => n + 1));
  const messages = lab.publisher.published.map(({ event }) => (event as { deletionId: string }).deletionId);
  expect(messages).toEqual([0, ACCEPTED_IN_COMMIT, COUNT - 1].map((last) => pending[last]));
});

it('accepts a batch in commits one after the other, and nothing of others in between (R-50)', async () => {
  const lab = new DeletionsLab();
  const commits: number[] = [];
  lab.store = overriding(lab.memory, {
    commit(writes) {
      commits.push(writes.length - 1);
      return lab.memory.commit(writes);
    },
  });
  const queue = new AcceptanceQueue(lab);
  const { tenantId } = lab.tenant;
  const batch = Array.from({ length: 2 * ACCEPTED_IN_COMMIT + 1 }, (_, n) => customer(n));
  const single = (n: number) => queue.accept(tenantId, 'customers', [customer(n)], AMPLE);
  const answered: string[] = [];
  await Promise.all([
    single(1_000).then(() => answered.push('first')),
    single(1_001).then(() => answered.push('second')),
    queue.accept(tenantId, 'customers', batch, AMPLE).then(() => answered.push('batch')),
    single(1_002).then(() => answered.push('third')),
  ]);
  expect(commits).toEqual([1, 1, ACCEPTED_IN_COMMIT, ACCEPTED_IN_COMMIT, 1, 1]);
  expect(answered).toEqual(['first', 'second', 'batch', 'third']);
  const emails = (await pendingDeletions(tenantId, lab.memory, AMPLE)).map(
    ({ data }) => (data.target as { email: string }).email,
  );
  const sent = [customer(1_000), customer(1_001), ...batch, customer(1_002)];
  expect(emails).toEqual(sent.map(({ email }) => email));
});

it('accepts nothing of a batch behind what cannot be accepted, and goes on with those after it (R-50)', async () => {
  const lab = new DeletionsLab();
  let commits = 0;
  lab.store = overriding(lab.memory, {
    commit(writes) {
      commits += 1;
      return commits === 2 ? Promise.reject(new Error('The database is away.')) : lab.memory.commit(writes);
    },
  });
  const queue = new AcceptanceQueue(lab);
  const { tenantId } = lab.tenant;
  const batch = Array.from({ length: 3 * ACCEPTED_IN_COMMIT }, (_, n) => customer(n));
  const outcomes = await Promise.allSettled([
    queue.accept(tenantId, 'customers', batch, AMPLE),
    queue.accept(tenantId, 'customers', [customer(0)], AMPLE),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await lab.pending()).toHaveLength(ACCEPTED_IN_COMMIT + 1);
});

it('tells everybody of a commit that fails, and goes on with those after it', async () => {
  const lab = new DeletionsLab();
  let isFailing = true;
  lab.store = overriding(lab.memory, {
    commit: (writes) => (isFailing ? Promise.reject(new Error('The database is away.')) : lab.memory.commit(writes)),
  });
  const queue = new AcceptanceQueue(lab);
  const { tenantId } = lab.tenant;
  const outcomes = await Promise.allSettled(
    [0, 1, 2].map((n) => queue.accept(tenantId, 'customers', [customer(n)], AMPLE)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await lab.pending()).toEqual([]);
  isFailing = false;
  await queue.accept(tenantId, 'customers', [customer(3)], AMPLE);
  expect(await lab.pending()).toHaveLength(1);
});

it('does not let a tenant wait for another one', async () => {
  const lab = new DeletionsLab();
  const other = 'ffffffff-1111-4111-8111-111111111111';
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  lab.store = overriding(lab.memory, {
    async commit(writes) {
      const [first] = writes;
      if (first && 'set' in first && !first.set.includes(other)) await held;
      return lab.memory.commit(writes);
    },
  });
  const queue = new AcceptanceQueue(lab);
  const waiting = queue.accept(lab.tenant.tenantId, 'customers', [customer(0)], AMPLE);
  await queue.accept(other, 'customers', [customer(1)], AMPLE);
  expect(await lab.pending()).toEqual([]);
  release();
  await waiting;
  expect(await lab.pending()).toHaveLength(1);
});
