/** Rows a second through the client against the same requests made by hand, in turn. */
import { Agent } from 'node:http';
import { IngestionClient } from '../../../client/src';
import { MAX_BATCH } from '../../../shared/domain/limits';
import { withBenchStack } from '../bench-stack';
import { call, toBody } from '../http-client';
import { sampleRecords } from '../sample-records';
import { describeRatio, median, pairedRatios } from '../statistics';
import type { Suite } from '../suite';
import { functionPath } from '../upsert-scenarios';

const REQUESTS = 20;
const QUICK_REQUESTS = 4;
const AT_ONCE = 4;
/** Each sends some 20,000 customers twice, so that few rounds are enough. */
const MOST_ROUNDS = 7;

export const measureClient: Suite = ({ rounds, quick, progress }) =>
  withBenchStack(async (stack) => {
    const { port } = await stack.startFunction('customers');
    const key = await stack.createKey();
    const client = new IngestionClient({ baseUrl: `http://127.0.0.1:${port}`, key, concurrency: AT_ONCE });
    const rows = sampleRecords('customers', MAX_BATCH.customers * (quick ? QUICK_REQUESTS : REQUESTS));

    /** Rows a second. */
    const measure = async (send: (tenantId: string) => Promise<unknown>): Promise<number> => {
      const { tenantId } = await stack.createTenant();
      const startMs = performance.now();
      await send(tenantId);
      return rows.length / ((performance.now() - startMs) / 1000);
    };
    const byClient = () => measure((tenantId) => client.customers(tenantId).upsertAll(rows));
    const byHand = () => measure((tenantId) => sendByHand(rows, port, key, functionPath('customers', tenantId)));

    await byHand();
    await byClient();
    const samples = { client: [] as number[], byHand: [] as number[] };
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
      progress(`client: round ${round + 1}`);
      samples.byHand.push(await byHand());
      samples.client.push(await byClient());
    }
    const share = pairedRatios(samples.client, samples.byHand);
    return {
      suite: 'client',
      tables: [
        {
          title: `New customers in full batches, ${AT_ONCE} requests at once`,
          columns: ['by', 'rows/s', '× as many as by hand'],
          rows: [
            ['the client', median(samples.client), describeRatio(share)],
            ['requests made by hand', median(samples.byHand), 1],
          ],
        },
      ],
      bars: [{ name: 'rows a second through the client: × by hand', value: share.median, limit: 0.9, must: 'reach' }],
      notes: [
        'By hand means: JSON as it is, and no look at the answers. The client compresses, so the service inflates.',
      ],
      samples,
    };
  });

async function sendByHand(rows: readonly object[], port: number, key: string, path: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let next = 0;
  const sendUntilEnd = async () => {
    while (next < rows.length) {
      const batch = rows.slice(next, (next += MAX_BATCH.customers));
      await call({ port, path, key, body: toBody(batch), agent });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendUntilEnd));
  agent.destroy();
}
