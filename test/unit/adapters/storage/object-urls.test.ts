/**
 * Names of objects come from tenants' buckets and folder paths from their requests: neither may reach another address.
 */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudObjectStorage } from '../../../../shared/adapters/storage/cloud-object-storage';
import { systemClock } from '../../../../shared/platform/clock';
import { readConfig } from '../../../../shared/config';
import { rawUrl } from '../../../../shared/http/raw-request';

const NAMES = [
  'customers/../../../b/other/o/customers.ndjson',
  'customers/..%2F..%2Fb%2Fother/customers.ndjson',
  'customers.ndjson?alt=json&generation=1#x',
  '//169.254.169.254/customers.ndjson',
  'http://metadata.google.internal/customers.ndjson',
  '@evil.example/customers.ndjson',
  'customers\\..\\..\\other.ndjson',
  'customers\r\nHost: evil.example\r\n\r\n.ndjson',
  'customers&prefix=&delimiter=/',
  'Zoë 🍵/customers.ndjson',
];

let server: Server;
let asked: string[];
let storage: CloudObjectStorage;

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = rawUrl(request);
    asked.push(`${request.headers.host} ${url}`);
    const isObject = url.includes('alt=media');
    response.writeHead(200, { 'content-type': 'application/json' }).end(isObject ? 'bytes' : '{"items":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = new CloudObjectStorage(
    readConfig({ GOOGLE_CLOUD_PROJECT: 'p', STORAGE_EMULATOR_HOST: endpoint }),
    systemClock,
  );
});
beforeEach(() => (asked = []));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The one address that was asked, in its parts. */
function onlyUrl(): URL {
  expect(asked).toHaveLength(1);
  const [host = '', target = ''] = (asked[0] ?? '').split(' ');
  expect(host).toBe(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(target).toMatch(/^\/[!-~]+$/); // printable ASCII: nothing that could end the line
  return new URL(`http://${host}${target}`);
}

describe.each(NAMES)('the name %j', (name) => {
  it('is one segment of the path of its own bucket when it is read', async () => {
    let content = '';
    for await (const piece of storage.read('acme', { name, generation: '7' }, 0)) content += piece.toString();
    const { pathname, searchParams } = onlyUrl();
    const [bucket, object, ...more] = pathname.replace(/^.*\/b\//, '').split('/o/');
    expect({ bucket, object: decodeURIComponent(object ?? ''), more }).toEqual({
      bucket: 'acme',
      object: name,
      more: [],
    });
    expect(object).not.toContain('/');
    expect(Object.fromEntries(searchParams)).toMatchObject({ generation: '7', alt: 'media' });
    expect(content).toBe('bytes');
  });

  it('is one parameter of the query of its own bucket when it is a folder path', async () => {
    await storage.list('acme', name, 10);
    const { pathname, searchParams } = onlyUrl();
    expect(pathname).toMatch(/\/b\/acme\/o$/);
    expect(searchParams.getAll('prefix')).toEqual([name]);
    expect([...searchParams.keys()].sort()).toEqual(['maxResults', 'prefix']);
  });
});
