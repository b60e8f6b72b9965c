/** What a registration sees of a bucket, and by whose identity it looks. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CloudBucketLook } from '../../../../shared/adapters/storage/cloud-bucket-look';
import { readConfig } from '../../../../shared/config';
import { rawUrl } from '../../../../shared/http/raw-request';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let endpoint: string;
let respond: Respond;
let requests: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${rawUrl(request)}`);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const OBJECT = 'shop/a b%.csv';
const look = () =>
  new CloudBucketLook(readConfig({ GOOGLE_CLOUD_PROJECT: 'p', STORAGE_EMULATOR_HOST: endpoint })).accessTo(
    'ada-exports',
    'shop/ö&',
  );

/** A bucket with one object: the statuses of its list and of the object. */
const bucketOf =
  (list: number, object = 200): Respond =>
  (request, response) => {
    const isList = rawUrl(request).includes('?');
    response.writeHead(isList ? list : object, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isList ? { items: [{ name: OBJECT }] } : { name: OBJECT }));
  };

it.each([
  ['ok', bucketOf(200)],
  ['ok', bucketOf(200, 404)], // the object is removed meanwhile
  ['denied', bucketOf(401)],
  ['denied', bucketOf(403)],
  ['denied', bucketOf(200, 403)], // objects may be listed only
  ['notFound', bucketOf(404)],
] as const)('%s (R-114)', async (access, bucket) => {
  respond = bucket;
  expect(await look()).toBe(access);
});

it('asks for one object below the folder, and for nothing of its content (R-114)', async () => {
  respond = bucketOf(200);
  await look();
  expect(requests).toEqual([
    'GET /storage/v1/b/ada-exports/o?maxResults=1&prefix=shop%2F%C3%B6%26',
    'GET /storage/v1/b/ada-exports/o/shop%2Fa%20b%25.csv',
  ]);
});

it('an empty folder is ok (R-114)', async () => {
  respond = (_, response) => response.end('{"kind":"storage#objects"}');
  expect(await look()).toBe('ok');
  expect(requests).toHaveLength(1);
});

it.each([bucketOf(400), bucketOf(500), bucketOf(200, 429)])('fails for any other answer (R-114)', async (bucket) => {
  respond = bucket;
  await expect(look()).rejects.toThrow(/^Cloud Storage answered a look at a bucket with \d+\.$/);
});

it('fails when there is no answer, and ends its request (R-114)', async () => {
  const ended = new Promise<void>((resolve) => {
    respond = (request) => request.socket.once('close', () => resolve());
  });
  await expect(look()).rejects.toMatchObject({ name: 'FairTimeoutPassed' });
  await ended;
});

describe('with Google’s own library', () => {
  const home = mkdtempSync(join(tmpdir(), 'look-test-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** A look, and once more where the machine was too slow for it, and what was asked then. */
  async function lookAsDeployed(asked: unknown[]): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      asked.length = 0;
      const seen = await lookInProcess();
      if (attempt === 5 || !seen.error?.startsWith('There was no answer')) return seen;
    }
  }

  /** Looks in a process of its own: the library loads ES modules, which jest does not run. */
  async function lookInProcess(): Promise<{ readonly error?: string }> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(__dirname, 'bucket-look-worker.ts'), endpoint],
      {
        env: {
          PATH: process.env.PATH,
          GCE_METADATA_HOST: endpoint.slice('http://'.length),
          METADATA_SERVER_DETECTION: 'assume-present',
          HOME: home,
        },
      },
    );
    return JSON.parse(stdout) as { error?: string };
  }

  /** The metadata server, which gives the function its own token, the service of tokens, and Cloud Storage. */
  function google(tokenStatus: number, asked: unknown[]): Respond {
    return (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { authorization } = request.headers;
        const url = rawUrl(request);
        response.setHeader('metadata-flavor', 'Google');
        if (url.includes('/computeMetadata/') && !url.includes('/token')) return response.end('p');
        response.setHeader('content-type', 'application/json');
        if (url.includes('/computeMetadata/'))
          return response.end(JSON.stringify({ access_token: 'own', expires_in: 3600, token_type: 'Bearer' }));
        asked.push({
          url,
          authorization,
          ...(body !== '' && { scope: (JSON.parse(body) as { scope: unknown }).scope }),
        });
        if (!url.includes(':generateAccessToken')) return response.end('{}');
        response.statusCode = tokenStatus;
        const token = { accessToken: 'borrowed', expireTime: new Date(Date.now() + 3_600_000).toISOString() };
        return response.end(JSON.stringify(tokenStatus === 200 ? token : { error: { status: 'PERMISSION_DENIED' } }));
      });
    };
  }

  it('it borrows the identity of transfer-runner, for reading objects alone (R-115)', async () => {
    const asked: unknown[] = [];
    respond = google(200, asked);
    expect(await lookAsDeployed(asked)).toEqual({ access: 'ok' });
    expect(asked).toEqual([
      {
        url: '/v1/projects/-/serviceAccounts/fn-transfer-runner@p.iam.gserviceaccount.com:generateAccessToken',
        authorization: 'Bearer own',
        scope: ['https://www.googleapis.com/auth/devstorage.read_only'],
      },
      { url: '/storage/v1/b/ada-exports/o?maxResults=1&prefix=', authorization: 'Bearer borrowed' },
    ]);
  });

  it('it fails, and does not call the bucket denied, when it may not borrow that identity (R-115)', async () => {
    const asked: unknown[] = [];
    respond = google(403, asked);
    expect(await lookAsDeployed(asked)).toEqual({ error: expect.stringContaining('unable to impersonate') as unknown });
    expect(asked).not.toContainEqual(expect.objectContaining({ authorization: 'Bearer borrowed' }));
  });
});
