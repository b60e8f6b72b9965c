import { gzipSync } from 'node:zlib';
import { ACCEPTED_IN_COMMIT } from '../../../shared/limits/deletions';
import { MAX_DELETION_BATCH } from '../../../shared/domain/limits';
import type { RecordKind } from '../../../shared/domain/identity';
import { RetryLater } from '../../../shared/platform/retry-later';
import { envelopeOf, expectAnswer, NOW } from '../api';
import type { Caller, RequestOptions } from '../../support/test-service';
import { requestedIds } from '../../support/deletions';
import { useTestService } from '../../support/test-service';

/** The n-th record of a kind, and the element that deletes it. */
const SAMPLES = {
  customers: (n: number) => ({ record: { CustomerId: `C-${n}` }, element: { CustomerId: `C-${n}` } }),
  products: (n: number) => ({
    record: { ProductId: `P-${n}`, ProductVariants: [] },
    element: { ProductId: `P-${n}` },
  }),
  orders: (n: number) => ({ record: { OrderId: `O-${n}`, Currency: 'EUR' }, element: { OrderId: `O-${n}` } }),
} as const satisfies Record<RecordKind, (n: number) => { record: object; element: object }>;

/** `POST /<kind>/<tenant_id>/deletions`, whatever the kind. */
export function describeBatchDeletions(kind: RecordKind): void {
  const service = useTestService(kind);
  const sample = SAMPLES[kind];
  const elements = (count: number) => Array.from({ length: count }, (_, n) => sample(n).element);
  const send = ({ tenantId, key }: Caller, options: RequestOptions) =>
    service().request('POST', `/${kind}/${tenantId}/deletions`, { key, ...options });
  const removed = (count: number, more: object = {}) => {
    const message = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} removed.`;
    return envelopeOf(kind, true, message, { count, deletedAt: NOW, ...more });
  };
  const upsert = ({ tenantId, key }: Caller, count: number) =>
    service().request('POST', `/${kind}/${tenantId}`, {
      key,
      json: Array.from({ length: count }, (_, n) => sample(n).record),
    });
  const published = () => requestedIds(service().publisher);

  describe(`POST /${kind}/<tenant_id>/deletions`, () => {
    it('takes an empty batch, and leaves nothing behind (R-50, D-31)', async () => {
      const caller = await service().createCaller();
      expectAnswer(await send(caller, { json: [] }), 200, removed(0));
      expect(await service().pendingDeletions(caller.tenantId)).toEqual([]);
      expect(published()).toEqual([]);
    });

    it('has 1000 deletions stored and published when it answers (R-50, R-51)', async () => {
      const caller = await service().createCaller();
      expectAnswer(await send(caller, { json: elements(MAX_DELETION_BATCH) }), 200, removed(MAX_DELETION_BATCH));
      const pending = await service().pendingDeletions(caller.tenantId);
      expect(pending).toHaveLength(MAX_DELETION_BATCH);
      expect([...published()].sort()).toEqual(pending);
    });

    it('removes what it names and nothing else once the messages are delivered, and a repeat does nothing (R-50)', async () => {
      const caller = await service().createCaller();
      await upsert(caller, 12);
      const answer = await send(caller, { json: elements(10) });
      expectAnswer(answer, 200, removed(10));
      await service().deliverDeletions();
      const left = await service().records(caller.tenantId, kind);
      expect(left).toHaveLength(2);
      expectAnswer(await send(caller, { json: elements(10) }), 200, removed(10));
      await service().deliverDeletions();
      expect(await service().records(caller.tenantId, kind)).toEqual(left);
      expect(await service().pendingDeletions(caller.tenantId)).toEqual([]);
    });

    it('counts what matches nothing, and what comes twice (R-50)', async () => {
      const caller = await service().createCaller();
      expectAnswer(await send(caller, { json: [...elements(2), ...elements(2)] }), 200, removed(4));
    });

    it('names the fields that it does not know, and deletes all the same (D-21)', async () => {
      const caller = await service().createCaller();
      await upsert(caller, 1);
      const json = [{ ...sample(0).element, Name: 'Ada', reason: 'moved' }];
      expectAnswer(await send(caller, { json }), 200, removed(1, { ignoredFields: ['Name', 'reason'] }));
      await service().deliverDeletions();
      expect(await service().records(caller.tenantId, kind)).toEqual([]);
    });

    it('takes a gzip body (D-33)', async () => {
      const caller = await service().createCaller();
      const options = { raw: gzipSync(JSON.stringify(elements(3))), headers: { 'content-encoding': 'gzip' } };
      expectAnswer(await send(caller, options), 200, removed(3));
      expect(await service().pendingDeletions(caller.tenantId)).toHaveLength(3);
    });

    it('lets an upsert that is accepted later survive, however late the messages are (D-41)', async () => {
      const caller = await service().createCaller();
      await upsert(caller, 3);
      await send(caller, { json: elements(3) });
      await upsert(caller, 1);
      await service().deliverDeletions();
      expect(await service().records(caller.tenantId, kind)).toMatchObject([sample(0).record]);
    });

    it.each<[status: string, failure: () => Error, message: string]>([
      ['500', () => new Error('The database is away.'), `Failed to delete ${kind}.`],
      ['503', () => new RetryLater('There was no time left for a call.'), 'The request could not be finished in time, and a part of it may be done. Please send it again as it is.'], // prettier-ignore
    ])(
      'is %s when it fails half way: the first commits stay, nothing comes behind, and the repeat ends it (R-50)',
      async (status, failure, message) => {
        const caller = await service().createCaller();
        await upsert(caller, 200);
        let commits = 0;
        service().store.failing = ({ method }) => {
          if (method !== 'commit') return false;
          commits += 1;
          if (commits === 4) throw failure(); // the first one raises the flag
          return false;
        };
        const answer = await send(caller, { json: elements(5 * ACCEPTED_IN_COMMIT) });
        expectAnswer(answer, Number(status), envelopeOf(kind, false, message));
        expect(await service().pendingDeletions(caller.tenantId)).toHaveLength(2 * ACCEPTED_IN_COMMIT);
        service().store.failing = () => false;
        const repeated = await send(caller, { json: elements(5 * ACCEPTED_IN_COMMIT) });
        expectAnswer(repeated, 200, removed(5 * ACCEPTED_IN_COMMIT));
        await service().deliverDeletions();
        expect(await service().records(caller.tenantId, kind)).toEqual([]);
        expect(await service().pendingDeletions(caller.tenantId)).toEqual([]);
      },
    );
  });
}

/** 400 of `POST /<kind>/<tenant_id>/deletions`, whatever the kind: nothing of a batch is accepted. */
export function describeInvalidDeletions(kind: RecordKind): void {
  const service = useTestService(kind);
  const sample = SAMPLES[kind];

  describe(`POST /${kind}/<tenant_id>/deletions`, () => {
    it.each<[title: string, batch: readonly unknown[], errors: object]>([
      ['more than 1000 deletions', Array.from({ length: 1001 }, (_, n) => sample(n).element), { '': ['The batch must contain at most 1000 records.'] }], // prettier-ignore
      ['an element that is no object', [sample(0).element, 'x'], { '[1]': ['The element must be an object.'] }],
      ['an element that is null', [null], { '[0]': ['The element must be an object.'] }],
    ])('refuses %s, and accepts nothing (D-15, D-30, D-31)', async (_title, json, errors) => {
      const { tenantId, key } = await service().createCaller();
      const before = await service().store.dump();
      const answer = await service().request('POST', `/${kind}/${tenantId}/deletions`, { key, json });
      expect({ status: answer.status, errors: (answer.json as { errors: unknown }).errors }).toEqual({
        status: 400,
        errors,
      });
      expect(await service().store.dump()).toEqual(before);
      expect(service().publisher.published).toEqual([]);
    });
  });
}
