/** Live transfers, on a store and a bucket in memory: what is told, and what runs. */
import { liveTransferPath, uploadsPath } from '../../../shared/documents/paths';
import type { TenantId } from '../../../shared/domain/tenant';
import { UPLOAD_GRACE_SECONDS } from '../../../shared/limits/live';
import { UnprocessableEvent } from '../../../shared/events/event-handler';
import { releaseWrite } from '../../../shared/transfers/runs/bucket-ownership';
import { unregisterLiveTransfer } from '../../../shared/transfers/runs/live/live-transfers';
import { AccessDenied } from '../../../shared/transfers/object-storage';
import { BUCKET, LiveWorld } from '../../support/live-world';

const ADA = '11111111-1111-4111-8111-111111111111';
const BEN = '22222222-2222-4222-8222-222222222222';
const HOUR_MS = 3_600_000;

let world: LiveWorld;
let ada: TenantId;

beforeEach(async () => {
  world = new LiveWorld();
  ada = await world.openTenant(ADA);
  await world.register(ada, ['shop/']);
});

const waiting = (tenantId: TenantId) => world.store.count(uploadsPath(tenantId), world.deadline());
const runsOf = async (tenantId: TenantId) =>
  (await world.runs(tenantId)).map(({ kind, run }) => ({ kind, status: run.status, ...run.files }));
const row = (email: string) => `{"Email":"${email}"}\n`;

/** Until nothing waits. */
async function minute(): Promise<void> {
  await world.start();
  await world.runSteps();
}

describe('an upload', () => {
  it('is read by the next run, and what is uploaded in a minute by one (R-378, R-379)', async () => {
    for (let index = 0; index < 700; index += 1)
      await world.tell(world.upload(`shop/customers-${index}.ndjson`, row(`a${index}@example.com`)));
    expect(await runsOf(ada)).toEqual([]);
    await minute();
    expect(await runsOf(ada)).toEqual([
      { kind: 'live', status: 'succeeded', found: 700, finished: 700, skipped: 0, failed: 0 },
    ]);
    expect([await world.customers(ada), await waiting(ada)]).toEqual([700, 0]);
    await minute();
    expect(await runsOf(ada)).toHaveLength(1);
  });

  it('writes the document of its tenant once, however many come: 10,000 are one run (R-379)', async () => {
    const events = Array.from({ length: 10_000 }, (_, index) => world.upload(`shop/customers-${index}.ndjson`));
    world.store.forget();
    for (let index = 0; index < events.length; index += 100)
      await Promise.all(events.slice(index, index + 100).map((event) => world.tell(event)));
    const toTenant = world.store.writes.filter(({ paths }) => paths.includes(liveTransferPath(ada)));
    expect(toTenant.length).toBeLessThanOrEqual(100); // those that came at once with the first
    expect(await waiting(ada)).toBe(10_000);
    await world.start();
    expect(world.steps).toHaveLength(1);
    await world.start();
    expect(world.steps).toHaveLength(1);
  });

  it('is read once, in whatever order and however often it is told (R-378)', async () => {
    const [first, second] = [world.upload('shop/customers-1.ndjson'), world.upload('shop/customers-2.ndjson')];
    for (const event of [second, first, second, first]) await world.tell(event);
    await minute();
    for (const event of [first, second]) await world.tell(event);
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ finished: 2, skipped: 0 }]);
  });

  it('that is told while its run looks for uploads waits for the next one (R-379)', async () => {
    await world.tell(world.upload('shop/customers-1.ndjson', row('a@example.com')));
    await world.start();
    const later = world.upload('shop/customers-2.ndjson', row('b@example.com'));
    await world.runSteps();
    await world.tell(later);
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ finished: 1 }, { finished: 1 }]);
    expect(await world.customers(ada)).toBe(2);
  });

  it('of an object that was replaced is read as it is now, once (R-378)', async () => {
    const old = world.upload('shop/customers.ndjson', row('old@example.com'));
    const replaced = world.upload('shop/customers.ndjson', row('a@example.com') + row('b@example.com'));
    for (const event of [old, replaced]) await world.tell(event);
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ found: 1, finished: 1 }]);
    expect(await world.customers(ada)).toBe(2);
  });

  it('of an object that is gone again does no harm (R-378)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    world.remove('shop/customers.ndjson');
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ status: 'succeeded', found: 0 }]);
    expect((await world.runs(ada))[0]?.run.warnings ?? {}).toEqual({});
    expect(await waiting(ada)).toBe(0);
  });

  it('in another folder, of another bucket, of a folder’s placeholder, or of nobody is not noted (R-378)', async () => {
    const ben = await world.openTenant(BEN, { organizationId: 'other' });
    const events = [
      world.upload('crm/customers.ndjson'),
      world.upload('shop/customers.ndjson', '', 'other-exports'),
      world.upload('shop/'),
    ];
    world.store.forget();
    for (const event of events) await world.tell(event);
    expect(world.store.writes).toEqual([]);
    await world.start();
    expect([world.steps, await waiting(ben)]).toEqual([[], 0]);
  });

  it('is read for each tenant with its folder, and for no other (R-378)', async () => {
    const ben = await world.openTenant(BEN);
    await world.register(ben, ['/shop/new/', 'crm/']);
    await world.tell(world.upload('shop/new/customers.ndjson'));
    await world.tell(world.upload('shop/customers.ndjson', row('b@example.com')));
    await minute();
    expect([await world.customers(ada), await world.customers(ben)]).toEqual([2, 1]);
  });
});

describe('a forged event', () => {
  it('of an object that does not exist makes the service look, and nothing else (R-378)', async () => {
    await world.tell({ kind: 'storage#object', bucket: BUCKET, name: 'shop/customers.ndjson', generation: '7' });
    await minute();
    expect(world.looks).toBe(1);
    expect(await runsOf(ada)).toMatchObject([{ status: 'succeeded', found: 0 }]);
  });

  const object = { kind: 'storage#object', bucket: BUCKET, name: 'shop/customers.csv', generation: '1' };

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'text'],
    ['an empty object', {}],
    ['of another kind', { ...object, kind: 'storage#bucket' }],
    ['without a name', { ...object, name: '' }],
    ['with a name that is too long', { ...object, name: 'x'.repeat(1_025) }],
    ['with a generation below 0', { ...object, generation: '-1' }],
    ['with a generation that is no text', { ...object, generation: 1 }],
    ['with a bucket that is no text', { ...object, bucket: [BUCKET] }],
    ['that goes on after nobody', { start: true, after: 'nobody' }],
    ['that nearly asks for a start', { start: 'true' }],
  ])('that can be none is refused for good: %s (R-378)', async (_what, event) => {
    await expect(world.tell(event)).rejects.toThrow(UnprocessableEvent);
    expect(await waiting(ada)).toBe(0);
  });

  it('of a bucket with a name that no bucket can have is nobody’s (R-378)', async () => {
    for (const bucket of ['../x', 'a/b', '', 'x'.repeat(5_000)])
      await world.tell({ kind: 'storage#object', bucket, name: 'shop/customers.ndjson', generation: '1' });
    expect(await waiting(ada)).toBe(0);
  });
});

describe('the start of runs', () => {
  it('goes on behind the tenants that it had time for (R-379)', async () => {
    const ben = await world.openTenant(BEN);
    await world.register(ben);
    await world.tell(world.upload('shop/customers.ndjson'));
    await world.tell({ start: true }, { remainingMs: () => 5_000 });
    expect(world.again).toEqual([{ start: true, after: BEN }]);
    await world.tell(world.again[0]);
    await world.runSteps();
    expect([await runsOf(ada), await runsOf(ben)]).toMatchObject([[{ finished: 1 }], [{ finished: 1 }]]);
  });

  it('that ends halfway is made up for by the next one, and is no second run (R-379)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    for (const failing of [1, 2]) {
      let commits = 0;
      world.store.failing = ({ paths }) => paths.includes(liveTransferPath(ada)) && (commits += 1) === failing;
      await expect(world.start()).rejects.toThrow();
    }
    world.store.failing = () => false;
    await minute();
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ kind: 'live', finished: 1 }]);
  });

  it('leaves the uploads of a suspended tenant waiting until it is resumed (R-379)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    await world.openTenant(ADA, { suspendedSince: new Date(world.clock.nowMs()) });
    await minute();
    expect([await runsOf(ada), await waiting(ada)]).toEqual([[], 1]);
    await world.openTenant(ADA);
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ finished: 1 }]);
  });
});

describe('a run of uploads', () => {
  it('fails where the bucket cannot be read, and the next one reads them (R-379)', async () => {
    await world.tell(world.upload('shop/customers.ndjson', row('a@example.com')));
    world.refusal = new AccessDenied('No.');
    await minute();
    world.refusal = undefined;
    await world.tell(world.upload('shop/customers-2.ndjson', row('b@example.com')));
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ status: 'failed' }, { status: 'succeeded', finished: 2 }]);
  });

  it('reads nothing of a bucket that was released meanwhile (R-378)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    await world.store.commit([releaseWrite(BUCKET)], world.deadline());
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ status: 'failed' }]);
    expect(world.looks).toBe(0);
  });

  it('reads nothing of a folder that is registered no more (R-377)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    await world.register(ada, ['crm/']);
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ found: 0 }]);
    expect(world.looks).toBe(0);
  });

  it('leaves what has come for a later registration to the next run (R-377)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    await world.start();
    await world.register(ada, ['crm/']);
    await world.tell(world.upload('crm/customers.ndjson', row('a@example.com')));
    await world.runSteps(); // of the run of `shop/`
    expect(await waiting(ada)).toBe(1);
    await minute();
    expect(await runsOf(ada)).toMatchObject([{ found: 1 }, { found: 1 }]);
    expect([await world.customers(ada), await waiting(ada)]).toEqual([2, 0]);
  });

  it('comes to nobody who has unregistered (R-377)', async () => {
    await world.tell(world.upload('shop/customers.ndjson'));
    await unregisterLiveTransfer(ada, world.deadline(), world.store);
    await world.tell(world.upload('shop/customers-2.ndjson'));
    await minute();
    expect(await runsOf(ada)).toEqual([]);
  });

  it('names the files whose names it does not know (R-105, R-378)', async () => {
    await world.tell(world.upload('shop/kunden.csv'));
    await minute();
    const [shown] = await world.runs(ada);
    expect(shown?.run.warnings).toMatchObject({ unknownKind: { count: 1, examples: [{ object: 'shop/kunden.csv' }] } });
  });
});

describe('the daily sweep', () => {
  it('reads what nothing has told of, and says how many files those are (R-380)', async () => {
    world.clock.advance(HOUR_MS);
    for (let index = 0; index < 3; index += 1) world.upload(`shop/customers-${index}.ndjson`);
    await world.tell(world.upload('shop/customers-told.ndjson'));
    await minute();
    world.clock.advance(HOUR_MS);
    await world.sweep(ada, ['shop/']);
    const [, sweep] = await world.runs(ada);
    expect(sweep).toMatchObject({ kind: 'sweep', run: { status: 'succeeded', files: { finished: 3, skipped: 1 } } });
    expect(sweep?.run.warnings).toMatchObject({ uploadMissed: { count: 3 } });
  });

  it('calls no file missed that was there before the registration, or came a moment ago (R-380)', async () => {
    const fresh = new LiveWorld();
    const tenantId = await fresh.openTenant(ADA);
    fresh.upload('shop/customers-before.ndjson');
    fresh.clock.advance(HOUR_MS);
    await fresh.register(tenantId);
    fresh.clock.advance(HOUR_MS);
    fresh.upload('shop/customers-now.ndjson');
    fresh.clock.advance((UPLOAD_GRACE_SECONDS - 1) * 1_000);
    await fresh.sweep(tenantId);
    const [sweep] = await fresh.runs(tenantId);
    expect(sweep).toMatchObject({ kind: 'sweep', run: { files: { finished: 2 } } });
    expect(sweep?.run.warnings ?? {}).toEqual({});
  });
});
