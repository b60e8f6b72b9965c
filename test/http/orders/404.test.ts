import { envelopeOf, expectAnswer } from '../api';
import { describeNotFound } from '../suites/not-found';
import { useTestService } from '../../support/test-service';

describeNotFound('orders', (tenantId) => [
  `/${tenantId}/O-1/lines`,
  `/${tenantId}/O-1/Items`,
  `/${tenantId}/O-1/items/P-1`,
]);

describe('GET /orders/<tenant_id>/<order_id>', () => {
  const service = useTestService('orders');

  it.each(['O-2', 'o-1', '..%2FO-1', '%00', '*', '__proto__', 'x'.repeat(5_000)])(
    'answers that there is no order %p, and counts the request (R-68)',
    async (id) => {
      const { tenantId, key } = await service().createCaller();
      const json = [{ OrderId: 'O-1', Currency: 'EUR' }];
      await service().request('POST', `/orders/${tenantId}`, { key, json });
      const answer = await service().request('GET', `/orders/${tenantId}/${id}`, { key });
      expectAnswer(answer, 404, envelopeOf('orders', false, 'Order not found.'), { remaining: 98 });
    },
  );

  it('answers so from the moment on that its deletion is accepted, and says when that was until it is applied (R-69, R-355)', async () => {
    const { tenantId, key } = await service().createCaller();
    const path = `/orders/${tenantId}`;
    const json = [{ OrderId: 'O-1', Currency: 'EUR' }];
    await service().request('POST', path, { key, json });
    expect((await service().request('GET', `${path}/O-1`, { key })).status).toBe(200);
    await service().request('DELETE', `${path}/O-1`, { key });
    const answer = await service().request('GET', `${path}/O-1`, { key });
    expectAnswer(
      answer,
      404,
      envelopeOf('orders', false, 'Order not found.', { deletionAcceptedAt: expect.stringMatching(/Z$/) as string }),
    );
    expect(await service().records(tenantId, 'orders')).toHaveLength(1);
  });
});
