/** That both clients of Firestore send the same requests and read the same answers, whatever is in them. */
import { v1 } from '@google-cloud/firestore';
import { credentials } from '@grpc/grpc-js';
import * as fc from 'fast-check';
import type { FirestoreCalls } from '../../../../shared/adapters/firestore/firestore-calls';
import { ReceiveBound } from '../../../../shared/adapters/firestore/firestore-calls';
import { GrpcFirestore } from '../../../../shared/adapters/firestore/grpc/grpc-firestore';
import { SdkFirestore } from '../../../../shared/adapters/firestore/sdk/sdk-firestore';
import { Status } from '../../../../shared/platform/retry';
import { systemClock } from '../../../../shared/platform/clock';
import { readConfig } from '../../../../shared/config';
import type { DocumentChange, SomeDocuments } from '../../../../shared/documents/document-store';
import type { ReceivedCall } from '../grpc/fake-service';
import { FakeService } from '../grpc/fake-service';
import { documentData, protoDocument } from './values';

const TIMEOUT_MS = 20_000;
const unbounded = () => new ReceiveBound(Infinity);
let firestore: FakeService;
let grpc: FirestoreCalls;
let sdk: FirestoreCalls;

beforeAll(async () => {
  firestore = await FakeService.start(
    new v1.FirestoreClient({ servicePath: '127.0.0.1', port: 1, sslCreds: credentials.createInsecure() }),
  );
  const config = {
    ...readConfig({ GOOGLE_CLOUD_PROJECT: 'p', FIRESTORE_DATABASE: 'd' }),
    emulators: { firestore: firestore.address },
  };
  grpc = new GrpcFirestore(config, systemClock);
  sdk = new SdkFirestore(config);
});

afterAll(async () => {
  await Promise.all([grpc.close(), sdk.close()]);
  firestore.stop();
});

beforeEach(() => {
  firestore.answer = [{}];
});

/** What Firestore receives when a client makes the call. */
async function sent(
  client: FirestoreCalls,
  call: (client: FirestoreCalls) => Promise<unknown>,
): Promise<ReceivedCall[]> {
  firestore.received.length = 0;
  await call(client);
  return [...firestore.received];
}

/** Makes the call with both clients, and gives what the one over gRPC sent once it is what the SDK sent. */
async function sentAlike(call: (client: FirestoreCalls) => Promise<unknown>): Promise<ReceivedCall> {
  const [[ours], [theirs]] = [await sent(grpc, call), await sent(sdk, call)];
  expect(ours).toBeDefined();
  expect({ method: ours!.method, request: ours!.request }).toStrictEqual({
    method: theirs!.method,
    request: theirs!.request,
  });
  for (const header of ['authorization', 'x-goog-request-params']) {
    expect([header, ours!.headers[header]]).toStrictEqual([header, theirs!.headers[header]]);
    expect(ours!.headers[header]).toBeDefined();
  }
  return ours!;
}

const path = fc.stringMatching(/^[a-z]{1,9}\/[A-Za-z0-9_-]{1,200}$/);
const when = fc.constantFrom(undefined, 'absent', 'present', { seconds: 1_790_000_000, nanos: 123_456_000 });
const write: fc.Arbitrary<DocumentChange> = fc
  .record({ path, data: documentData, masked: fc.boolean(), removed: fc.boolean(), extra: fc.string(), when })
  .map(({ path: to, data, masked, removed, extra, when: condition }) => ({
    ...(removed ? { delete: to } : { set: to, data, ...(masked && { fields: [...Object.keys(data), extra] }) }),
    ...(condition !== undefined && { when: condition }),
  })) as fc.Arbitrary<DocumentChange>;

describe('the requests of both clients are the same', () => {
  it('for any commit and batch of writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 6 }), fc.boolean(), async (writes, atOnce) => {
        const call = await sentAlike((client) =>
          atOnce ? client.commit(writes, TIMEOUT_MS) : client.batchWrite(writes, TIMEOUT_MS),
        );
        expect(call.method).toBe(atOnce ? 'Commit' : 'BatchWrite');
        expect(call.request.writes).toHaveLength(writes.length);
      }),
      { numRuns: 150 },
    );
  });

  it.each([100, 127, 128, 16_300, 16_383, 16_384, 1_000_000])('for nested messages of about %i bytes', async (size) => {
    for (let more = 0; more < 20; more += 1) {
      const data = { list: [{ text: 'x'.repeat(size - more) }], more: 'ä'.repeat(more) };
      await sentAlike((client) => client.commit([{ set: 'a/b', data }], TIMEOUT_MS));
    }
  });

  it('for any increment', async () => {
    const additions = fc.array(fc.tuple(fc.string(), fc.maxSafeInteger()), { minLength: 1 });
    firestore.answer = [{ writeResults: [{ transformResults: [{ integerValue: 1 }] }] }];
    await fc.assert(
      fc.asyncProperty(path, documentData, additions, async (to, data, added) => {
        await sentAlike((client) => client.increment(to, data, added, TIMEOUT_MS));
      }),
    );
  });

  it('for any read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(path), async (paths) => {
        await sentAlike((client) => client.batchGet(paths, unbounded(), TIMEOUT_MS));
      }),
    );
  });

  it('for any query', async () => {
    const query = fc.record(
      {
        parent: fc.oneof(fc.constant(''), path),
        collectionId: fc.stringMatching(/^[A-Za-z-]{1,20}$/),
        limit: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        allDescendants: fc.constant(true as const),
        refsOnly: fc.constant(true as const),
        where: fc.record({ field: fc.string({ minLength: 1 }), value: fc.string({ unit: 'binary' }) }),
        after: path,
        before: path,
      },
      { requiredKeys: ['parent', 'limit'] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (each) => {
        await sentAlike((client) => client.runQuery(each, TIMEOUT_MS));
      }),
    );
  });

  it('for a count', async () => {
    for (const collection of ['tenants', 'tenants/t/customers']) {
      await sentAlike((client) => client.count(collection, TIMEOUT_MS));
    }
  });
});

describe('the answers are read alike by both clients', () => {
  const readAlike = async (call: (client: FirestoreCalls) => Promise<unknown>): Promise<unknown> => {
    const ours = await call(grpc);
    expect(ours).toStrictEqual(await call(sdk));
    return ours;
  };

  it('for any document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(protoDocument, { maxLength: 4 }), fc.boolean(), async (documents, queried) => {
        firestore.answer = queried
          ? [...documents.map((document) => ({ document, readTime: { seconds: 1 } })), { done: true }]
          : [...documents.map((found) => ({ found, readTime: { seconds: 1 } })), { missing: 'projects/p' }];
        const query = { parent: '', collectionId: 'c', limit: 9 };
        const read = await readAlike((client) =>
          queried ? client.runQuery(query, TIMEOUT_MS) : client.batchGet(['a/b'], unbounded(), TIMEOUT_MS),
        );
        expect(queried ? read : (read as SomeDocuments).documents).toHaveLength(documents.length);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['a commit whose last write is a deletion', { writeResults: [{ updateTime: { seconds: 5, nanos: 6 } }, {}] }, 5],
    [
      'a commit of several',
      { writeResults: [{ updateTime: { seconds: 5 } }, { updateTime: { seconds: 4, nanos: 6 } }] },
      4,
    ],
    ['a commit of deletions', { writeResults: [{}], commitTime: { seconds: 7, nanos: 1 } }, 7],
  ])('for the version after %s', async (_what, answer, seconds) => {
    firestore.answer = [{ commitTime: { seconds: 9, nanos: 9 }, ...answer }];
    expect(await readAlike((client) => client.commit([], TIMEOUT_MS))).toMatchObject({ seconds });
  });

  it('for an answer of more than 4 MiB, which a document of a million flags is', async () => {
    const text = 'x'.repeat(5_000_000);
    firestore.answer = [{ found: { name: 'n', fields: { text: { stringValue: text } } } }];
    const read = (await readAlike((client) => client.batchGet(['a/b'], unbounded(), TIMEOUT_MS))) as SomeDocuments;
    expect(read.documents[0]?.data.text === text).toBe(true);
  });

  it('for the statuses of a batch', async () => {
    const status = [{ code: 0 }, { code: 6, message: 'It is there: ä' }, { code: 14, message: '' }, {}];
    firestore.answer = [{ status, writeResults: [{ updateTime: { seconds: 1, nanos: 1 } }, {}] }];
    expect(await readAlike((client) => client.batchWrite([], TIMEOUT_MS))).toStrictEqual([
      { code: 0, message: '' },
      { code: 6, message: 'It is there: ä' },
      { code: 14, message: '' },
      { code: 0, message: '' },
    ]);
  });

  it('for the result of an increment', async () => {
    firestore.answer = [
      {
        commitTime: { seconds: 1 },
        writeResults: [{ updateTime: { seconds: 1 }, transformResults: [{ integerValue: 128 }, { integerValue: 0 }] }],
      },
    ];
    expect(await readAlike((client) => client.increment('a/b', {}, [], TIMEOUT_MS))).toStrictEqual([128, 0]);
  });

  it('for a count', async () => {
    firestore.answer = [
      { readTime: { seconds: 1 } },
      { result: { aggregateFields: { count: { integerValue: '1234567890123' } } }, readTime: { seconds: 1 } },
    ];
    expect(await readAlike((client) => client.count('c', TIMEOUT_MS))).toBe(1_234_567_890_123);
  });
});

describe.each([
  ['over gRPC', () => grpc],
  ['by the SDK', () => sdk],
])('a call %s', (_, client) => {
  const CALLS: readonly (readonly [string, (timeoutMs: number) => Promise<unknown>])[] = [
    ['commit', (timeoutMs) => client().commit([], timeoutMs)],
    ['batchWrite', (timeoutMs) => client().batchWrite([], timeoutMs)],
    ['increment', (timeoutMs) => client().increment('a/b', {}, [['n', 1]], timeoutMs)],
    ['batchGet', (timeoutMs) => client().batchGet(['a/b'], unbounded(), timeoutMs)],
    ['runQuery', (timeoutMs) => client().runQuery({ parent: '', collectionId: 'c', limit: 1 }, timeoutMs)],
    ['count', (timeoutMs) => client().count('c', timeoutMs)],
  ];

  it.each(CALLS)('%s is made once when it fails, and rejects with the status', async (_name, call) => {
    for (const code of [Status.UNAVAILABLE, Status.ABORTED, Status.FAILED_PRECONDITION]) {
      firestore.received.length = 0;
      firestore.answer = Object.assign(new Error('It failed.'), { code });
      await expect(call(TIMEOUT_MS)).rejects.toMatchObject({ code });
      expect(firestore.received).toHaveLength(1);
    }
  });

  it.each(CALLS)('%s ends with its time when there is no answer', async (_name, call) => {
    firestore.answer = 'none';
    await expect(call(100)).rejects.toMatchObject({ code: Status.DEADLINE_EXCEEDED });
  });
});

describe('a call over gRPC', () => {
  it('names the database to the front ends that route it', async () => {
    const [call] = await sent(grpc, (client) =>
      client.runQuery({ parent: 'a/ä?', collectionId: 'c', limit: 1 }, TIMEOUT_MS),
    );
    expect(call!.headers).toMatchObject({
      'google-cloud-resource-prefix': 'projects/p/databases/d',
      'x-goog-request-params': `parent=${encodeURIComponent('projects/p/databases/d/documents/a/ä?')}`,
    });
  });
});
