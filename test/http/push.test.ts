/** The deletion consumer behind its push subscription: functions/deletion-consumer with shared/events/push-handler. */
import { createHash } from 'node:crypto';
import { toDeletionId } from '../../shared/domain/deletion';
import { deadlineIn } from '../../shared/platform/deadline';
import type { TenantId } from '../../shared/domain/tenant';
import { createDeletionConsumer } from '../../functions/deletion-consumer/consume-deletion';
import { deletionFlagPath, deletionPath, raisedFlagPath, setAsideDeletionPath } from '../../shared/documents/paths';
import type { RecordKind } from '../../shared/domain/identity';
import { customerIdIdentity, orderRecordId } from '../../shared/domain/identity';
import { acceptDeletion } from '../support/deletions';
import {
  DELETIONS_IN_EVENT,
  MIN_REMAINING_FOR_DELETIONS_MS,
  FLAG_LOWERED_AFTER_SECONDS,
  MAX_NAMED_CUSTOMERS,
  PENDING_DELETIONS_PAGE,
  FLAGS_SWEPT_AT_ONCE,
  MIN_REMAINING_FOR_SWEEP_MS,
} from '../../shared/limits/deletions';
import { MAX_BODY_BYTES } from '../../shared/domain/limits';
import { MAX_EVENT_BYTES, SHORTENED_LETTER_BYTES } from '../../shared/limits/events';
import { parseDeadLetter } from '../../shared/events/dead-letter';
import { useTestService } from '../support/test-service';
import { upsertCustomers } from '../support/upserts';
import { traceFrom } from '../../shared/platform/trace';
import { TRACE, TRACED, TRACEPARENT } from '../support/traces';

const service = useTestService('products', 'deletion-consumer');

/** Sends what Pub/Sub pushes; `data` is the message's, before base64. */
function push(data: string, message: object = {}) {
  const json = {
    message: {
      messageId: '17',
      publishTime: '2026-03-01T12:00:30Z',
      data: Buffer.from(data).toString('base64'),
      ...message,
    },
    subscription: 'projects/p/subscriptions/deletions',
    deliveryAttempt: 1,
  };
  return service().request('POST', '/projects/p/topics/deletions', { to: 'deletion-consumer', json });
}

const tenantOf = async (tenantId: string) => {
  const tenant = await service().admissionStore.findTenant(tenantId as TenantId, service().deadline());
  return tenant ?? Promise.reject(new Error('There is no such tenant.'));
};

const deadLetters = () => service().publisher.published.filter(({ topic }) => topic === 'dead-letters');

/** What is logged beside that a deletion was accepted, or an event handled. */
const told = () => service().logger.entries.filter(({ message }) => !/^(Deletions were|An event was) /.test(message));

/** A stored product and an accepted deletion of it. */
async function acceptedDeletion() {
  const { tenantId, key } = await service().createCaller();
  const json = [{ ProductId: 'P-1', ProductVariants: [] }];
  await service().request('POST', `/products/${tenantId}`, { key, json });
  await service().request('DELETE', `/products/${tenantId}/P-1`, { key });
  const [deletionId = ''] = await service().pendingDeletions(tenantId);
  return { tenantId, deletionId, event: JSON.stringify({ tenantId, deletionIds: [deletionId] }) };
}

describe('an accepted deletion', () => {
  it('is applied, taken out of the log and acknowledged with 204 (Spec §1)', async () => {
    const { tenantId, event } = await acceptedDeletion();
    const answer = await push(event);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expect(await service().records(tenantId, 'products')).toEqual([]);
    expect(await service().pendingDeletions(tenantId)).toEqual([]);
    expect(deadLetters()).toEqual([]);
  });

  it('is acknowledged again when it is delivered again, and writes nothing (Spec §1, D-41)', async () => {
    const { event } = await acceptedDeletion();
    await push(event);
    const before = await service().store.dump();
    expect((await push(event)).status).toBe(204);
    expect(await service().store.dump()).toEqual(before);
  });

  it('is applied once when it is delivered many times at once (Spec §1)', async () => {
    const { tenantId, event } = await acceptedDeletion();
    const answers = await Promise.all(Array.from({ length: 10 }, () => push(event)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
    expect(await service().records(tenantId, 'products')).toEqual([]);
  });

  it('takes the tenant id in upper case (D-46)', async () => {
    const { tenantId, deletionId } = await acceptedDeletion();
    expect((await push(JSON.stringify({ tenantId: tenantId.toUpperCase(), deletionIds: [deletionId] }))).status).toBe(
      204,
    );
    expect(await service().records(tenantId, 'products')).toEqual([]);
  });
});

describe('all deletions of a kind', () => {
  it('are applied page by page, and the rest is asked for again when the time is short (R-30)', async () => {
    const { tenantId } = await service().createCaller();
    const tenant = await tenantOf(tenantId);
    for (let n = 0; n <= 2 * PENDING_DELETIONS_PAGE; n += 1) {
      await acceptDeletion(tenant, { type: 'product', productId: `${n}` }, service().deadline(), service());
    }
    const event = { tenantId, drain: 'products' };
    const consume = createDeletionConsumer(service());
    const message = { messageId: '1', publishedAt: new Date(0) };
    for (const left of [PENDING_DELETIONS_PAGE + 1, 1, 0]) {
      service().publisher.published.length = 0;
      await consume(event, deadlineIn(MIN_REMAINING_FOR_DELETIONS_MS - 1, service().clock), message);
      expect(await service().pendingDeletions(tenantId)).toHaveLength(left);
      const again = service().publisher.published.map(({ event: published }) => published);
      expect(again).toEqual(left > 0 ? [event] : []);
    }
  });

  it('are asked for by a deletion that means more customers than it names (R-33, R-51)', async () => {
    const { tenantId, organizationId } = await service().createCaller();
    await service().createTenant(organizationId, { customerIdentifier: 'customerid' }, tenantId);
    const tenant = await tenantOf(tenantId);
    const customers = Array.from({ length: MAX_NAMED_CUSTOMERS + 1 }, (_, n) => ({ CustomerId: `${n}`, Email: 'a@x.com' })); // prettier-ignore
    await upsertCustomers(customers, tenant, service().deadline(), service());
    const target = { type: 'customer', customerId: null, email: 'a@x.com' } as const;
    service().publisher.published.length = 0;
    await acceptDeletion(tenant, target, service().deadline(), service());
    expect(service().publisher.published.map(({ event }) => event)).toContainEqual({ tenantId, drain: 'customers' });
    await service().deliverDeletions();
    expect(await service().records(tenantId, 'customers')).toEqual([]);
  });
});

describe('an event that can never succeed', () => {
  const GUID = '00000000-0000-4000-8000-000000000000';
  const DELETION_ID = toDeletionId('orders', orderRecordId('o'));
  const NO_SWEEP = 'The event is no sweep: it goes on after no tenant and kind.';
  const NO_DELETION = 'The event is no deletion: it needs a tenantId and deletionIds.';
  it.each([
    ['not JSON', 'The data of the message is not JSON.'],
    ['', 'The data of the message is not JSON.'],
    ['null', NO_DELETION],
    ['7', NO_DELETION],
    ['[]', NO_DELETION],
    ['{}', NO_DELETION],
    ['{"sweep":"true"}', NO_DELETION],
    ['{"sweep":true,"after":{"tenantId":"x","kind":"orders"}}', NO_SWEEP],
    [`{"sweep":true,"after":{"tenantId":"${GUID}","kind":"x"}}`, NO_SWEEP],
    [`{"tenantId":"${GUID}"}`, NO_DELETION],
    [`{"tenantId":"${GUID}","deletionIds":["../../customers/x"]}`, NO_DELETION],
    [`{"tenantId":"${GUID}","deletionIds":"${DELETION_ID}"}`, NO_DELETION],
    [`{"tenantId":"${GUID}","deletionIds":["${DELETION_ID}",7]}`, NO_DELETION],
    [JSON.stringify({ tenantId: GUID, deletionIds: Array(DELETIONS_IN_EVENT + 1).fill(DELETION_ID) }), NO_DELETION],
    [`{"tenantId":"${GUID}","drain":"shoes"}`, NO_DELETION],
    [`{"tenantId":"../x","deletionIds":["${DELETION_ID}"]}`, NO_DELETION],
    [`{"tenantId":["${GUID}"],"deletionIds":["${DELETION_ID}"]}`, NO_DELETION],
    [`{"tenantId":"${GUID}","deletionIds":["${DELETION_ID}"]}`, 'The tenant of the deletion does not exist.'],
    [`{"tenantId":"${GUID}","drain":"orders"}`, 'The tenant of the deletion does not exist.'],
  ])('%j goes to the dead letters with its reason, is logged and acknowledged', async (data, reason) => {
    expect((await push(data)).status).toBe(204);
    expect(deadLetters()).toEqual([
      {
        topic: 'dead-letters',
        event: { function: 'deletion-consumer', messageId: '17', data: Buffer.from(data).toString('base64') },
        attributes: { function: 'deletion-consumer', reason, ...TRACED },
      },
    ]);
    expect(told()).toMatchObject([{ severity: 'ERROR', details: { messageId: '17', reason } }]);
    expect(service().store.writes).toEqual([]);
  });

  it.each(['garbage', '', 7, null, undefined])(
    'goes to the dead letters when its publishTime is %j',
    async (publishTime) => {
      const event = JSON.stringify({ sweep: true });
      expect((await push(event, { publishTime })).status).toBe(204);
      const reason = 'The message does not say when it was published: its publishTime is no date.';
      expect(deadLetters()).toMatchObject([{ attributes: { reason } }]);
    },
  );

  it('is shortened where it would be larger than the topic takes, with its size and its hash', async () => {
    const data = `no JSON ${'x'.repeat(9_900_000)}`;
    expect((await push(data)).status).toBe(204);
    const { event, attributes } = deadLetters()[0]!;
    const message = { data: Buffer.from(JSON.stringify(event)), attributes };
    expect(message.data.length).toBeLessThan(1_000_000);
    const sha256 = createHash('sha256').update(data).digest('hex');
    expect(parseDeadLetter(message)).toMatchObject({
      failedMessageId: '17',
      original: { data: Buffer.from(data.slice(0, SHORTENED_LETTER_BYTES)) },
      shortened: { bytes: data.length, sha256 },
    });
  });

  it('goes to the dead letters unread when it is larger than any event (R-35)', async () => {
    const { event, tenantId } = await acceptedDeletion();
    expect((await push(event.padEnd(MAX_EVENT_BYTES + 1))).status).toBe(204);
    const [letter] = deadLetters();
    expect(letter?.attributes).toMatchObject({ reason: expect.stringContaining('larger than any event') as string });
    expect(await service().pendingDeletions(tenantId)).toHaveLength(1);
    expect((await push(event.padEnd(MAX_EVENT_BYTES))).status).toBe(204);
    expect(await service().pendingDeletions(tenantId)).toHaveLength(0);
  });

  it('without data goes to the dead letters too', async () => {
    expect((await push('', { data: undefined })).status).toBe(204);
    expect(deadLetters()).toHaveLength(1);
  });

  it('is not acknowledged when the dead letters cannot be reached, so that it is not lost', async () => {
    service().publisher.failure = new Error('Unavailable.');
    expect((await push('not JSON')).status).toBe(500);
  });
});

describe('a passing failure', () => {
  it.each(['get', 'getSome', 'commit'] as const)(
    'of %s is not acknowledged; the next delivery applies the deletion',
    async (method) => {
      const { tenantId, event } = await acceptedDeletion();
      service().store.failing = (made) => made.method === method;
      const answer = await push(event);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 500, text: '' });
      expect(deadLetters()).toEqual([]);
      expect(told()).toMatchObject([{ severity: 'ERROR', details: { function: 'deletion-consumer' } }]);
      service().store.failing = () => false;
      expect(await service().records(tenantId, 'products')).toHaveLength(1);
      expect((await push(event)).status).toBe(204);
      expect(await service().records(tenantId, 'products')).toEqual([]);
    },
  );
});

describe('a trace', () => {
  const deletion = async (headers: Record<string, string>) => {
    const { tenantId, key } = await service().createCaller();
    const answer = await service().request('DELETE', `/products/${tenantId}/P-1`, { key, headers });
    return { traceId: answer.headers['x-trace-id'], ...service().publisher.published[0]! };
  };
  const lines = (message: string) => service().logger.entries.filter((entry) => entry.message === message);

  it('leads from the request over the message to the lines of the consumer, in every delivery (R-394)', async () => {
    const { traceId, event, attributes } = await deletion({ traceparent: TRACEPARENT });
    expect({ traceId, attributes }).toEqual({ traceId: TRACE.traceId, attributes: { traceparent: TRACEPARENT } });
    expect(lines('Deletions were accepted.').map(({ details }) => details)).toEqual([
      expect.objectContaining({ ...TRACE, kind: 'products', count: 1 }),
    ]);
    for (let delivery = 1; delivery <= 2; delivery += 1) {
      service().store.failing = () => delivery === 1;
      const { status } = await push(JSON.stringify(event), { attributes });
      expect(status).toBe(delivery === 1 ? 500 : 204);
    }
    const failed = lines('A push could not be handled; it will come again.');
    for (const { details } of [...failed, ...lines('An event was handled.')]) expect(details).toMatchObject(TRACE);
    expect(failed).toHaveLength(1);
    expect(lines('An event was handled.')).toHaveLength(1);
  });

  it.each([undefined, null, 7, {}, 'garbage', `${TRACEPARENT}-more`, 'x'.repeat(100_000)])(
    'of a message that carries %.30p follows from its id, and the message is read as ever (R-394)',
    async (traceparent) => {
      const { event } = await acceptedDeletion();
      for (let delivery = 1; delivery <= 2; delivery += 1) {
        expect((await push(event, { attributes: { traceparent } })).status).toBe(204);
      }
      const traces = lines('An event was handled.').map(({ details }) => details.traceId);
      expect(traces).toEqual(Array(2).fill(traceFrom('17').traceId));
    },
  );

  it('goes with a message to the dead letters, and back when that is replayed (R-394)', async () => {
    await push('not JSON', { attributes: { traceparent: TRACEPARENT } });
    const { event, attributes } = deadLetters()[0]!;
    const letter = parseDeadLetter({ data: Buffer.from(JSON.stringify(event)), attributes });
    expect(letter.original.attributes).toEqual({ traceparent: TRACEPARENT });
  });
});

describe('a request that is no push', () => {
  it.each([
    '',
    'not JSON',
    'null',
    '7',
    '[]',
    '{}',
    '{"message":null}',
    '{"message":"x"}',
    '{"message":{"data":"e30="}}',
    '{"message":{"messageId":7}}',
  ])('%j is refused with 400, and nothing happens', async (raw) => {
    const answer = await service().request('POST', '/', { to: 'deletion-consumer', raw });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 400, text: '' });
    expect(service().publisher.published).toEqual([]);
    expect(service().store.calls).toEqual([]);
  });

  it('is refused with 400 when it is a form, or larger than a body may be (D-33)', async () => {
    const form = { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await service().request('POST', '/', { to: 'deletion-consumer', ...form })).status).toBe(400);
    const large = { raw: Buffer.alloc(MAX_BODY_BYTES + 1, ' ') };
    expect((await service().request('POST', '/', { to: 'deletion-consumer', ...large })).status).toBe(400);
  });
});

describe('the sweep', () => {
  const sweep = () => push('{"sweep":true}');
  const flags = async (tenantId: string) => {
    const paths = [...(await service().store.dump()).keys()];
    return paths.filter((path) => path.startsWith(`tenants/${tenantId}/raisedFlags/`));
  };

  it('asks for deletions again that are pending for two minutes, and for no younger ones', async () => {
    const { tenantId, deletionId } = await acceptedDeletion();
    const { version } = (await service().store.dump()).get(`tenants/${tenantId}/deletions/${deletionId}`)!;
    service().publisher.published.length = 0;

    service().clock.advance((version.seconds + 119) * 1000 - service().clock.nowMs());
    expect((await sweep()).status).toBe(204);
    expect(service().publisher.published).toEqual([]);

    service().clock.advance(1_000);
    expect((await sweep()).status).toBe(204);
    const event = { tenantId, drain: 'products' };
    expect(service().publisher.published).toEqual([{ topic: 'deletions', event, attributes: TRACED }]);
    expect(told()).toMatchObject([{ severity: 'WARNING', details: { count: 1 } }]);
  });

  it('does not ask again while what it asked for may still be at work', async () => {
    await acceptedDeletion();
    service().clock.advance(10 * 60_000);
    await sweep();
    service().publisher.published.length = 0;
    service().clock.advance(60_000);
    await sweep();
    expect(service().publisher.published).toEqual([]);
    service().clock.advance(61_000);
    await sweep();
    expect(service().publisher.published).toHaveLength(1);
  });

  it('does not ask again beside a drain that goes on, however long that takes (R-30)', async () => {
    const { tenantId } = await service().createCaller();
    const tenant = await tenantOf(tenantId);
    for (let n = 0; n <= PENDING_DELETIONS_PAGE; n += 1) {
      await acceptDeletion(tenant, { type: 'product', productId: `${n}` }, service().deadline(), service());
    }
    service().clock.advance(10 * 60_000);
    await sweep();
    service().clock.advance(3 * 60_000);
    const consume = createDeletionConsumer(service());
    const short = deadlineIn(MIN_REMAINING_FOR_DELETIONS_MS - 1, service().clock);
    await consume({ tenantId, drain: 'products' }, short, { messageId: '1', publishedAt: new Date(0) });
    service().publisher.published.length = 0;
    service().clock.advance(60_000);
    await sweep();
    expect(service().publisher.published).toEqual([]);
  });

  it('lowers the flag of a tenant and kind of which nothing is pending, not before half a minute has passed', async () => {
    const { tenantId, event } = await acceptedDeletion();
    await push(event);
    const [path = ''] = await flags(tenantId);
    const { version } = (await service().store.dump()).get(path)!;
    const sweepAfter = async (seconds: number) => {
      service().clock.advance((version.seconds + seconds) * 1000 - service().clock.nowMs());
      await sweep();
      return flags(tenantId);
    };
    expect(await sweepAfter(FLAG_LOWERED_AFTER_SECONDS - 1)).toEqual([path]);
    expect(await sweepAfter(FLAG_LOWERED_AFTER_SECONDS)).toEqual([]);
  });

  const STUCK = '00000000-0000-0000-0000-000000000000';

  /** Writes a backlog of a tenant's deletions. */
  async function backlog(kind: RecordKind, length: number): Promise<void> {
    const ids = Array.from({ length }, (_, n) => toDeletionId(kind, orderRecordId(`${n}`)));
    const data = { targets: [{ target: { type: 'order', orderId: 'o' } }] };
    const writes = [
      ...ids.map((deletionId) => ({ set: deletionPath(STUCK, deletionId), data })),
      { set: deletionFlagPath(STUCK, kind), data: { state: 'raised' } },
      { set: raisedFlagPath(STUCK, kind), data: {} },
    ];
    await service().store.writeEach(writes, { remainingMs: () => 30_000 });
  }

  it('asks for those of each tenant and kind, and reads few of them: a backlog of one hides no other', async () => {
    await backlog('orders', 500);
    await backlog('products', 1);
    const { tenantId } = await acceptedDeletion();
    service().clock.advance(10 * 60_000);
    service().publisher.published.length = 0;
    service().store.calls.length = 0;
    expect((await sweep()).status).toBe(204);
    const events = service().publisher.published.map(({ event }) => event);
    expect(events).toEqual([
      { tenantId: STUCK, drain: 'orders' },
      { tenantId: STUCK, drain: 'products' },
      { tenantId, drain: 'products' },
    ]);
    expect(service().store.calls.filter(({ method }) => method === 'listRefs')).toHaveLength(3);
    expect(told()).toMatchObject([{ details: { count: 3 } }]);
  });

  it('asks for the rest when its time is short, which goes on behind what it has done', async () => {
    // With that of the stuck tenant as many flags as are swept at once, before that of the tenant with a new id.
    const others = Array.from({ length: FLAGS_SWEPT_AT_ONCE - 1 }, (_, n) =>
      STUCK.replace(/.{4}$/, String(n + 1).padStart(4, '0')),
    );
    const flags = others.map((tenantId) => ({ set: raisedFlagPath(tenantId, 'orders'), data: {} }));
    await service().store.writeEach(flags, { remainingMs: () => 30_000 });
    await backlog('orders', 2);
    const { tenantId } = await acceptedDeletion();
    service().clock.advance(10 * 60_000);
    service().publisher.published.length = 0;
    const consume = createDeletionConsumer(service());
    const message = { messageId: '1', publishedAt: new Date(0) };
    const rest = { sweep: true, after: { tenantId: others.at(-1), kind: 'orders' } };
    await consume({ sweep: true }, deadlineIn(MIN_REMAINING_FOR_SWEEP_MS - 1, service().clock), message);
    const events = () => service().publisher.published.map(({ event }) => event);
    expect(events()).toEqual([{ tenantId: STUCK, drain: 'orders' }, rest]);
    service().publisher.published.length = 0;
    await consume(rest, service().deadline(), message);
    expect(events()).toEqual([{ tenantId, drain: 'products' }]);
  });

  it('reminds of every deletion that was set aside, by ids alone', async () => {
    const deletionId = toDeletionId('customers', customerIdIdentity('c'));
    const data = { entry: { target: 'private' }, reason: 'private' };
    await service().store.commit([{ set: setAsideDeletionPath(STUCK, deletionId), data }], {
      remainingMs: () => 30_000,
    });
    for (let sweep = 1; sweep <= 2; sweep += 1) {
      await push('{"sweep":true}');
      expect(told()).toEqual(
        Array(sweep).fill({
          severity: 'ERROR',
          message: 'A deletion cannot be applied and was set aside.',
          details: { tenantId: STUCK, deletionId, ...traceFrom('17') },
        }),
      );
    }
  });

  it('leaves the deletion pending until it is applied, and then asks for it no more', async () => {
    const { tenantId, event } = await acceptedDeletion();
    service().clock.advance(10 * 60_000);
    await push('{"sweep":true}');
    expect(await service().pendingDeletions(tenantId)).toHaveLength(1);
    await push(event);
    service().publisher.published.length = 0;
    await push('{"sweep":true}');
    expect(service().publisher.published).toEqual([]);
  });

  it('comes again when an event cannot be published', async () => {
    await acceptedDeletion();
    service().clock.advance(10 * 60_000);
    service().publisher.failure = new Error('Unavailable.');
    expect((await push('{"sweep":true}')).status).toBe(500);
  });
});
