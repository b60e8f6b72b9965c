/** A download that is cut off in its middle costs one delivery of its step, and not a row. */
import type { Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import { rawUrl } from '../../shared/http/raw-request';
import { HurriedClock } from '../faults/proxy/hurried-clock';
import { encodeRecords } from '../support/file-formats';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The address of a Cloud Storage that ends the connection of its first download after so many bytes. */
async function cuttingStorage(target: string, bytes: number): Promise<string> {
  let downloads = 0;
  server = createServer((asked, response) => {
    const url = rawUrl(asked);
    const isCut = /alt=media/.test(url) && ++downloads === 1;
    const passedOn = request(target + url, { method: asked.method, headers: asked.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      let left = isCut ? bytes : Infinity;
      answer.on('data', (piece: Buffer) => {
        if (left > 0) response.write(piece.subarray(0, left));
        left -= piece.length;
        if (left <= 0) response.socket?.end();
      });
      answer.on('end', () => response.end());
    });
    asked.pipe(passedOn);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each(['ndjson', 'csv'] as const)('reads a cut %s file on from its progress, with exact counts', async (format) => {
  const { tenant, bucket } = await lab().openShop();
  const customers = Array.from({ length: 1_500 }, (_, index) => ({ CustomerId: `c${index}`, Name: 'x'.repeat(90) }));
  const content = encodeRecords(customers, format);
  bucket.put(`customers.${format}`, content);
  const { config } = lab();
  const endpoint = await cuttingStorage(config.emulators.storage!, content.length - 50_000);
  const clock = new HurriedClock();
  clock.runAt(50);
  const storage = new CloudObjectStorage({ ...config, emulators: { ...config.emulators, storage: endpoint } }, clock);

  const started = lab().start(tenant, bucket, { overrides: { storage } });
  await started.deliver(started.trigger);
  await started.deliver(started.waiting.shift()!);
  const step = started.waiting.shift()!;
  await expect(started.deliver(step)).rejects.toThrow('Nothing has come');
  const { status, rows } = await started.shown();
  expect(status).toBe('running');
  expect(rows.stored).toBeGreaterThan(0);
  await started.deliver(step);
  expect(await started.shown()).toMatchObject({
    status: 'succeeded',
    rows: { read: 1_500, stored: 1_500, invalid: 0, stale: 0 },
  });
  expect(await lab().records(tenant, 'customers')).toHaveLength(1_500);
});
