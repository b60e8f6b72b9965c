import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/platform/clock';
import type { UploadEvents } from '../local/storage/upload-events';
import { publishUploads } from '../local/storage/upload-events';

let root: string;
let published: object[];
let uploads: UploadEvents;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'upload-events-'));
  mkdirSync(join(root, 'acme/shop'), { recursive: true });
  write('acme/shop/before.csv');
  published = [];
  uploads = await publishUploads(root, (event) => Promise.resolve(published.push(event)));
});

afterEach(async () => {
  await uploads.stop();
  rmSync(root, { recursive: true, force: true });
});

/** @param second of the file's time, by which its generation follows */
function write(path: string, second = 1): void {
  writeFileSync(join(root, path), 'x');
  utimesSync(join(root, path), second, second);
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const found = find();
    if (found !== undefined) return found;
    await systemClock.sleep(20);
  }
  throw new Error('It has not come.');
}

const eventOf = (name: string, generation: string) =>
  until(() => published.find((event) => JSON.stringify(event).includes(`"${name}","generation":"${generation}"`)));

describe('the events of the stand-in for Cloud Storage (R-383)', () => {
  it('tell of a file that comes, also with new folders, and when it is replaced', async () => {
    write('acme/customers.csv');
    expect(await eventOf('customers.csv', '1000000')).toEqual({
      kind: 'storage#object',
      bucket: 'acme',
      name: 'customers.csv',
      generation: '1000000',
    });
    mkdirSync(join(root, 'ben/a/b'), { recursive: true });
    write('ben/a/b/orders.csv');
    expect(await eventOf('a/b/orders.csv', '1000000')).toMatchObject({ bucket: 'ben' });
    write('acme/customers.csv', 2);
    expect(await eventOf('customers.csv', '2000000')).toMatchObject({ bucket: 'acme' });
    expect(JSON.stringify(published)).not.toContain('before.csv');
  });

  it('are followed by those that start the runs, and tell of nothing that is no object', async () => {
    mkdirSync(join(root, '.metadata/uploads'), { recursive: true });
    write('.metadata/uploads/1');
    write('loose.csv');
    write('acme/.access-denied');
    write('acme/customers.csv');
    await until(() => published.find((event) => 'start' in event));
    const told = published.filter((event) => 'kind' in event);
    expect(new Set(told.map((event) => (event as unknown as { name: string }).name))).toEqual(
      new Set(['customers.csv']),
    );
  });
});
