/** Which deletions wait, and for how long. */
import { raiseFlag } from '../../../shared/deletions/pending-flag';
import { deletionPath, wideDeletionPath } from '../../../shared/documents/paths';
import type { RecordKind } from '../../../shared/domain/identity';
import { MAX_WAITING_DELETIONS } from '../../../shared/limits/deletions';
import { listWaitingDeletions } from '../../../shared/operations/deletions/waiting';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { SeededRandom } from '../../support/seeded-random';

const ONE = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

function aService() {
  const clock = new FixedClock();
  const operator = operatorOn(new MemoryDocumentStore(clock), { clock, random: new SeededRandom() });
  const { store } = operator;
  const raise = (tenantId: string, kind: RecordKind) => raiseFlag(tenantId, kind, {}, operator.deadline(), operator);
  const accept = (path: string) => store.writeEach([{ set: path, data: { targets: [] } }], operator.deadline());
  const hash = (n: number) => String(n).padStart(43, '0');
  return { clock, operator, raise, accept, hash };
}

it('those that wait longest come first, by the time at which the oldest was accepted (R-350)', async () => {
  const { clock, operator, raise, accept, hash } = aService();
  const times: string[] = [];
  for (const [tenantId, kind] of [[OTHER, 'orders'], [ONE, 'customers']] as const) {
    await raise(tenantId, kind);
    for (let n = 0; n < 2; n += 1) {
      times.push(new Date(clock.nowMs()).toISOString());
      await accept(deletionPath(tenantId, `${kind}-${hash(n)}`));
      clock.advance(60_000);
    }
  } // prettier-ignore
  const { pending, isMore } = await listWaitingDeletions({}, operator);
  expect(pending).toEqual([
    { tenantId: OTHER, kind: 'orders', count: 2, isMore: false, oldestAt: times[0] },
    { tenantId: ONE, kind: 'customers', count: 2, isMore: false, oldestAt: times[2] },
  ]);
  expect(isMore).toBe(false);
  expect((await listWaitingDeletions({ tenant: ONE }, operator)).pending).toEqual([pending[1]]);
});

it('wide deletions of customers count, and those of other kinds are not mixed in (R-350)', async () => {
  const { operator, raise, accept, hash } = aService();
  await raise(ONE, 'customers');
  await raise(ONE, 'orders');
  await accept(deletionPath(ONE, `orders-${hash(1)}`));
  await accept(wideDeletionPath(ONE, `customers-${hash(2)}`));
  const { pending } = await listWaitingDeletions({}, operator);
  expect(pending.map(({ kind, count }) => [kind, count]).sort()).toEqual([['customers', 1], ['orders', 1]]); // prettier-ignore
});

it('of very many it says that there are more (R-350)', async () => {
  const { operator, raise, hash } = aService();
  await raise(ONE, 'products');
  const writes = Array.from({ length: MAX_WAITING_DELETIONS + 1 }, (_, n) => {
    return { set: deletionPath(ONE, `products-${hash(n)}`), data: { targets: [] } };
  });
  await operator.store.writeEach(writes, operator.deadline());
  const { pending } = await listWaitingDeletions({}, operator);
  expect(pending).toMatchObject([{ kind: 'products', count: MAX_WAITING_DELETIONS, isMore: true }]);
});

it('is none of a text that is no tenant’s id', async () => {
  await expect(listWaitingDeletions({ tenant: 'x' }, aService().operator)).rejects.toThrow('it must be a GUID');
});
