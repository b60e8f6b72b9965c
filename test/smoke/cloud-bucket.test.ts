/** The bucket of a smoke test, with the real client of Cloud Storage and a server that notes what it asks for. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { rawUrl } from '../../shared/http/raw-request';
import { close, listen } from '../local/ports';
import { cloudBucket } from './cloud-bucket';

const CONFIG = {
  projectId: 'shop-prod',
  schedulerLocations: ['europe-west3', 'europe-west1'],
  transferServiceAccount: 'fn-transfer-runner@shop-prod.iam.gserviceaccount.com',
} as const;
const POLICY = '/storage/v1/b/smoke/iam';
const OWNERS = { role: 'roles/storage.legacyBucketOwner', members: ['projectOwner:shop-prod'] };

/** Runs with a server whose answers are given by method and path; the other paths are 404. */
async function withServer(
  answers: Readonly<Record<string, unknown>>,
  use: (apiEndpoint: string, asked: { request: string; body?: unknown }[]) => Promise<void>,
): Promise<void> {
  const asked: { request: string; body?: unknown }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const path = new URL(rawUrl(request), 'http://any').pathname;
      const isJson = /application\/json/.test(request.headers['content-type'] ?? '');
      const name = `${request.method ?? ''} ${path}`;
      asked.push({ request: name, ...(isJson && { body: await json(request) }) });
      const answer = answers[name];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: { code: 404, message: 'Not Found' } }));
    })();
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, field: 'any' });
  try {
    await use(`http://127.0.0.1:${port}`, asked);
  } finally {
    await close(server);
  }
}

it('is made private and in the service’s region, with files that go after a day, for transfer-runner to read (R-387)', async () => {
  const answers = {
    'POST /storage/v1/b': { name: 'smoke' },
    [`GET ${POLICY}`]: { etag: 'CAE=', bindings: [OWNERS] },
    [`PUT ${POLICY}`]: {},
  };
  await withServer(answers, async (apiEndpoint, asked) => {
    await cloudBucket('smoke', CONFIG, apiEndpoint).create();
    expect(asked.map(({ request }) => request)).toEqual(Object.keys(answers));
    expect(asked[0]!.body).toMatchObject({
      name: 'smoke',
      location: 'europe-west3',
      iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'enforced' },
      lifecycle: { rule: [{ action: { type: 'Delete' }, condition: { age: 1 } }] },
      softDeletePolicy: { retentionDurationSeconds: 0 },
    });
    const reader = `serviceAccount:${CONFIG.transferServiceAccount}`;
    expect(asked[2]!.body).toMatchObject({
      etag: 'CAE=',
      bindings: [OWNERS, { role: 'roles/storage.objectViewer', members: [reader] }],
    });
  });
});

it('is removed with all that is in it, and a bucket that is gone is no failure (R-388)', async () => {
  const answers = {
    'GET /storage/v1/b/smoke/o': { items: [{ name: 'crm/a.csv', generation: '1' }] },
    'DELETE /storage/v1/b/smoke/o/crm%2Fa.csv': {},
    'DELETE /storage/v1/b/smoke': {},
  };
  await withServer(answers, async (apiEndpoint, asked) => {
    await cloudBucket('smoke', CONFIG, apiEndpoint).remove();
    expect(asked.map(({ request }) => request)).toEqual(Object.keys(answers));
  });
  await withServer({}, async (apiEndpoint, asked) => {
    await cloudBucket('smoke', CONFIG, apiEndpoint).remove();
    expect(asked).toHaveLength(1);
  });
});
