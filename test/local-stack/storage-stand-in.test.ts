import { mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { File, GetFilesResponse } from '@google-cloud/storage';
import { Storage } from '@google-cloud/storage';
import { crc32c } from '../local/storage/crc32c';
import { StackError } from '../local/stack-error';
import type { StorageStandIn } from '../local/storage-stand-in';
import { startStorageStandIn } from '../local/storage-stand-in';

let folder: string;
let root: string;
let standIn: StorageStandIn;
let endpoint: string;
let storage: Storage;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'storage-stand-in-')));
  root = join(folder, 'buckets');
  standIn = await startStorageStandIn({ host: '127.0.0.1', port: 0, root });
  endpoint = `http://127.0.0.1:${standIn.port}`;
  storage = new Storage({ apiEndpoint: endpoint, projectId: 'test-ingestion' });
  await put('shop/customers/1.json', 'one');
  await put('shop/customers/2.json', 'two');
  await put('shop/customers/old/3.json', 'three');
  await put('shop/products.csv', '0123456789');
  await put('shop/zoë und 100 %.txt', 'odd');
  await put('closed/file.txt', 'secret');
  await put('closed/.access-denied', '');
  await writeFile(join(folder, 'outside.txt'), 'outside');
});

afterAll(async () => {
  await standIn.stop();
  await rm(folder, { recursive: true });
});

/** Writes a file below the root as a user would, beside the API. */
async function put(path: string, content: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

function names([files]: GetFilesResponse): string[] {
  return files.map(({ name }) => name);
}

/** The files of a page, the query of the next one, and the answer itself. */
type ListedPage = [File[], object | null, unknown];

async function listPage(query: object): Promise<ListedPage> {
  const answer: unknown = await storage.bucket('shop').getFiles({ ...query, autoPaginate: false });
  return answer as ListedPage;
}

async function fetchStatus(path: string, method = 'GET'): Promise<number> {
  return (await fetch(`${endpoint}${path}`, { method })).status;
}

describe('checksums', () => {
  test.each([
    ['123456789', '4waSgw=='],
    ['', 'AAAAAA=='],
  ])('CRC32C of %j is that of the standard', async (text, expected) => {
    expect(await crc32c([Buffer.from(text)])).toBe(expected);
  });
});

describe('listing', () => {
  test('returns all files of the bucket by name, and nothing of another bucket or hidden', async () => {
    expect(names(await storage.bucket('shop').getFiles())).toEqual([
      'customers/1.json',
      'customers/2.json',
      'customers/old/3.json',
      'products.csv',
      'zoë und 100 %.txt',
    ]);
  });

  test('gives every object once over pages of any size', async () => {
    const [all] = await storage.bucket('shop').getFiles();
    const listed: File[] = [];
    let query: object | null = { maxResults: 2 };
    while (query) {
      const [page, next]: ListedPage = await listPage(query);
      expect(page.length).toBeLessThanOrEqual(2);
      listed.push(...page);
      query = next;
    }
    expect(listed.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
  });

  test('keeps to a prefix and joins what is behind a delimiter', async () => {
    expect(names(await storage.bucket('shop').getFiles({ prefix: 'customers/o' }))).toEqual(['customers/old/3.json']);
    const [files, , response] = await listPage({ prefix: 'customers/', delimiter: '/' });
    expect(files.map(({ name }) => name)).toEqual(['customers/1.json', 'customers/2.json']);
    expect(response).toMatchObject({ prefixes: ['customers/old/'] });
  });
});

describe('reading', () => {
  test('describes a file with size, checksum, times and a generation', async () => {
    const at = new Date('2026-03-04T05:06:07.891Z');
    await put('shop/described/a.txt', '123456789');
    await utimes(join(root, 'shop/described/a.txt'), at, at);
    const [metadata] = await storage.bucket('shop').file('described/a.txt').getMetadata();
    expect(metadata).toMatchObject({
      name: 'described/a.txt',
      bucket: 'shop',
      size: '9',
      crc32c: '4waSgw==',
      updated: at.toISOString(),
      metageneration: '1',
    });
    expect(metadata.generation).toMatch(/^1772600767891\d{3}$/);
    await rm(join(root, 'shop/described'), { recursive: true });
  });

  test('downloads what the client then finds to match its checksum, whatever the name', async () => {
    const [content] = await storage.bucket('shop').file('zoë und 100 %.txt').download();
    expect(content.toString()).toBe('odd');
  });

  test.each([
    [{ start: 2, end: 4 }, '234'],
    [{ start: 7 }, '789'],
    [{ end: -3 }, '789'],
    [{ start: 8, end: 100 }, '89'],
  ])('serves the range %j', async (range, expected) => {
    const [content] = await storage.bucket('shop').file('products.csv').download(range);
    expect(content.toString()).toBe(expected);
  });

  test('refuses a range behind the end with 416', async () => {
    const range = storage.bucket('shop').file('products.csv').download({ start: 10 });
    await expect(range).rejects.toMatchObject({ code: 416 });
  });

  test('never serves a replaced file for the generation that was pinned', async () => {
    await put('shop/replaced.txt', 'before');
    const [metadata] = await storage.bucket('shop').file('replaced.txt').getMetadata();
    const pinned = storage.bucket('shop').file('replaced.txt', { generation: metadata.generation! });
    expect((await pinned.download())[0].toString()).toBe('before');
    await put('shop/replaced.txt', 'after!');
    const later = new Date(new Date(metadata.updated!).getTime() + 1);
    await utimes(join(root, 'shop/replaced.txt'), later, later);
    await expect(pinned.download()).rejects.toMatchObject({ code: 404 });
    expect((await storage.bucket('shop').file('replaced.txt').download())[0].toString()).toBe('after!');
    await rm(join(root, 'shop/replaced.txt'));
  });

  test('inflates gzip content for a caller that does not accept it, and only for that one', async () => {
    const file = storage.bucket('shop').file('packed.txt');
    await file.save(gzipSync('unpacked'), { resumable: false, metadata: { contentEncoding: 'gzip' } });
    expect((await file.download())[0].toString()).toBe('unpacked');
    expect((await file.download({ decompress: false }))[0]).toEqual(gzipSync('unpacked'));
    const plain = await fetch(`${endpoint}/b/shop/o/packed.txt?alt=media`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    expect(await plain.text()).toBe('unpacked');
    await file.delete();
  });
});

describe('writing', () => {
  test.each([{ resumable: false }, { resumable: true }])('stores an upload with its metadata: %j', async (options) => {
    const file = storage.bucket('shop').file('new/folder/upload.json');
    await file.save('{"a":1}', { ...options, contentType: 'application/json', metadata: { metadata: { shop: '7' } } });
    expect(await readFile(join(root, 'shop/new/folder/upload.json'), 'utf8')).toBe('{"a":1}');
    expect((await file.getMetadata())[0]).toMatchObject({ contentType: 'application/json', metadata: { shop: '7' } });
    await file.delete();
    expect(await file.exists()).toEqual([false]);
  });

  test('gives every upload a later generation, however fast they follow', async () => {
    const generations: bigint[] = [];
    for (const content of ['a', 'b', 'c', 'd']) {
      const file = storage.bucket('shop').file('often.txt');
      await file.save(content, { resumable: false });
      generations.push(BigInt((await file.getMetadata())[0].generation!));
    }
    expect([...new Set(generations)].sort((a, b) => (a < b ? -1 : 1))).toEqual(generations);
    await storage.bucket('shop').file('often.txt').delete();
  });

  test('keeps the object when a generation precondition does not hold', async () => {
    const save = storage
      .bucket('shop')
      .file('products.csv')
      .save('x', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } });
    await expect(save).rejects.toMatchObject({ code: 412 });
    expect(await readFile(join(root, 'shop/products.csv'), 'utf8')).toBe('0123456789');
  });

  test('forgets the metadata of an upload when the file is replaced by hand', async () => {
    const file = storage.bucket('shop').file('by-hand.txt');
    await file.save('x', { resumable: false, contentType: 'text/x-special' });
    const later = new Date(new Date((await file.getMetadata())[0].updated!).getTime() + 5_000);
    await utimes(join(root, 'shop/by-hand.txt'), later, later);
    expect((await file.getMetadata())[0].contentType).toBe('application/octet-stream');
    await file.delete();
  });
});

describe('refusals', () => {
  test('a bucket or object that does not exist is a 404 in the shape of the real API', async () => {
    expect(await storage.bucket('missing').exists()).toEqual([false]);
    expect(await storage.bucket('shop').exists()).toEqual([true]);
    await expect(storage.bucket('missing').getFiles()).rejects.toMatchObject({
      code: 404,
      message: 'The specified bucket does not exist.',
      errors: [{ domain: 'global', reason: 'notFound' }],
    });
    await expect(storage.bucket('shop').file('missing').getMetadata()).rejects.toMatchObject({ code: 404 });
    await expect(storage.bucket('shop').file('missing').download()).rejects.toMatchObject({
      code: 404,
      message: 'No such object: shop/missing',
    });
  });

  test('a bucket with .access-denied answers 403 to everything', async () => {
    const bucket = storage.bucket('closed');
    const denied = { code: 403, errors: [{ reason: 'forbidden' }] };
    await expect(bucket.getMetadata()).rejects.toMatchObject(denied);
    await expect(bucket.getFiles()).rejects.toMatchObject(denied);
    await expect(bucket.file('file.txt').getMetadata()).rejects.toMatchObject(denied);
    await expect(bucket.file('file.txt').download()).rejects.toMatchObject({ code: 403 });
    await expect(bucket.file('file.txt').save('x', { resumable: false })).rejects.toMatchObject(denied);
    await expect(bucket.file('file.txt').delete()).rejects.toMatchObject(denied);
    expect(await readFile(join(root, 'closed/file.txt'), 'utf8')).toBe('secret');
  });

  test.each([
    '/b/shop/o/..%2F..%2Foutside.txt',
    '/b/shop/o/%2e%2e%2f%2e%2e%2foutside.txt?alt=media',
    '/b/shop/o/customers%2F..%2F..%2Fclosed%2Ffile.txt',
    '/b/..%2F/o/outside.txt',
    '/b/%2e%2e/o',
    '/b/./o',
    '/b/.metadata/o',
    '/b/shop%2Fcustomers/o',
    '/b/shop/o/%2Fetc%2Fpasswd',
    '/b/shop/o/a%00b',
    '/storage/v1/b/../../outside.txt',
  ])('nothing outside a bucket is reached by %s', async (path) => {
    expect(await fetchStatus(path)).toBe(404);
    expect(await fetchStatus(path, 'DELETE')).not.toBe(204);
  });

  test('an upload cannot leave its bucket', async () => {
    for (const name of [
      '../escaped.txt',
      '../../escaped.txt',
      '/escaped.txt',
      'a/../../escaped.txt',
      '.access-denied',
    ]) {
      const upload = storage.bucket('shop').file(name).save('x', { resumable: false });
      await expect(upload).rejects.toMatchObject({ code: 400 });
    }
  });

  test('a symbolic link is no object and no way out', async () => {
    await symlink(folder, join(root, 'shop/link'));
    expect(await fetchStatus('/b/shop/o/link%2Foutside.txt')).toBe(404);
    expect(names(await storage.bucket('shop').getFiles({ prefix: 'link' }))).toEqual([]);
    await expect(storage.bucket('shop').file('link/new.txt').save('x', { resumable: false })).rejects.toMatchObject({
      code: 400,
    });
    await rm(join(root, 'shop/link'));
  });

  test('a path that is not percent-encoded UTF-8 is a 400', async () => {
    expect(await fetchStatus('/b/shop/o/%ff')).toBe(400);
  });
});

test('the same paths work with and without the prefixes of the real API', async () => {
  for (const prefix of ['', '/storage/v1', '/download/storage/v1']) {
    const response = await fetch(`${endpoint}${prefix}/b/shop/o/products.csv?alt=media`);
    expect(await response.text()).toBe('0123456789');
  }
});

it('says in one sentence that its folder cannot be made', async () => {
  const file = join(root, 'a-file');
  await writeFile(file, '');
  const started = startStorageStandIn({ host: '127.0.0.1', port: 0, root: join(file, 'buckets') });
  await expect(started).rejects.toThrow(StackError);
  await expect(started).rejects.toThrow(/^storage\.root cannot be made: ENOTDIR.*Name another folder\.$/);
});
