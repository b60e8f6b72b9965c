/** The deletion consumer behind its push subscription: functions/deletion-consumer with shared/events/push-handler. */
import { isDeepStrictEqual } from 'node:util';
import { MAX_BODY_BYTES, SWEEP_PAGE } from '../../shared/domain/limits';
import { useTestService } from '../support/test-service';

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

const deadLetters = () => service().publisher.published.filter(({ topic }) => topic === 'dead-letters');

/** A stored product and an accepted deletion of it. */
async function acceptedDeletion() {
  const { tenantId, key } = await service().createCaller();
  const json = [{ ProductId: 'P-1', ProductVariants: [] }];
  await service().request('POST', `/products/${tenantId}`, { key, json });
  await service().request('DELETE', `/products/${tenantId}/P-1`, { key });
  const [deletionId = ''] = await service().pendingDeletions(tenantId);
  return { tenantId, deletionId, event: JSON.stringify({ tenantId, deletionId }) };
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
    expect((await push(JSON.stringify({ tenantId: tenantId.toUpperCase(), deletionId }))).status).toBe(204);
    expect(await service().records(tenantId, 'products')).toEqual([]);
  });
});

describe('an event that can never succeed', () => {
  const GUID = '00000000-0000-4000-8000-000000000000';
  const NO_DELETION = 'The event is no deletion: it needs a tenantId and a deletionId.';
  it.each([
    ['not JSON', 'The data of the message is not JSON.'],
    ['', 'The data of the message is not JSON.'],
    ['null', NO_DELETION],
    ['7', NO_DELETION],
    ['[]', NO_DELETION],
    ['{}', NO_DELETION],
    ['{"sweep":"true"}', NO_DELETION],
    [`{"tenantId":"${GUID}"}`, NO_DELETION],
    [`{"tenantId":"${GUID}","deletionId":"../../customers/x"}`, NO_DELETION],
    [`{"tenantId":"../x","deletionId":"AAAAAAAAAAAAAAAAAAAA"}`, NO_DELETION],
    [`{"tenantId":["${GUID}"],"deletionId":"AAAAAAAAAAAAAAAAAAAA"}`, NO_DELETION],
    [`{"tenantId":"${GUID}","deletionId":"AAAAAAAAAAAAAAAAAAAA"}`, 'The tenant of the deletion does not exist.'],
  ])('%j goes to the dead letters with its reason, is logged and acknowledged', async (data, reason) => {
    expect((await push(data)).status).toBe(204);
    expect(deadLetters()).toEqual([
      {
        topic: 'dead-letters',
        event: { function: 'deletion-consumer', messageId: '17', data: Buffer.from(data).toString('base64') },
        attributes: { function: 'deletion-consumer', reason },
      },
    ]);
    expect(service().logger.entries).toMatchObject([{ severity: 'ERROR', details: { messageId: '17', reason } }]);
    expect(service().store.writes).toEqual([]);
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
  it.each(['get', 'getAll', 'commit'] as const)(
    'of %s is not acknowledged; the next delivery applies the deletion',
    async (method) => {
      const { tenantId, event } = await acceptedDeletion();
      service().store.failing = (made) => made.method === method;
      const answer = await push(event);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 500, text: '' });
      expect(deadLetters()).toEqual([]);
      expect(service().logger.entries).toMatchObject([
        { severity: 'ERROR', details: { function: 'deletion-consumer' } },
      ]);
      service().store.failing = () => false;
      expect(await service().records(tenantId, 'products')).toHaveLength(1);
      expect((await push(event)).status).toBe(204);
      expect(await service().records(tenantId, 'products')).toEqual([]);
    },
  );
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
  it('publishes deletions again that are pending for two minutes, and no younger ones', async () => {
    const old = await acceptedDeletion();
    const { version } = (await service().store.dump()).get(`tenants/${old.tenantId}/deletions/${old.deletionId}`)!;
    service().publisher.published.length = 0;

    service().clock.advance((version.seconds + 119) * 1000 - service().clock.nowMs());
    expect((await push('{"sweep":true}')).status).toBe(204);
    expect(service().publisher.published).toEqual([]);

    service().clock.advance(1_000);
    expect((await push('{"sweep":true}')).status).toBe(204);
    const { tenantId, deletionId } = old;
    expect(service().publisher.published).toEqual([
      { topic: 'deletions', event: { tenantId, deletionId }, attributes: {} },
    ]);
    expect(service().logger.entries).toMatchObject([{ severity: 'WARNING', details: { count: 1 } }]);
  });

  it('publishes one of each tenant and kind: more than a page of one tenant hides no other', async () => {
    const stuck = Array.from({ length: SWEEP_PAGE + 1 }, (_, n) => ({
      set: `tenants/00000000-0000-0000-0000-000000000000/deletions/${n}`,
      data: { target: { type: n === 0 ? 'product' : 'order', orderId: 'o', productId: 'p' } },
    }));
    await service().store.writeEach(stuck, { remainingMs: () => 1_000 });
    const other = await acceptedDeletion();
    service().clock.advance(10 * 60_000);
    service().publisher.published.length = 0;
    expect((await push('{"sweep":true}')).status).toBe(204);
    const { tenantId, deletionId } = other;
    const events = service().publisher.published.map(({ event }) => event);
    expect(events.filter((event) => isDeepStrictEqual(event, { tenantId, deletionId }))).toHaveLength(1);
    expect(events).toHaveLength(3);
    expect(service().logger.entries).toMatchObject([{ details: { count: SWEEP_PAGE + 2 } }]);
  });

  it('leaves the deletion in the log until it is applied, and then publishes it no more', async () => {
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
