/** A download that is cut off in its middle costs one delivery of its step, and not a row. */
import type { Server, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import type { Clock } from '../../shared/platform/clock';
import { rawUrl } from '../../shared/http/raw-request';
import { encodeRecords, FILE_FORMATS } from '../support/file-formats';
import { SeededRandom } from '../support/seeded-random';
import { useTransferLab } from '../support/transfer-lab';

const lab = useTransferLab();
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** How a connection can end: the other side ends it, closes it, or resets it. */
const ENDS = {
  ended: (response: ServerResponse) => void response.socket?.end(),
  closed: (response: ServerResponse) => void response.socket?.destroy(),
  reset: (response: ServerResponse) => void response.socket?.resetAndDestroy(),
} as const;

/** The address of a Cloud Storage whose first download loses its connection after so many bytes. */
async function cuttingStorage(target: string, bytes: number, cut: (response: ServerResponse) => void): Promise<string> {
  let downloads = 0;
  server = createServer((asked, response) => {
    const url = rawUrl(asked);
    const isCut = /alt=media/.test(url) && ++downloads === 1;
    const passedOn = request(target + url, { method: asked.method, headers: asked.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      let left = isCut ? bytes : Infinity;
      answer.on('data', (piece: Buffer) => {
        if (left <= 0) return;
        const last = piece.length >= left;
        response.write(piece.subarray(0, left), () => last && cut(response));
        left -= piece.length;
      });
      answer.on('end', () => left > 0 && response.end());
    });
    asked.pipe(passedOn);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PACKED = ['plain', '.gz', 'Content-Encoding: gzip'] as const;
const CASES = FILE_FORMATS.flatMap((format) =>
  PACKED.map((packing, at) => [format, packing, (['ended', 'closed', 'reset'] as const)[at]!] as const),
);

it.each(CASES)('reads a %s file, %s, whose download is %s on from its progress', async (format, packing, end) => {
  const { tenant, bucket } = await lab().openShop();
  const random = new SeededRandom('cut');
  const customers = Array.from({ length: 1_500 }, (_, index) => ({
    CustomerId: `c${index}`,
    Name: random.bytes(45).toString('hex'), // so that gzip leaves something to cut
  }));
  const plain = Buffer.from(encodeRecords(customers, format));
  const content = packing === 'plain' ? plain : gzipSync(plain);
  if (packing === 'Content-Encoding: gzip') await bucket.upload(`customers.${format}`, content, 'gzip');
  else bucket.put(`customers.${format}${packing === '.gz' ? '.gz' : ''}`, content);
  const { config, operator } = lab();
  const endpoint = await cuttingStorage(config.emulators.storage!, Math.floor(content.length * 0.7), ENDS[end]);
  const emulators = { ...config.emulators, storage: endpoint };
  // A silence would be waited for without an end.
  const clock: Clock = { ...operator.clock, sleep: (_ms, signal) => ended(signal) };
  const storage = new CloudObjectStorage({ ...config, emulators }, clock);

  const started = lab().start(tenant, bucket, { overrides: { storage } });
  await started.deliver(started.trigger);
  await started.deliver(started.waiting.shift()!);
  const step = started.waiting.shift()!;
  await expect(started.deliver(step)).rejects.toMatchObject({ name: 'DownloadCut' });
  expect((await started.shown()).status).toBe('running');
  await started.deliver(step);
  expect(await started.shown()).toMatchObject({
    status: 'succeeded',
    rows: { read: 1_500, stored: 1_500, invalid: 0, stale: 0, deleted: 0 },
  });
  expect(await lab().records(tenant, 'customers')).toHaveLength(1_500);
});

function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
}
