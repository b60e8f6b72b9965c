import { envelopeOf, expectAnswer } from '../api';
import { describeNotFound } from '../suites/not-found';
import { useTestService } from '../../support/test-service';

describeNotFound('products', (tenantId) => [
  `/${tenantId}/P-1/images`,
  `/${tenantId}/P-1/Variants/V-1`,
  `/${tenantId}/P-1/variants/V-1/sizes`,
]);

describe('GET /products/<tenant_id>/<product_id>', () => {
  const service = useTestService('products');

  it.each(['P-2', 'p-1', '..%2FP-1', '%00', '*', '__proto__', 'x'.repeat(5_000)])(
    'answers that there is no product %p, and counts the request (R-68)',
    async (id) => {
      const { tenantId, key } = await service().createCaller();
      const json = [{ ProductId: 'P-1', ProductVariants: [] }];
      await service().request('POST', `/products/${tenantId}`, { key, json });
      const answer = await service().request('GET', `/products/${tenantId}/${id}`, { key });
      expectAnswer(answer, 404, envelopeOf('products', false, 'Product not found.'), { remaining: 98 });
    },
  );

  it('answers so from the moment on that its deletion is accepted, and says when that was until it is applied (R-69, R-355)', async () => {
    const { tenantId, key } = await service().createCaller();
    const path = `/products/${tenantId}`;
    const json = [{ ProductId: 'P-1', ProductVariants: [] }];
    await service().request('POST', path, { key, json });
    expect((await service().request('GET', `${path}/P-1`, { key })).status).toBe(200);
    await service().request('DELETE', `${path}/P-1`, { key });
    const answer = await service().request('GET', `${path}/P-1`, { key });
    expectAnswer(
      answer,
      404,
      envelopeOf('products', false, 'Product not found.', {
        deletionAcceptedAt: expect.stringMatching(/Z$/) as string,
      }),
    );
    expect(await service().records(tenantId, 'products')).toHaveLength(1);
  });
});
