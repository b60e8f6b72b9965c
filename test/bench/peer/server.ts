/**
 * The peer: what a good engineer would write by hand in a day. Fastify, zod and the SDK's BulkWriter, with the same
 * key, tenant and minute counter as the service. It has no conditions on its writes, no deletions and no files: two
 * requests for one record at once may lose a field. Listens on PORT; PEER_THROTTLING=default leaves BulkWriter as it
 * comes.
 */
import { Firestore } from '@google-cloud/firestore';
import fastify from 'fastify';
import { z } from 'zod';
import type { Admitted } from './admit';
import { admit, Refusal } from './admit';
import { customers, orders, products } from './schemas';
import type { Writers } from './upserts';
import { upsertCustomers, upsertOrders, upsertProducts } from './upserts';

const database = new Firestore({ ignoreUndefinedProperties: true });
const options = process.env.PEER_THROTTLING === 'default' ? {} : { throttling: false };
const writers: Writers = { database, openWriter: () => database.bulkWriter(options) };
const server = fastify({ bodyLimit: 16 * 1024 * 1024 });

server.setErrorHandler((error, _request, reply) => {
  if (error instanceof z.ZodError) return reply.code(400).send({ title: 'Validation failed.', errors: error.issues });
  const status = error instanceof Refusal ? error.statusCode : 500;
  return reply.code(status).send({ success: false, message: (error as Error).message, data: {} });
});

route('customers', customers, upsertCustomers);
route('products', products, upsertProducts);
route('orders', orders, upsertOrders);
void server.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });

function route<T>(
  kind: string,
  schema: z.ZodType<T[]>,
  upsert: (batch: readonly T[], admitted: Admitted, writers: Writers) => Promise<void>,
): void {
  server.post<{ Params: { tenantId: string } }>(`/${kind}/:tenantId`, async (request) => {
    const admitted = await admit(database, request.headers['x-service-auth-key'], request.params.tenantId, kind);
    const batch = schema.parse(request.body);
    await Promise.all([upsert(batch, admitted, writers), admitted.counted]);
    return {
      success: true,
      message: 'Saved.',
      data: { count: batch.length, processedAt: new Date().toISOString() },
    };
  });
}
