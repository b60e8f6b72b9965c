import { AcceptanceQueue } from '../../../shared/deletions/acceptance-queue';
import { writtenPath } from '../../../shared/documents/document-store';
import { ACCEPTED_IN_COMMIT } from '../../../shared/domain/limits';
import type { TenantId } from '../../../shared/domain/tenant';
import { requestedIds } from '../../support/deletions';
import { overriding } from '../../support/overriding';
import { AMPLE, DeletionsLab } from './deletions-lab';

const COUNT = ACCEPTED_IN_COMMIT + 20;
const customer = (n: number) => ({ type: 'customer', customerId: null, email: `${n}@x.com` }) as const;

it('accepts what arrives at once in few commits, each with its message', async () => {
  const lab = new DeletionsLab();
  let commits = 0;
  lab.store = overriding(lab.memory, {
    commit(writes) {
      commits += 1;
      return lab.memory.commit(writes);
    },
  });
  const queue = new AcceptanceQueue(lab);
  const { tenant } = lab;
  await Promise.all(Array.from({ length: COUNT }, (_, n) => queue.accept(tenant, customer(n), AMPLE)));
  expect(commits).toBe(4); // of the flag, of the first one by itself, of what came meanwhile, and of the rest
  expect(await lab.pending()).toHaveLength(COUNT);
  expect(requestedIds(lab.publisher).sort()).toEqual((await lab.pending()).sort());
});

it('tells everybody of a commit that fails, and goes on with those after it', async () => {
  const lab = new DeletionsLab();
  let isFailing = true;
  lab.store = overriding(lab.memory, {
    commit: (writes) => (isFailing ? Promise.reject(new Error('The database is away.')) : lab.memory.commit(writes)),
  });
  const queue = new AcceptanceQueue(lab);
  const { tenant } = lab;
  const outcomes = await Promise.allSettled([0, 1, 2].map((n) => queue.accept(tenant, customer(n), AMPLE)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await lab.pending()).toEqual([]);
  isFailing = false;
  await queue.accept(tenant, customer(3), AMPLE);
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
      if (first && !writtenPath(first).includes(other)) await held;
      return lab.memory.commit(writes);
    },
  });
  const queue = new AcceptanceQueue(lab);
  const waiting = queue.accept(lab.tenant, customer(0), AMPLE);
  await queue.accept({ ...lab.tenant, tenantId: other as TenantId }, customer(1), AMPLE);
  expect(await lab.pending()).toEqual([]);
  release();
  await waiting;
  expect(await lab.pending()).toHaveLength(1);
});
