/**
 * A function that makes the calls of a deletion that comes alone, and nothing else: the least that it can take with the
 * service's clients. A DELETE makes those of the function that accepts it, a POST those of the consumer.
 */
import { http } from '@google-cloud/functions-framework';
import { ReceiveBound } from '../../../shared/adapters/firestore/firestore-calls';
import { GrpcFirestore } from '../../../shared/adapters/firestore/grpc/grpc-firestore';
import { PubSubPublisher } from '../../../shared/adapters/pubsub/pubsub-publisher';
import { readConfig } from '../../../shared/config';
import { preventFrameworkDomains } from '../../../shared/http/framework-domain';
import { systemClock } from '../../../shared/platform/clock';
import { systemRandom } from '../../../shared/platform/random';

const TIMEOUT_MS = 8_000;
const TENANT = 'tenants/calls-alone';

preventFrameworkDomains();
const config = readConfig();
const firestore = new GrpcFirestore(config, systemClock);
const publisher = new PubSubPublisher(config, { clock: systemClock, random: systemRandom });
let number = 0;

/** Reads a key, a tenant and a counter, then a flag and a customer, and writes an entry and a tombstone. */
async function accept(): Promise<void> {
  number += 1;
  const read = (paths: readonly string[], transaction?: Uint8Array) =>
    firestore.batchGet(paths, new ReceiveBound(Infinity), TIMEOUT_MS, transaction);
  await read(['apiKeys/calls-alone', TENANT, 'rateCounters/calls-alone']);
  const transaction = await firestore.beginTransaction(TIMEOUT_MS);
  await read([`${TENANT}/flags/customers`, `${TENANT}/customers/${number}`], transaction);
  const data = { acceptedAt: new Date(systemClock.nowMs()) };
  const written = [`${TENANT}/deletions/${number}`, `${TENANT}/tombstones/${number}`];
  await firestore.commit(
    written.map((set) => ({ set, data })),
    TIMEOUT_MS,
    transaction,
  );
  await publisher.publish(config.topics.deletions, { tenantId: TENANT, deletionIds: [String(number)] });
}

async function apply(): Promise<void> {
  number += 1;
  const removed = [`${TENANT}/customers/${number}`, `${TENANT}/deletions/${number}`];
  await firestore.commit(
    removed.map((path) => ({ delete: path })),
    TIMEOUT_MS,
  );
}

http('calls-alone', async (request, response) => {
  await (request.method === 'DELETE' ? accept() : apply());
  response.send('{"success":true}');
});
