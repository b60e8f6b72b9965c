/** That a feed takes the same memory however many rows it has. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Customer } from '../../client/src';
import { IngestionClient } from '../../client/src';
import { ofTier, report } from '../faults/tier';
import { collectGarbage } from '../support/collect-garbage';
import { hurriedPlatform } from './support/hurried-platform';

const ROWS = ofTier(200_000, 1_000_000);
const LOOKS = 10;
/** Rows under way and being read are 2 MB; the rows of the small tier would be 60 MB at once. */
const MAX_GROWTH_BYTES = 12 * 1024 * 1024;
const EVERY_NTH_FAILS = 7;

it(`sends ${ROWS} rows at constant memory (R-130)`, async () => {
  let stored = 0;
  let requests = 0;
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests += 1;
      if (requests % EVERY_NTH_FAILS === 0) return void response.writeHead(503).end();
      const rows = JSON.parse(gunzipSync(body).toString()) as Customer[];
      const rejected = rows.flatMap(({ Email }, index) => (Email ? [] : [{ index, errors: { Email: ['None.'] } }]));
      const count = rows.length - rejected.length;
      stored += count;
      const data = { count, created: count, updated: 0, rejectedCount: rejected.length, rejected };
      response.end(JSON.stringify({ success: true, message: 'Customers saved.', data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const platform = hurriedPlatform(50);
  const client = new IngestionClient(
    { baseUrl: `http://127.0.0.1:${port}`, key: 'key', timeoutMs: 3_000_000 },
    platform,
  );

  const heaps: number[] = [];
  function* rows(): Generator<Customer> {
    for (let number = 0; number < ROWS; number += 1) {
      if (number % (ROWS / LOOKS) === ROWS / LOOKS / 2) {
        collectGarbage();
        const { heapUsed, external } = process.memoryUsage();
        heaps.push(heapUsed + external);
      }
      yield {
        Email: number % 100 === 0 ? '' : `customer.${number}@example.com`,
        Name: `Name of ${number}`,
        Surname: 'Papadopoulou',
        Phone: `+30210${number}`,
        EmailOptin: number % 3 === 0,
      };
    }
  }
  try {
    let told = 0;
    const result = await client
      .customers('t')
      .upsertAll(rows(), { onInvalid: 'skip', onRejected: () => void (told += 1) });
    expect(result).toMatchObject({ accepted: stored, rejectedCount: ROWS / 100, settled: ROWS, requests });
    expect([stored, told, result.rejected.length]).toEqual([ROWS * 0.99, ROWS / 100, 1_000]);
    // The first tenth warms up.
    const growth = Math.max(...heaps.slice(2)) - heaps[1]!;
    report('rows sent at constant memory', ROWS, 0, `${(growth / 2 ** 20).toFixed(1)} MiB more at most`);
    expect(heaps.length).toBe(LOOKS);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
