/** What Cloud Storage answers with a status 4xx, by the JSON of a listing and by the text of a download. */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudObjectStorage } from '../../../../shared/adapters/storage/cloud-object-storage';
import { toStorageError } from '../../../../shared/adapters/storage/refusals';
import { systemClock } from '../../../../shared/platform/clock';
import { readConfig } from '../../../../shared/config';
import { rawUrl } from '../../../../shared/http/raw-request';

/** The bucket whose requests are answered with a status. */
const bucketOf = (status: number) => `status-${status}`;
const download = (status: number) => storage.read(bucketOf(status), { name: 'customers.ndjson', generation: '7' }, 5);

const REASON = 'Bucket is requester pays bucket but no user project provided.';

let server: Server;
let storage: CloudObjectStorage;

beforeAll(async () => {
  server = createServer((request, response) => {
    const status = Number(/status-(\d+)/.exec(rawUrl(request))?.[1]);
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
    const error = {
      code: status,
      message: REASON,
      errors: [{ message: REASON, domain: 'global', reason: 'required' }],
    };
    response.end(rawUrl(request).includes('alt=media') ? REASON : JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = readConfig({ GOOGLE_CLOUD_PROJECT: 'p', STORAGE_EMULATOR_HOST: endpoint });
  storage = new CloudObjectStorage(config, systemClock);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe.each([
  [400, 'RequestRefused'],
  [401, 'AccessDenied'],
  [403, 'AccessDenied'],
  [412, 'RequestRefused'],
  [499, 'RequestRefused'],
])('the status %i', (status, name) => {
  const message = `The bucket ${bucketOf(status)} cannot be read (${status}): ${REASON}`;
  const expected = name === 'RequestRefused' ? { name, message } : { name };

  it(`is ${name} of a listing`, async () => {
    await expect(storage.list(bucketOf(status), '', 10)).rejects.toMatchObject(expected);
    await expect(storage.find(bucketOf(status), 'customers.ndjson')).rejects.toMatchObject(expected);
  });

  it(`is ${name} of a download`, async () => {
    await expect(download(status).next()).rejects.toMatchObject(expected);
  });
});

it('the status 404 is a missing bucket of a listing, and an object that is gone of a download', async () => {
  await expect(storage.list(bucketOf(404), '', 10)).rejects.toMatchObject({ name: 'BucketMissing' });
  await expect(download(404).next()).rejects.toMatchObject({ name: 'ObjectGone' });
});

it('the status 416 is the end of a download', async () => {
  expect(await download(416).next()).toEqual({ done: true, value: undefined });
});

// Without a server: the library repeats them for many seconds.
it.each([408, 429, 500, 503, 'ECONNRESET', undefined])('%s may pass', (code) => {
  const error = Object.assign(new Error('x'), { code });
  expect(toStorageError('b', error)).toBe(error);
});
