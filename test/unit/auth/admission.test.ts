import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gatekeeper, requirePermission } from '../../../shared/auth/admission';
import type { AdmissionStore, CountedLease } from '../../../shared/auth/admission-store';
import type { Deadline } from '../../../shared/platform/deadline';
import type { ApiKey, ApiKeyHash, Caller } from '../../../shared/domain/api-key';
import { EVERY_ORGANIZATION, hashApiKey } from '../../../shared/domain/api-key';
import type { Tenant, TenantId } from '../../../shared/domain/tenant';
import { HttpProblem } from '../../../shared/http/problems';
import { FixedClock } from '../../support/fixed-clock';
import { CollectingLogger } from '../../support/recording-fakes';
import { aKey, keyText } from '../support/key';
import { aTenant, TENANT_ID } from '../support/tenant';
import { TRACE } from '../../support/traces';

const OTHER_TENANT = 'ffffffff-0000-4000-8000-000000000000';
const deadline: Deadline = { remainingMs: () => 1_000 };
const call = { deadline, ...TRACE };

/** Holds one key and one tenant, and remembers what was asked of it. */
class FakeStore implements AdmissionStore {
  key: ApiKey | undefined = aKey();
  tenant: Tenant = aTenant();
  /** Calls of these kinds fail. */
  readonly failing = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly instances = new Map<string, number>();
  private calls: string[] = [];

  /** The calls since this was last asked. */
  takeCalls(): string[] {
    return this.calls.splice(0);
  }

  findKey(hash: ApiKeyHash, until: Deadline): Promise<ApiKey | undefined> {
    return this.answer('key', until, () => (this.key?.hash === hash ? this.key : undefined));
  }

  findTenant(tenantId: TenantId, until: Deadline): Promise<Tenant | undefined> {
    return this.answer('tenant', until, () => (this.tenant.tenantId === tenantId ? this.tenant : undefined));
  }

  countRequest(hash: ApiKeyHash, minute: number): Promise<number> {
    const counter = `${hash}.${minute}`;
    this.counts.set(counter, (this.counts.get(counter) ?? 0) + 1);
    return this.answer('count', deadline, () => this.counts.get(counter)!);
  }

  countLease(hash: ApiKeyHash, minute: number, requests: number, isFirst: boolean): Promise<CountedLease> {
    const counter = `${hash}.${minute}`;
    const count = (this.counts.get(counter) ?? 0) + requests;
    const instances = (this.instances.get(counter) ?? 0) + (isFirst ? 1 : 0);
    this.counts.set(counter, count);
    this.instances.set(counter, instances);
    return this.answer('lease', deadline, () => ({ count, instances }));
  }

  findCount(hash: ApiKeyHash, minute: number, until: Deadline): Promise<number> {
    return this.answer('counted', until, () => this.counts.get(`${hash}.${minute}`) ?? 0);
  }

  private answer<T>(kind: string, until: Deadline, find: () => T): Promise<T> {
    this.calls.push(until === deadline ? kind : `${kind} with another deadline`);
    return this.failing.has(kind)
      ? Promise.reject(new Error('The database cannot be reached.'))
      : Promise.resolve(find());
  }
}

let store: FakeStore;
let clock: FixedClock;
let logger: CollectingLogger;
let gatekeeper: Gatekeeper;

beforeEach(() => {
  store = new FakeStore();
  clock = new FixedClock(); // 30 s into a minute
  logger = new CollectingLogger();
  gatekeeper = new Gatekeeper({ admissionStore: store, clock, logger });
});

const begin = (key: string | undefined = keyText(), tenant?: string) => gatekeeper.begin(key, tenant, call);

/** Has the instance admit the stored key. */
async function see(): Promise<void> {
  await request();
  store.takeCalls();
}

/** An operator, who asks for every organization. */
function operator(): Caller {
  return { ...aKey(), organizationId: EVERY_ORGANIZATION };
}

/** Authenticates and counts one request; gives what its answer says of the limit. */
async function request() {
  const admission = begin();
  await admission.count(await admission.authenticate());
  return admission.status;
}

/** Has the instance admit the stored key to the tenant. */
async function seeTenant(): Promise<void> {
  await see();
  await begin().requireTenant(aKey(), TENANT_ID, 'orders');
  store.takeCalls();
}

/** Has the instance admit the stored key, but not to the tenant. */
async function seeForeign(): Promise<void> {
  await see();
  const key = aKey({ organizationId: 'org-b' });
  await expect(begin().requireTenant(key, TENANT_ID, 'orders')).rejects.toMatchObject({ status: 403 });
  store.takeCalls();
}

/** Has the instance refuse the stored key, which lacks the permission. */
async function seeForbidden(): Promise<void> {
  const admission = begin().requireTenant(aKey({ permissions: ['customers'] }), TENANT_ID, 'orders');
  await expect(admission).rejects.toMatchObject({ status: 403 });
}

/** Has the instance look for the tenant, which is not there. */
async function seeRemoved(): Promise<void> {
  jest.spyOn(store, 'findTenant').mockResolvedValueOnce(undefined);
  await expect(begin().requireTenant(aKey(), TENANT_ID, 'orders')).rejects.toMatchObject({ status: 404 });
}

/** Has the instance refuse the stored key, which may send what it likes from then on. */
async function exceed(): Promise<void> {
  const { key } = store;
  store.key = aKey({ requestsPerMinute: 0 });
  await expect(request()).rejects.toMatchObject({ status: 429 });
  store.key = key;
}

describe('authentication', () => {
  it('gives the stored key', async () => {
    await expect(begin().authenticate()).resolves.toBe(store.key);
  });

  it.each([undefined, '', 'no key', `${keyText()} `])(
    'refuses %j, which is no key, and reads nothing',
    async (text) => {
      await expect(gatekeeper.begin(text, TENANT_ID, call).authenticate()).rejects.toMatchObject({ status: 401 });
      expect(store.takeCalls()).toStrictEqual([]);
    },
  );

  it('reads an unknown key once: its repeats read nothing', async () => {
    for (const calls of [['key'], []]) {
      await expect(begin(keyText(2), TENANT_ID).authenticate()).rejects.toMatchObject({ status: 401 });
      expect(store.takeCalls()).toStrictEqual(calls);
    }
    await expect(begin().authenticate()).resolves.toBe(store.key);
  });

  it('reads a revoked key once: its repeats read nothing', async () => {
    store.key = aKey({ revokedAtMs: 0 });
    for (const calls of [['key'], []]) {
      await expect(begin().authenticate()).rejects.toMatchObject({ status: 401 });
      expect(store.takeCalls()).toStrictEqual(calls);
    }
  });

  it('refuses a key from its revocation on, however often it was seen valid', async () => {
    await see();
    store.key = aKey({ revokedAtMs: clock.nowMs() });
    for (const calls of [['key', 'count', 'tenant'], []]) {
      await expect(begin(keyText(), TENANT_ID).authenticate()).rejects.toMatchObject({ status: 401 });
      expect(store.takeCalls()).toStrictEqual(calls);
    }
  });

  it('refuses a key from its end on, however often it was seen valid, and reads nothing more for it (R-205)', async () => {
    store.key = aKey({ expiresAtMs: clock.nowMs() + 1_000 });
    await see();
    clock.advance(999);
    await expect(begin().authenticate()).resolves.toBe(store.key);
    store.takeCalls();
    clock.advance(1);
    for (const calls of [['key', 'count', 'tenant'], []]) {
      await expect(begin(keyText(), TENANT_ID).authenticate()).rejects.toMatchObject({ status: 401 });
      expect(store.takeCalls()).toStrictEqual(calls);
    }
  });

  it('keeps the key that was sent, also one that it refuses, for what is told of the request', async () => {
    const admission = begin();
    expect(admission.key).toBeUndefined();
    store.key = aKey({ revokedAtMs: 0 });
    await expect(admission.authenticate()).rejects.toMatchObject({ status: 401 });
    expect(admission.key).toBe(store.key);
  });

  it('refuses in the words of the door at which somebody asks', async () => {
    const ended = new HttpProblem(401, 'The session has ended.');
    const door = new Gatekeeper({ admissionStore: store, clock, logger }, () => ended);
    await expect(door.begin(undefined, undefined, call).authenticate()).rejects.toBe(ended);
    await expect(door.begin(keyText(2), undefined, call).authenticate()).rejects.toBe(ended);
  });

  it('takes no key for unknown because the database cannot be reached', async () => {
    store.failing.add('key');
    await expect(begin().authenticate()).rejects.toThrow('The database cannot be reached.');
    store.failing.clear();
    await expect(begin().authenticate()).resolves.toBe(store.key);
  });
});

describe('counting', () => {
  const resetSeconds = Date.parse('2026-03-01T12:01:00Z') / 1000;

  it('says the default limit until the request is counted', () => {
    expect(begin().status).toStrictEqual({ limit: 100, remaining: 100, resetSeconds });
  });

  it('lets exactly as many requests through in a minute as the key may send', async () => {
    store.key = aKey({ requestsPerMinute: 2 });
    await expect(request()).resolves.toStrictEqual({ limit: 2, remaining: 1, resetSeconds });
    await expect(request()).resolves.toStrictEqual({ limit: 2, remaining: 0, resetSeconds });
    await expect(request()).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '30' } });
    clock.advance(30_000);
    await expect(request()).resolves.toMatchObject({ remaining: 1 });
  });

  it('says the limit of the key with a refusal', async () => {
    store.key = aKey({ requestsPerMinute: 0 });
    const admission = begin();
    const key = await admission.authenticate();
    await expect(admission.count(key)).rejects.toMatchObject({ status: 429 });
    expect(admission.status).toStrictEqual({ limit: 0, remaining: 0, resetSeconds });
  });

  it('counts a request once, however often it asks', async () => {
    const admission = begin();
    const key = await admission.authenticate();
    await admission.count(key);
    await admission.count(key);
    expect(admission.status.remaining).toBe(99);
    expect(store.takeCalls()).toStrictEqual(['key', 'count']);
  });

  it('lets a request through when the counter cannot be reached, and logs it without the key (D-36)', async () => {
    store.failing.add('count');
    await expect(request()).resolves.toMatchObject({ limit: 100, remaining: 99 });
    expect(logger.entries).toStrictEqual([
      {
        severity: 'WARNING',
        message: 'The rate counter cannot be reached; the request is let through.',
        details: {
          ...TRACE,
          keyId: 'key-1',
          error: 'Error',
          reason: 'The database cannot be reached.',
          stack_trace: expect.any(String) as string,
        },
      },
    ]);
    expect(JSON.stringify(logger.entries)).not.toContain(store.key!.hash);
  });

  it('lets exactly as many through as the key may send while the counter cannot be reached, however many at once (D-36)', async () => {
    store.key = aKey({ requestsPerMinute: 5 });
    store.failing.add('count');
    const ends = await Promise.allSettled(Array.from({ length: 12 }, () => request()));
    expect(ends.map(({ status }) => status)).toStrictEqual([
      ...Array<string>(5).fill('fulfilled'),
      ...Array<string>(7).fill('rejected'),
    ]);
    expect(ends.flatMap((end) => (end.status === 'fulfilled' ? end.value.remaining : []))).toStrictEqual([
      4, 3, 2, 1, 0,
    ]);
    clock.advance(30_000);
    await expect(request()).resolves.toMatchObject({ remaining: 4 });
  });

  it('logs apart which requests it lets through, and which it refuses, while the counter cannot be reached (D-36)', async () => {
    store.key = aKey({ requestsPerMinute: 2 });
    await see(); // the next ones are counted ahead
    store.failing.add('count');
    const ends = await Promise.allSettled([request(), request()]);
    expect(ends.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected']);
    expect(logger.entries.map(({ message }) => message).sort()).toStrictEqual([
      'The rate counter cannot be reached; the request is let through.',
      'The rate counter cannot be reached; the request is refused, as its key has passed its limit here.',
    ]);
  });

  it('goes on from what it has counted when the counter cannot be reached any more (D-36)', async () => {
    store.key = aKey({ requestsPerMinute: 3 });
    await request();
    await request();
    store.failing.add('count');
    await expect(request()).resolves.toMatchObject({ remaining: 0 });
    await expect(request()).rejects.toMatchObject({ status: 429 });
  });

  it('admits each that the counter admits, whatever comes out of order (D-36)', async () => {
    store.key = aKey({ requestsPerMinute: 2 });
    await see();
    const answers: ((count: number) => void)[] = [];
    jest.spyOn(store, 'countRequest').mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
    const ends = Promise.allSettled([request(), request(), request()]);
    await nextTurn();
    for (const [index, count] of [4, 3, 2].entries()) answers[index]!(count);
    expect((await ends).map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('admits each that the counter admits, whatever others are refused meanwhile (D-36)', async () => {
    store.key = aKey({ requestsPerMinute: 2 });
    const ends = await Promise.allSettled(Array.from({ length: 9 }, () => request()));
    expect(ends.map(({ status }) => status)).toStrictEqual([
      ...Array<string>(2).fill('fulfilled'),
      ...Array<string>(7).fill('rejected'),
    ]);
  });

  describe('by a counter that is slow', () => {
    /** Holds the calls to the counter; gives what answers them. */
    function holdCounter(): ((count: number) => void)[] {
      const answers: ((count: number) => void)[] = [];
      jest.spyOn(store, 'countRequest').mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
      return answers;
    }

    it('lets through as many as the key may send, and has those that it would refuse wait for the counter (D-36)', async () => {
      store.key = aKey({ requestsPerMinute: 3 });
      await see(); // the next ones are counted ahead
      const answers = holdCounter();
      const ends = [request(), request(), request(), request()];
      await expect(Promise.all(ends.slice(0, 2))).resolves.toMatchObject([{ remaining: 1 }, { remaining: 0 }]);
      answers[2]!(3);
      answers[3]!(4);
      await expect(ends[2]).resolves.toMatchObject({ remaining: 0 });
      await expect(ends[3]).rejects.toMatchObject({ status: 429 });
      expect(logger.entries.map(({ details }) => details.reason)).toStrictEqual([
        'There was no answer within 2000 ms.',
        'There was no answer within 2000 ms.',
      ]);
    });

    it('lets none through because this process was busy: what has arrived is read first (D-36)', async () => {
      const answers = holdCounter();
      const end = request();
      await nextTurn();
      expect(answers).toHaveLength(1);
      setTimeout(() => setImmediate(() => setImmediate(answers[0]!, 7)), 10);
      for (const endMs = performance.now() + 2_500; performance.now() < endMs;);
      await expect(end).resolves.toMatchObject({ remaining: 93 });
    });
  });

  describe('after a refusal in this minute', () => {
    beforeEach(async () => {
      store.key = aKey({ requestsPerMinute: 1 });
      await request();
      await expect(request()).rejects.toMatchObject({ status: 429 });
      store.failing.add('count');
    });

    it('counts those that it refuses, for a limit that is raised', async () => {
      store.failing.clear();
      for (let attempt = 0; attempt < 3; attempt += 1) await expect(request()).rejects.toMatchObject({ status: 429 });
      store.key = aKey({ requestsPerMinute: 9 });
      await expect(request()).resolves.toMatchObject({ limit: 9, remaining: 3 });
    });

    it('refuses without asking the counter: a flood must not keep its document hot (D-36)', async () => {
      store.takeCalls();
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const admission = begin(keyText(), TENANT_ID);
        const key = await admission.authenticate();
        await expect(admission.count(key)).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '30' } });
        expect(admission.status).toStrictEqual({ limit: 1, remaining: 0, resetSeconds });
      }
      expect(store.takeCalls()).toStrictEqual(['key', 'key', 'key']);
      expect(logger.entries).toStrictEqual([]);
    });

    it('lets requests of the next minute through', async () => {
      clock.advance(30_000);
      await expect(request()).resolves.toMatchObject({ remaining: 0 });
    });

    it('lets requests through once the limit was raised, after those that there were', async () => {
      store.key = aKey({ requestsPerMinute: 4 });
      await expect(request()).resolves.toMatchObject({ limit: 4, remaining: 1 });
      store.failing.clear();
      await expect(request()).resolves.toMatchObject({ limit: 4, remaining: 0 });
    });

    it('lets requests of other keys through', async () => {
      store.key = aKey({ hash: hashApiKey(keyText(2))!, requestsPerMinute: 1 });
      const admission = begin(keyText(2));
      await expect(admission.count(await admission.authenticate())).resolves.toBeUndefined();
    });
  });
});

describe('counting a key with a high limit (R-126)', () => {
  const LIMIT = 1_000;
  beforeEach(() => {
    store.key = aKey({ requestsPerMinute: LIMIT });
  });

  /** Authenticates, counts and settles one request; gives what its answer says is left. */
  async function remaining(instance = gatekeeper): Promise<number> {
    const admission = instance.begin(keyText(), undefined, call);
    await admission.count(await admission.authenticate());
    await admission.settleStatus();
    return admission.status.remaining;
  }

  it.each([
    [120, ['key', 'count']],
    [121, ['key', 'lease']],
  ])('of %i requests a minute makes the calls %j', async (requestsPerMinute, calls) => {
    store.key = aKey({ requestsPerMinute });
    await expect(remaining()).resolves.toBe(requestsPerMinute - 1);
    expect(store.takeCalls()).toStrictEqual(calls);
  });

  it('says to a lone caller one less each time, and writes nothing while it has places (R-127)', async () => {
    const said: number[] = [];
    for (let request = 1; request <= 50; request += 1) said.push(await remaining());
    expect(said).toStrictEqual(said.map((_, index) => LIMIT - 1 - index));
    expect(store.takeCalls().filter((kind) => kind === 'lease').length).toBeLessThan(10);
  });

  it('admits without waiting for the counter, which is only read, and only for what the answer says', async () => {
    for (let request = 0; request < 2; request += 1) await remaining();
    store.takeCalls();
    let look: (count: number) => void = () => undefined;
    jest.spyOn(store, 'findCount').mockReturnValueOnce(new Promise((resolve) => (look = resolve)));
    const admission = begin();
    await admission.count(await admission.authenticate());
    expect(store.takeCalls()).toStrictEqual(['key']);
    expect(admission.status.remaining).toBe(3); // what this instance has left
    look(6);
    await admission.settleStatus();
    expect(admission.status.remaining).toBe(LIMIT - 3);
  });

  it('never says more than there is: what others have leased is gone (R-127)', async () => {
    const other = new Gatekeeper({ admissionStore: store, clock, logger });
    let admitted = 0;
    for (let round = 0; round < 40; round += 1) {
      for (const instance of [gatekeeper, other, other]) {
        admitted += 1;
        const said = await remaining(instance);
        expect(said).toBeLessThanOrEqual(LIMIT - admitted);
        expect(said).toBeGreaterThanOrEqual(LIMIT - admitted - LIMIT / 10);
        expect(instance.recallRateStatus(keyText()).remaining).toBe(said);
      }
    }
  });

  it('never says more than there is after requests that were refused by a lower limit, uncounted (R-127)', async () => {
    store.key = aKey({ requestsPerMinute: 1 });
    await request();
    const refused = 30;
    for (let attempt = 0; attempt < refused; attempt += 1) await expect(request()).rejects.toMatchObject({ status: 429 });
    store.key = aKey({ requestsPerMinute: LIMIT });
    const other = new Gatekeeper({ admissionStore: store, clock, logger });
    for (let round = 1; round <= 10; round += 1) {
      for (const instance of [gatekeeper, other]) await remaining(instance);
      const said = await remaining();
      expect(said).toBeLessThanOrEqual(LIMIT - 1 - refused - 3 * round);
    }
  }); // prettier-ignore

  it('asks the counter for no place once a look at it has shown that others took the last one', async () => {
    for (let request = 0; request < 2; request += 1) await remaining();
    await store.countLease(aKey().hash, Math.floor(clock.nowMs() / 60_000), LIMIT, true); // another instance's
    for (let left = 4; left > 0; left -= 1) await remaining();
    store.takeCalls();
    await expect(request()).rejects.toMatchObject({ status: 429 });
    expect(store.takeCalls()).toStrictEqual(['key']);
  });

  it('says what this instance has left where the counter cannot be read (R-127)', async () => {
    for (let request = 0; request < 2; request += 1) await remaining();
    store.failing.add('counted');
    await expect(remaining()).resolves.toBe(3);
    expect(logger.entries).toStrictEqual([]);
  });

  it('says to a request that counts against no key what is left, without those that it has leased itself', async () => {
    for (let request = 0; request < 2; request += 1) await remaining();
    store.takeCalls();
    await expect(gatekeeper.readRateStatus(keyText(), call)).resolves.toMatchObject({ remaining: LIMIT - 2 });
    const fresh = new Gatekeeper({ admissionStore: store, clock, logger });
    await expect(fresh.readRateStatus(keyText(), call)).resolves.toMatchObject({ remaining: LIMIT - 6 });
    expect(store.takeCalls()).toStrictEqual(['key', 'counted', 'key', 'counted']);
  });

  it('takes no lease off a count that was read before it (R-127)', async () => {
    await remaining();
    await store.countLease(aKey().hash, Math.floor(clock.nowMs() / 60_000), 500, true); // another instance's
    let look: (count: number) => void = () => undefined;
    jest.spyOn(store, 'findCount').mockReturnValueOnce(new Promise((resolve) => (look = resolve)));
    const status = gatekeeper.readRateStatus(keyText(), call);
    await nextTurn();
    await request(); // leases some more
    look(501);
    await expect(status).resolves.toMatchObject({ remaining: LIMIT - 501 });
  });

  it('admits exactly the limit of requests that come at once, and then neither writes nor reads the counter', async () => {
    const ends = await Promise.allSettled(Array.from({ length: LIMIT + 50 }, () => request()));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
    expect(ends.slice(0, LIMIT).every(({ status }) => status === 'fulfilled')).toBe(true);
    store.takeCalls();
    await expect(request()).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '30' } });
    expect(store.takeCalls()).toStrictEqual(['key']);
    clock.advance(30_000);
    await expect(remaining()).resolves.toBe(LIMIT - 1);
  });

  it('lets requests through when the counter cannot be reached, up to the limit, and goes on when it can (D-36)', async () => {
    store.failing.add('lease');
    const ends = await Promise.allSettled(Array.from({ length: LIMIT + 3 }, () => request()));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
    expect(logger.entries.filter(({ message }) => message.includes('let through'))).toHaveLength(LIMIT);
    clock.advance(30_000);
    store.failing.clear();
    await expect(remaining()).resolves.toBe(LIMIT - 1);
  });

  it('counts by the limit of now: one that was lowered is kept, one that was raised goes on', async () => {
    for (let request = 0; request < 4; request += 1) await remaining(); // two more are in reserve
    store.key = aKey({ requestsPerMinute: 5 });
    await expect(remaining()).resolves.toBe(0);
    await expect(request()).rejects.toMatchObject({ status: 429 });
    store.key = aKey({ requestsPerMinute: LIMIT });
    await expect(request()).resolves.toMatchObject({ limit: LIMIT });
  });
});

describe('what is said to a request that counts against no key (Spec §8, D-34)', () => {
  const resetSeconds = Date.parse('2026-03-01T12:01:00Z') / 1000;
  const describeTo = (key: string | undefined = keyText()) => gatekeeper.readRateStatus(key, call);

  it('is the limit of its key, and what is left of it, by one read of each', async () => {
    store.key = aKey({ requestsPerMinute: 5_000 });
    await request();
    const fresh = new Gatekeeper({ admissionStore: store, clock, logger });
    store.takeCalls();
    for (const instance of [gatekeeper, fresh]) {
      await expect(instance.readRateStatus(keyText(), call)).resolves.toStrictEqual({
        limit: 5_000,
        remaining: 4_999,
        resetSeconds,
      });
      expect(store.takeCalls()).toStrictEqual(['key', 'counted']);
    }
  });

  it('is that nothing is left where that is so, in any instance, and one that knows it reads only the key', async () => {
    store.key = aKey({ requestsPerMinute: 1 });
    await request();
    store.takeCalls();
    await expect(describeTo()).resolves.toMatchObject({ limit: 1, remaining: 0 });
    expect(store.takeCalls()).toStrictEqual(['key']);
    await expect(request()).rejects.toMatchObject({ status: 429 });
    await expect(new Gatekeeper({ admissionStore: store, clock, logger }).readRateStatus(keyText(), call)).resolves.toMatchObject({ limit: 1, remaining: 0 }); // prettier-ignore
    store.takeCalls();
    await expect(describeTo()).resolves.toMatchObject({ limit: 1, remaining: 0 });
    expect(store.takeCalls()).toStrictEqual(['key']);
  });

  it('is the default where there is no key, or none that is valid: an unknown one costs one read', async () => {
    const ordinary = { limit: 100, remaining: 100, resetSeconds };
    await expect(describeTo('no key')).resolves.toStrictEqual(ordinary);
    expect(store.takeCalls()).toStrictEqual([]);
    await expect(describeTo(keyText(2))).resolves.toStrictEqual(ordinary);
    await expect(describeTo(keyText(2))).resolves.toStrictEqual(ordinary);
    expect(store.takeCalls()).toStrictEqual(['key']);
  });

  it('is the default where the database cannot be reached', async () => {
    store.failing.add('key');
    await expect(describeTo()).resolves.toMatchObject({ limit: 100, remaining: 100 });
  });

  it('counts nothing, however often the key was admitted before', async () => {
    await see();
    await describeTo();
    expect(store.takeCalls()).toStrictEqual(['key', 'counted']);
    await expect(request()).resolves.toMatchObject({ remaining: 98 });
  });
});

describe('what is said by memory alone (Spec §8, D-34)', () => {
  const resetSeconds = Date.parse('2026-03-01T12:01:00Z') / 1000;
  const ordinary = { limit: 100, remaining: 100, resetSeconds };

  it('is the limit of a key that was seen, and what this instance knows to be left of it', async () => {
    store.key = aKey({ requestsPerMinute: 7 });
    await see();
    expect(gatekeeper.recallRateStatus(keyText())).toStrictEqual({ limit: 7, remaining: 6, resetSeconds });
    expect(store.takeCalls()).toStrictEqual([]);
  });

  it('is the default for a key that is not known, or not any more', async () => {
    for (const text of [undefined, 'no key', keyText()]) {
      expect(gatekeeper.recallRateStatus(text)).toStrictEqual(ordinary);
    }
    store.key = aKey({ requestsPerMinute: 7 });
    await see();
    store.key = aKey({ revokedAtMs: 0 });
    await expect(begin().authenticate()).rejects.toMatchObject({ status: 401 });
    expect(gatekeeper.recallRateStatus(keyText())).toStrictEqual(ordinary);
  });
});

describe('the tenant of a request', () => {
  it('is the stored one, with its identifier in any case (D-46)', async () => {
    await expect(begin().requireTenant(aKey(), TENANT_ID.toUpperCase(), 'orders')).resolves.toBe(store.tenant);
  });

  it('is 400 when the text is no GUID, and nothing is read', async () => {
    const problem = { status: 400, message: 'Invalid tenant identifier.' };
    await expect(begin().requireTenant(aKey(), 'acme', 'orders')).rejects.toMatchObject(problem);
    expect(store.takeCalls()).toStrictEqual([]);
  });

  it('is 404 when there is none, whatever the key may do', async () => {
    await expect(begin().requireTenant(aKey({ permissions: [] }), OTHER_TENANT, 'orders')).rejects.toMatchObject({
      status: 404,
    });
  });

  it('is 403 for a key of another organization, before its permissions are looked at', async () => {
    const key = aKey({ organizationId: 'org-b', permissions: [] });
    await expect(begin().requireTenant(key, TENANT_ID, 'orders')).rejects.toMatchObject({
      status: 403,
      message: "The tenant does not belong to the API key's organization.",
    });
  });

  it('is 403 for its organization while it is suspended, and stays open to operators (R-210)', async () => {
    store.tenant = { ...aTenant(), suspendedSince: new Date(0) };
    const suspended = { status: 403, message: 'The tenant is suspended.' };
    await expect(begin().requireTenant(aKey(), TENANT_ID, 'orders')).rejects.toMatchObject(suspended);
    const foreign = { message: "The tenant does not belong to the API key's organization." };
    const other = aKey({ organizationId: 'org-b' });
    await expect(begin().requireTenant(other, TENANT_ID, 'orders')).rejects.toMatchObject(foreign);
    await expect(begin().requireTenant(operator(), TENANT_ID, 'orders')).resolves.toBe(store.tenant);
  });

  it('is any one for an operator, who needs the permission, too (R-230)', async () => {
    await expect(begin().requireTenant(operator(), TENANT_ID, 'orders')).resolves.toBe(store.tenant);
    const reader = { ...operator(), permissions: ['records' as const] };
    await expect(begin().requireTenant(reader, TENANT_ID, 'orders')).rejects.toMatchObject({ status: 403 });
  });

  it('is 403 for a key without the permission', async () => {
    const key = aKey({ permissions: ['customers', 'products'] });
    const problem = { status: 403, message: 'The API key lacks the permission orders.' };
    await expect(begin().requireTenant(key, TENANT_ID, 'orders')).rejects.toMatchObject(problem);
    expect(() => requirePermission(key, 'orders')).toThrow(problem.message);
    expect(() => requirePermission(key, 'products')).not.toThrow();
  });
});

describe('what is told of the tenant that a request names', () => {
  const named = (isOwn: boolean, isFound: boolean) => ({ tenantId: TENANT_ID, isOwn, isFound });
  const nothing = { tenantId: undefined, isOwn: false, isFound: false };

  it('is its id in lower case, and whether it was the own one the last time', async () => {
    expect(begin(keyText(), TENANT_ID.toUpperCase()).subject).toStrictEqual(named(false, false));
    await seeTenant();
    expect(begin(keyText(), TENANT_ID).subject).toStrictEqual(named(true, false));
    expect(begin('no key', TENANT_ID).subject).toStrictEqual(named(false, false));
    expect(begin(keyText(2), TENANT_ID).subject).toStrictEqual(named(false, false));
    for (const text of [undefined, 'acme']) expect(begin(keyText(), text).subject).toStrictEqual(nothing);
  });

  it.each<[string, Caller, boolean]>([
    ['of its organization', aKey(), true],
    ['that lacks the permission', aKey({ permissions: [] }), true],
    ['of another organization', aKey({ organizationId: 'org-b' }), false],
    ['of an operator', operator(), true],
  ])('is what its look-up has shown for a key %s', async (_, key, isOwn) => {
    const admission = begin();
    await admission.requireTenant(key, TENANT_ID.toUpperCase(), 'orders').catch(() => undefined);
    expect(admission.subject).toStrictEqual(named(isOwn, true));
  });

  it('is that it belongs to the organization, also while it is suspended (R-210)', async () => {
    store.tenant = { ...aTenant(), suspendedSince: new Date(0) };
    const admission = begin();
    await expect(admission.requireTenant(aKey(), TENANT_ID, 'orders')).rejects.toMatchObject({ status: 403 });
    expect(admission.subject).toStrictEqual(named(true, true));
  });

  it('is no more than its id once it is not there any more, and nothing where the body names none', async () => {
    await seeTenant();
    const admission = begin(keyText(), TENANT_ID);
    jest.spyOn(store, 'findTenant').mockResolvedValueOnce(undefined);
    const removed = begin();
    await expect(removed.requireTenant(aKey(), TENANT_ID, 'orders')).rejects.toMatchObject({ status: 404 });
    expect(removed.subject).toStrictEqual(named(false, false));
    await expect(admission.requireTenant(aKey(), 'acme', 'orders')).rejects.toMatchObject({ status: 400 });
    expect(admission.subject).toStrictEqual(nothing);
  });
});

describe('the reads of an admission', () => {
  it('are made one after the other for a key that was not seen yet: an unknown one costs one read', async () => {
    const admission = begin(keyText(), TENANT_ID);
    expect(store.takeCalls()).toStrictEqual([]);
    const key = await admission.authenticate();
    expect(store.takeCalls()).toStrictEqual(['key']);
    await admission.count(key);
    expect(store.takeCalls()).toStrictEqual(['count']);
    await admission.requireTenant(key, TENANT_ID, 'orders');
    expect(store.takeCalls()).toStrictEqual(['tenant']);
  });

  it('are all made at once, and once each, for a key that was seen', async () => {
    await see();
    const admission = begin(keyText(), TENANT_ID);
    expect(store.takeCalls()).toStrictEqual(['key', 'count', 'tenant']);
    const key = await admission.authenticate();
    await admission.count(key);
    await admission.requireTenant(key, TENANT_ID.toUpperCase(), 'orders');
    expect(store.takeCalls()).toStrictEqual([]);
  });

  it.each([undefined, 'acme'])('are those of key and counter where the path has the tenant %j', async (tenantText) => {
    await see();
    const admission = begin(keyText(), tenantText);
    expect(store.takeCalls()).toStrictEqual(['key', 'count']);
    await admission.requireTenant(await admission.authenticate(), TENANT_ID, 'orders');
    expect(store.takeCalls()).toStrictEqual(['tenant']);
  });

  it.each([
    ['its first request', () => Promise.resolve(), undefined],
    ['a request that was admitted', seeTenant, TENANT_ID],
    ['a request that was admitted to no tenant', see, undefined],
    ['a request to the tenant of another organization', seeForeign, undefined],
    ['a request to a tenant that went to another organization', () => seeTenant().then(seeForeign), undefined],
    ['a request for which the permission was taken away', () => seeTenant().then(seeForbidden), undefined],
    ['a request to a tenant that was removed', () => seeTenant().then(seeRemoved), undefined],
    ['a request to a tenant that came back to the organization', () => seeForeign().then(seeTenant), TENANT_ID],
    [
      'a request that was refused for its key',
      () => expect(begin(keyText(2)).authenticate()).rejects.toThrow(),
      undefined,
    ],
    ['a request that was refused for its limit', () => seeTenant().then(exceed), undefined],
    ['a request that was admitted after such a refusal', () => seeTenant().then(exceed).then(see), TENANT_ID],
  ])('may go on to the tenant while they are made, or not: %s', async (_, before, expected) => {
    await before();
    expect(begin(keyText(), TENANT_ID.toUpperCase()).likelyTenant?.tenantId).toBe(expected);
  });

  it('are one after the other again once a request was refused for its limit: a flood reads no tenant', async () => {
    await see();
    await exceed();
    store.takeCalls();
    begin(keyText(), TENANT_ID);
    expect(store.takeCalls()).toStrictEqual([]);
  });

  it('decide by what is stored now, not by what was seen', async () => {
    await see();
    store.key = aKey({ organizationId: 'org-b' });
    const admission = begin(keyText(), TENANT_ID);
    const key = await admission.authenticate();
    await expect(admission.requireTenant(key, TENANT_ID, 'orders')).rejects.toMatchObject({ status: 403 });
  });

  it('may fail unseen where the request ends before they are needed', async () => {
    await see();
    store.key = undefined;
    store.failing.add('count').add('tenant');
    await expect(begin(keyText(), TENANT_ID).authenticate()).rejects.toMatchObject({ status: 401 });
    await nextTurn(); // an unhandled rejection would fail this test
  });

  it('that fail are reported to whoever needs them', async () => {
    await see();
    store.failing.add('tenant');
    const admission = begin(keyText(), TENANT_ID);
    const key = await admission.authenticate();
    await expect(admission.requireTenant(key, TENANT_ID, 'orders')).rejects.toThrow('The database cannot be reached.');
  });
});
