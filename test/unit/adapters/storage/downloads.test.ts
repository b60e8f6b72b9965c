/** Downloads that do not go to their end. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudObjectStorage } from '../../../../shared/adapters/storage/cloud-object-storage';
import { readConfig } from '../../../../shared/config';
import { rawUrl } from '../../../../shared/http/raw-request';

let server: Server;
let storage: CloudObjectStorage;
let answer: (response: ServerResponse, request: IncomingMessage) => void;
beforeAll(async () => {
  server = createServer((request, response) => answer(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = new CloudObjectStorage(readConfig({ GOOGLE_CLOUD_PROJECT: 'p', STORAGE_EMULATOR_HOST: endpoint }));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const download = (name = 'customers.ndjson') => storage.read('acme', { name, generation: '7' }, 0);

it('a download that is left early closes its own connection, and leaves the others alone', async () => {
  const half = Buffer.alloc(1024 ** 2);
  let whenLeft: Promise<unknown> = Promise.resolve();
  answer = (response, request) => {
    response.writeHead(200, { 'content-length': 2 * half.length });
    response.write(half);
    if (rawUrl(request).includes('left')) whenLeft = once(response, 'close');
    else void whenLeft.then(() => response.end(half));
  };
  const left = download('left')[Symbol.asyncIterator]();
  await left.next();
  const kept = download('kept')[Symbol.asyncIterator]();
  let length = (await kept.next()).value!.length;
  await left.return();
  for (let next = await kept.next(); !next.done; next = await kept.next()) length += next.value.length;
  expect(length).toBe(2 * half.length);
});
