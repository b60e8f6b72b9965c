/** What operators' acts leave in the audit log, and how it is read. */
import { createKey, revokeKey, rotateKey } from '../../../shared/operations/keys';
import { listAudit } from '../../../shared/operations/audit';
import { releaseOwnedBucket } from '../../../shared/operations/buckets';
import { retryDeletions } from '../../../shared/operations/deletions';
import { eraseTenant } from '../../../shared/operations/erasure/erase';
import { rekeyTenant } from '../../../shared/operations/rekey';
import { createTenant, updateTenant } from '../../../shared/operations/tenants';
import { resumeTenant, suspendTenant } from '../../../shared/operations/tenants/suspension';
import { commitAct } from '../../../shared/audit/audit-log';
import { hashApiKey } from '../../../shared/domain/api-key';
import { AUDIT_LOG } from '../../../shared/documents/paths';
import { claimBucket } from '../../../shared/transfers/runs/bucket-ownership';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { eraserOn } from '../../support/memory-eraser';
import { operatorOn } from '../../support/memory-operator';
import { ObservedDocumentStore } from '../../support/observed-document-store';
import { SeededRandom } from '../../support/seeded-random';

const HOUR_MS = 3_600_000;
const SECRET_NAME = 'Ann Lovelace';

function open() {
  const clock = new FixedClock();
  const store = new ObservedDocumentStore(new MemoryDocumentStore(clock));
  const operator = operatorOn(store, { clock, random: new SeededRandom() });
  return { clock, store, operator, list: (query = {}) => listAudit(query, operator) };
}

/** One act of each kind that has an entry of its own, a minute apart. */
async function actAll() {
  const world = open();
  const { clock, store, operator } = world;
  const next = () => clock.advance(60_000);
  const { tenantId } = await createTenant({ organization: 'acme', displayName: SECRET_NAME }, operator);
  next();
  await updateTenant(tenantId, { customerIdentifier: 'customerid', displayName: `${SECRET_NAME} & Co` }, operator);
  next();
  const key = await createKey({ organization: 'acme', name: SECRET_NAME }, operator);
  next();
  const successor = await rotateKey(key.keyId, {}, operator);
  next();
  await revokeKey(successor.keyId, operator);
  next();
  await claimBucket('acme-exports', 'acme', store, operator.deadline());
  await releaseOwnedBucket('acme-exports', operator);
  next();
  await suspendTenant(tenantId, operator);
  next();
  await resumeTenant(tenantId, operator);
  next();
  await rekeyTenant(tenantId, operator);
  next();
  await retryDeletions(tenantId, operator);
  next();
  await eraseTenant(tenantId, { yes: true }, eraserOn(operator));
  return { ...world, tenantId, secrets: [key.key, hashApiKey(key.key)!, successor.key, hashApiKey(successor.key)!] };
}

it('has an entry of every act, with who did it, to whom, and what was before and after (R-200)', async () => {
  const { list, tenantId } = await actAll();
  const { entries } = await list();
  const done = entries.filter(({ outcome }) => outcome === 'done').reverse();
  expect(done.map(({ action }) => action)).toEqual([
    'tenants.create',
    'tenants.update',
    'keys.create',
    'keys.rotate',
    'keys.revoke',
    'buckets.release',
    'tenants.suspend',
    'tenants.resume',
    'tenants.rekey',
    'deletions.retry',
    'tenants.erase',
  ]);
  expect(new Set(entries.map(({ actor, door }) => `${actor}, ${door}`))).toEqual(
    new Set(['ada@example.com, command line']),
  );
  expect(done[1]).toMatchObject({
    tenantId,
    organizationId: 'acme',
    before: { customerIdentifier: 'email' },
    after: { customerIdentifier: 'customerid' },
  });
  expect(Object.keys(done[1]!.after!).sort()).toEqual(['customerIdentifier', 'displayName']);
  expect(done[3]).toMatchObject({ before: { expiresAt: null }, after: { successor: done[4]!.keyId } });
  expect(done[5]).toMatchObject({ organizationId: 'acme', before: { bucketName: 'acme-exports' } });
  expect(done.at(-1)).toMatchObject({ tenantId, after: { state: 'erased' } });
});

it('holds no secret and no free text, so that an erasure leaves the facts and nothing personal (R-203)', async () => {
  const { store, list, tenantId, secrets } = await actAll();
  const dump = [...(await store.dump())];
  const log = JSON.stringify(dump.filter(([path]) => path.startsWith(`${AUDIT_LOG}/`)));
  expect(log).toContain(tenantId);
  for (const text of [...secrets, 'Lovelace', 'lovelace']) expect(log).not.toContain(text);
  const { entries } = await list({ tenant: tenantId });
  expect(entries.map(({ action }) => action)).toContain('tenants.create');
  const elsewhere = JSON.stringify(
    dump.filter(([path]) => !path.startsWith(`${AUDIT_LOG}/`) && !path.startsWith('apiKeys/')),
  );
  expect(elsewhere).not.toMatch(/lovelace/i);
});

it('has no entry of what changes nothing: a repeat, a refusal, a look (R-200)', async () => {
  const { operator, list } = open();
  const { tenantId } = await createTenant({ organization: 'acme' }, operator);
  const { keyId } = await createKey({ organization: 'acme' }, operator);
  await revokeKey(keyId, operator);
  await suspendTenant(tenantId, operator);
  const { length } = (await list()).entries;
  await createTenant({ organization: 'acme', id: tenantId }, operator);
  await updateTenant(tenantId, { organization: 'acme' }, operator);
  await revokeKey(keyId, operator);
  await suspendTenant(tenantId, operator);
  await expect(rotateKey(keyId, {}, operator)).rejects.toThrow('is not valid any more');
  await expect(updateTenant(tenantId, { displayName: ' ' }, operator)).rejects.toThrow('displayName must be');
  await eraseTenant(tenantId, {}, eraserOn(operator));
  expect((await list()).entries).toHaveLength(length);
});

describe('a list of the log', () => {
  /** Acts of two actors on two tenants, an hour apart. */
  async function aLog() {
    const world = open();
    const { clock, operator } = world;
    const tenants = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    for (let number = 0; number < 8; number += 1) {
      const actor = { door: 'console', name: () => Promise.resolve(number % 2 === 0 ? 'even' : 'odd') } as const;
      const act = { action: 'tenants.update', tenantId: tenants[number % 4 < 2 ? 0 : 1]!, after: { number } } as const;
      const asActor = { ...operator, actor };
      await commitAct(asActor, act, [], operator.deadline());
      clock.advance(HOUR_MS);
    }
    const numbers = async (query: object) => (await world.list(query)).entries.map(({ after }) => after?.number);
    return { ...world, tenants, numbers };
  }

  it('has the newest first, of a tenant, an actor, the last hours, or all of these (R-204)', async () => {
    const { numbers, tenants, clock } = await aLog();
    expect(await numbers({})).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await numbers({ tenant: tenants[0]!.toUpperCase() })).toEqual([5, 4, 1, 0]);
    expect(await numbers({ actor: 'odd' })).toEqual([7, 5, 3, 1]);
    expect(await numbers({ since: new Date(clock.nowMs() - 3 * HOUR_MS) })).toEqual([7, 6, 5]);
    expect(await numbers({ tenant: tenants[1], actor: 'odd', since: new Date(clock.nowMs() - 3 * HOUR_MS) })).toEqual([
      7,
    ]);
    expect(await numbers({ actor: 'nobody' })).toEqual([]);
  });

  it('goes on from page to page without a gap, and says where (R-204)', async () => {
    const { list, tenants } = await aLog();
    for (const query of [{}, { actor: 'even' }, { tenant: tenants[1], actor: 'odd' }]) {
      const all = (await list(query)).entries;
      const paged = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({ ...query, limit: 3, ...(after && { after }) });
        expect(page.entries.length).toBeLessThanOrEqual(3);
        paged.push(...page.entries);
        after = page.next;
      } while (after !== null);
      expect(paged).toEqual(all);
      expect(all.length).toBeGreaterThan(1);
    }
  });

  it.each([
    [{ limit: 0 }, 'limit must be a whole number'],
    [{ limit: 1001 }, 'limit must be a whole number'],
    [{ tenant: '../x' }, 'must be a GUID'],
    [{ after: '../../apiKeys/x' }, 'after must be the id of an entry'],
  ])('refuses %j', async (query, message) => {
    await expect(open().list(query)).rejects.toThrow(message);
  });
});
