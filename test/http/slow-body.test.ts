/** What becomes true of a tenant while a body is on its way counts when the body has arrived. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { MAX_RECORD_BYTES } from '../../shared/limits/records';
import { useTestService } from '../support/test-service';

const service = useTestService('orders');

const orderOf = (OrderId: string, sku: string, bytes: number) => ({
  OrderId,
  Currency: 'EUR',
  OrderItems: [{ ProductId: 'p', Sku: sku, Quantity: 1, Price: 1, Brand: 'x'.repeat(bytes) }],
});

it.each([
  ['whom the instance does not know', false],
  ['who was admitted before', true],
])(
  'refuses a batch whole for a record that grew while its body arrived, of a caller %s (D-30, R-42)',
  async (_, isKnown) => {
    const { tenantId, key } = await service().createCaller();
    const path = `/orders/${tenantId}`;
    if (isKnown) expect((await service().request('POST', path, { key, json: [] })).status).toBe(200);
    const body = JSON.stringify([orderOf('new', 'a', 1), orderOf('grows', 'a', 0.4 * MAX_RECORD_BYTES)]);
    const headers = { 'x-service-auth-key': key, 'content-type': 'application/json', 'content-length': body.length };
    jest.spyOn(service().presencePredictor, 'learn').mockReturnValue(); // as if another instance had stored what grows
    service().store.calls.length = 0;
    const slow = request({ host: '127.0.0.1', port: service().portOf('orders'), method: 'POST', path, headers });
    slow.write(body.slice(0, -1));
    const hasReadTenant = () => service().store.calls.some(({ paths }) => paths.includes(`tenants/${tenantId}`));
    while (!hasReadTenant()) await new Promise(setImmediate);
    const grown = await service().request('POST', path, { key, json: [orderOf('grows', 'b', 0.9 * MAX_RECORD_BYTES)] });
    expect(grown.status).toBe(200);
    slow.end(body.slice(-1));
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(400);
    expect(await json(answer)).toMatchObject({ errors: { '[1].OrderItems': [expect.stringMatching(/too large/)] } });
    expect((await service().records(tenantId, 'orders')).map(({ OrderId }) => OrderId)).toEqual(['grows']);
  },
);
