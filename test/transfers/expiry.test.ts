/** What a transfer leaves behind expires: runs with all that is below them, and notes of files that are gone. */
import type { StoredDocument } from '../../shared/documents/document-store';
import { runPath, takenFilePath } from '../../shared/documents/paths';
import { LONGEST_RUN_SECONDS, RUN_RETENTION_SECONDS, TAKEN_FILE_REFRESH_SECONDS, TAKEN_FILE_RETENTION_SECONDS } from '../../shared/limits/transfers'; // prettier-ignore
import { fileIdOf } from '../../shared/transfers/runs/run';
import { ObservedDocumentStore } from '../support/observed-document-store';
import type { Shop } from '../support/transfer-lab';
import { useTransferLab } from '../support/transfer-lab';
import { BAD_LINE, customers, finished, ndjson, noFiles } from './numbered-customers';

const lab = useTransferLab();

/** A clock that is so many seconds ahead. */
const ahead = (seconds: number) => {
  const { clock } = lab().operator;
  return { ...clock, nowMs: () => clock.nowMs() + seconds * 1000 };
};
const secondsAfter = (time: string | Date | null, { data }: StoredDocument) =>
  ((data.expireAt as Date).getTime() - new Date(time ?? NaN).getTime()) / 1000;

it('every document below a run has the time when it may be removed, 90 days or more after the end of the run', async () => {
  const { tenant, bucket } = await lab().openShop();
  for (const file of [1, 2]) bucket.put(`customers-${file}.ndjson`, ndjson(customers(1, 2_500)) + BAD_LINE);
  const store = new ObservedDocumentStore(lab().operator.store);
  const first = await lab().run(tenant, bucket, { overrides: { store } });
  const replay = await lab().replay(first.runId, { overrides: { store } });
  const written = [...(await store.dump()).values()];
  const kinds = new Set<string>();
  for (const run of [first, replay]) {
    const [document] = written.filter(({ path }) => path === runPath(run.runId));
    expect(secondsAfter(run.finishedAt, document!)).toBe(RUN_RETENTION_SECONDS);
    for (const part of written.filter(({ path }) => path.startsWith(`${runPath(run.runId)}/`))) {
      expect([part.path, secondsAfter(run.startedAt, part)]).toEqual([
        part.path,
        LONGEST_RUN_SECONDS + RUN_RETENTION_SECONDS,
      ]);
      kinds.add(part.path.split('/').at(-2)!);
    }
  }
  expect(kinds).toEqual(new Set(['files', 'leases', 'pages', 'replay', 'reports']));
});

it('a run that never ends expires, too', async () => {
  const { tenant, bucket } = await lab().openShop();
  const started = lab().start(tenant, bucket);
  await started.deliver(started.trigger);
  const { runId, startedAt } = await started.shown();
  const document = await lab().operator.store.get(runPath(runId), lab().operator.deadline());
  expect(secondsAfter(startedAt, document!)).toBe(RUN_RETENTION_SECONDS);
});

describe('the note that a file was read (D-53)', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await lab().openShop();
    shop.bucket.put('customers.ndjson', ndjson(customers(1, 10)));
  });

  /** A run so many seconds from now, and the writes of notes that it makes. */
  async function run(seconds: number) {
    const store = new ObservedDocumentStore(lab().operator.store);
    const ended = await lab().run(shop.tenant, shop.bucket, { overrides: { store, clock: ahead(seconds) } });
    const notes = store.writes.filter(({ paths }) => paths.some((path) => path.includes('takenFiles'))).length;
    return { files: ended.files, notes };
  }
  async function note(): Promise<StoredDocument | undefined> {
    const [object] = (await lab().storage.list(shop.bucket.name, '', 1)).objects;
    const fileId = fileIdOf(shop.bucket.name, 'customers.ndjson', object!.generation);
    return lab().operator.store.get(takenFilePath(shop.tenant.tenantId, fileId), lab().operator.deadline());
  }

  it('is kept while runs see the file, for one write in 30 days', async () => {
    const before = Date.now();
    expect(await run(0)).toEqual({ files: finished(1), notes: 2 });
    const skipped = { ...noFiles, found: 1, skipped: 1 };
    const DAY = 24 * 3600;
    let writes = 0;
    for (const day of [1, 29, 31, 32, 60, 62, 92, 122, 152, 182, 183, 212, 242]) {
      const { files, notes } = await run(day * DAY);
      expect(files).toEqual(skipped);
      writes += notes;
    }
    expect(writes).toBe(8);
    const left = secondsAfter(new Date(before + 242 * DAY * 1000), (await note())!);
    expect(left).toBeGreaterThan(TAKEN_FILE_REFRESH_SECONDS);
    expect(left).toBeLessThanOrEqual(TAKEN_FILE_RETENTION_SECONDS + 600);
    expect((await note())?.data).toMatchObject({ isFinished: true, runId: expect.any(String) as string });
  });

  it('is not written again by a run that loses against another one', async () => {
    await run(0);
    const { store } = lab().operator;
    const later = ahead(TAKEN_FILE_RETENTION_SECONDS);
    const both = await Promise.all(
      [1, 2].map(() => lab().run(shop.tenant, shop.bucket, { overrides: { store, clock: later } })),
    );
    for (const { files } of both) expect(files).toEqual({ ...noFiles, found: 1, skipped: 1 });
  });

  it('is forgotten after it has expired, so that a file which no run saw for half a year is read again', async () => {
    await run(0);
    const { store, deadline } = lab().operator;
    await store.commit([{ delete: (await note())!.path }], deadline()); // as Firestore does
    expect((await run(TAKEN_FILE_RETENTION_SECONDS)).files).toEqual(finished(1));
  });
});
