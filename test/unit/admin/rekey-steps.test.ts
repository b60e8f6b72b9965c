/** Re-keying in steps, as the console asks for it. */
import { AUDIT_LOG, recordsPath, rekeyPassPath } from '../../../shared/documents/paths';
import type { DocumentStore } from '../../../shared/documents/document-store';
import type { Tenant } from '../../../shared/domain/tenant';
import { REKEY_STEP_MS } from '../../../shared/limits/rekeying';
import { STALE_TENANT_MS } from '../../../shared/limits/tenants';
import type { Operator } from '../../../shared/operations/operator';
import { readRekeying, rekeyStep, rekeyTenant } from '../../../shared/operations/rekey';
import { createTenant, updateTenant } from '../../../shared/operations/tenants';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';
import { operatorOn } from '../../support/memory-operator';
import { overriding } from '../../support/overriding';
import { SeededRandom } from '../../support/seeded-random';
import { upsertCustomers } from '../../support/upserts';

const CUSTOMERS = 250;
/** So long after a change nothing can be under way that goes by the settings before it. */
const SETTLED_MS = STALE_TENANT_MS + 1_000;
/** More than a pass has pages. */
const MAX_STEPS = 50;

interface World {
  readonly clock: FixedClock;
  readonly memory: DocumentStore;
  readonly operator: ReturnType<typeof operatorOn>;
  readonly tenant: Tenant;
}

/** A tenant of customers whose identifier was changed long ago. Pairs of them have the same customer id. */
async function aWorld(): Promise<World> {
  const clock = new FixedClock();
  const memory: DocumentStore = new MemoryDocumentStore(clock);
  const operator = operatorOn(memory, { clock, random: new SeededRandom() });
  const { tenantId } = await createTenant({ organization: 'acme' }, operator);
  const batch = Array.from({ length: CUSTOMERS }, (_, n) => ({ Email: `c${n}@x.com`, CustomerId: `id-${n % 125}` }));
  await upsertCustomers(batch, await updateTenant(tenantId, {}, operator), operator.deadline(), operator);
  const tenant = await updateTenant(tenantId, { customerIdentifier: 'customerid' }, operator);
  return { clock, memory, operator, tenant };
}

/** One page takes the time of a step. */
function slow({ clock, memory, operator }: World): Operator {
  const store = overriding(memory, {
    listRefs: (...page) => {
      clock.advance(REKEY_STEP_MS);
      return memory.listRefs(...page);
    },
  });
  return { ...operator, store };
}

async function stateOf({ tenant, operator }: World) {
  return readRekeying(tenant, operator);
}

async function keysOf({ tenant, memory, operator }: World): Promise<string[]> {
  const stored = await memory.list(recordsPath(tenant.tenantId, 'customers'), { limit: 1_000 }, operator.deadline());
  return stored.map(({ data }) => data.CustomerId as string).sort();
}

async function outcomes({ memory, operator }: World): Promise<string[]> {
  const entries = await memory.list(AUDIT_LOG, { limit: 100 }, operator.deadline());
  return entries
    .filter(({ data }) => data.action === 'tenants.rekey')
    .map(({ data }) => data.outcome as string)
    .sort();
}

/** Goes on until all is done. @returns what each step has answered */
async function stepsToEnd({ tenant, operator }: World, by: Operator = operator) {
  const answers = [];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const answer = await rekeyStep(tenant.tenantId, by);
    answers.push(answer);
    if (answer.state === 'complete') return answers;
  }
  throw new Error('It does not end.');
}

const EXPECTED_KEYS = Array.from({ length: 125 }, (_, n) => `id-${n}`).sort();

it('goes on where the last step has ended, until it is over, as one act of the audit log (R-341)', async () => {
  const world = await aWorld();
  world.clock.advance(SETTLED_MS);
  expect(await stateOf(world)).toMatchObject({ state: 'due', pass: null });
  const answers = await stepsToEnd(world, slow(world));
  const lookedAt = answers.flatMap(({ pass }) => (pass ? [pass.customers.lookedAt] : []));
  expect(lookedAt.length).toBeGreaterThan(2);
  expect(lookedAt).toEqual([...lookedAt].sort((a, b) => a - b));
  expect(await keysOf(world)).toEqual(EXPECTED_KEYS);
  expect(await outcomes(world)).toEqual(['begun', 'done']);
  expect(await world.memory.get(rekeyPassPath(world.tenant.tenantId), world.operator.deadline())).toBeUndefined();
});

it('says that it is unfinished where somebody has left, and the command goes on with it', async () => {
  const world = await aWorld();
  world.clock.advance(SETTLED_MS);
  await rekeyStep(world.tenant.tenantId, slow(world));
  expect(await stateOf(world)).toMatchObject({ state: 'unfinished' });
  const { merged, repeatAfter } = await rekeyTenant(world.tenant.tenantId, world.operator);
  expect({ merged, repeatAfter }).toEqual({ merged: 125, repeatAfter: null });
  expect(await stateOf(world)).toMatchObject({ state: 'complete' });
  expect(await outcomes(world)).toEqual(['begun', 'done']);
});

it('is repeated after the time in which work that was under way may store by the old identifiers', async () => {
  const world = await aWorld();
  const first = await rekeyStep(world.tenant.tenantId, world.operator);
  expect(first).toMatchObject({ state: 'waiting', pass: { customers: { merged: 125 } } });
  const untouched = await rekeyStep(world.tenant.tenantId, world.operator);
  expect({ untouched, acts: await outcomes(world) }).toEqual({ untouched: first, acts: ['begun', 'done'] });
  world.clock.advance(SETTLED_MS);
  expect(await stateOf(world)).toMatchObject({ state: 'due' });
  expect(await rekeyStep(world.tenant.tenantId, world.operator)).toMatchObject({ state: 'complete' });
  expect(await outcomes(world)).toEqual(['begun', 'begun', 'done', 'done']);
});

it('is right when a step dies at any of its commits, and another one goes on', async () => {
  for (let fatal = 1; fatal < 10_000; fatal += 40) {
    const world = await aWorld();
    world.clock.advance(SETTLED_MS);
    let commits = 0;
    const dying = overriding(world.memory, {
      commit: (writes, deadline) => {
        commits += 1;
        return commits === fatal ? Promise.reject(new Error('killed')) : world.memory.commit(writes, deadline);
      },
    });
    const step = () => rekeyStep(world.tenant.tenantId, { ...world.operator, store: dying });
    const isKilled = await step().then(
      () => false,
      (error: unknown) => (error as Error).message === 'killed',
    );
    await stepsToEnd(world);
    expect(await keysOf(world)).toEqual(EXPECTED_KEYS);
    if (!isKilled) return;
  }
});

it('does no harm when two go on at once, and counts each record that is merged once', async () => {
  const world = await aWorld();
  world.clock.advance(SETTLED_MS);
  const { tenantId } = world.tenant;
  const merged: number[] = [];
  const isOver = async () => {
    const both = await Promise.all([rekeyStep(tenantId, slow(world)), rekeyStep(tenantId, slow(world))]);
    merged.push(...both.flatMap(({ pass }) => (pass ? [pass.customers.merged] : [])));
    return both.every(({ state }) => state === 'complete');
  };
  for (let step = 0; step < MAX_STEPS; step += 1) if (await isOver()) break;
  expect(await keysOf(world)).toEqual(EXPECTED_KEYS);
  expect(Math.max(...merged)).toBe(125);
  expect(await outcomes(world)).toEqual(['begun', 'done']);
});

it('begins anew when an identifier is changed while a pass is under way', async () => {
  const world = await aWorld();
  world.clock.advance(SETTLED_MS);
  await rekeyStep(world.tenant.tenantId, slow(world));
  await updateTenant(world.tenant.tenantId, { orderCustomer: 'customerid' }, world.operator);
  expect(await stateOf(world)).toMatchObject({ state: 'due', pass: null });
  world.clock.advance(SETTLED_MS);
  await stepsToEnd(world);
  expect(await keysOf(world)).toEqual(EXPECTED_KEYS);
});
