import { runSkippedFilePath } from '../../../shared/documents/paths';
import { FILE_START } from '../../../shared/files/row';
import { MAX_PAGE_DOCUMENTS, MAX_PAGE_BYTES } from '../../../shared/limits/requests';
import { fileIdOf, NO_ROWS } from '../../../shared/transfers/runs/run';
import type { RunFile } from '../../../shared/transfers/runs/run';
import { toSkippedFile, toSkippedFilesDocument } from '../../../shared/transfers/runs/view/skipped-files';
import type { Caller } from '../../support/test-service';
import { useTestService } from '../../support/test-service';
import { aRun, aRunFile, aRunningRun, putFile, putRun, RUN_BUCKET, storedRunId } from '../../support/stored-run';
import { envelopeOf, expectAnswer } from '../api';

const service = useTestService('ingestion');
const pathOf = (tenantId: string, query = '') =>
  `/ingestion/google-cloud-storage/runs/${storedRunId(tenantId)}/files${query}`;
const refusal = (message: string) => envelopeOf('ingestion', false, message);

interface FilesPage {
  readonly Files: readonly { readonly Object: string; readonly Status: string; readonly ReadBytes: number | null }[];
  readonly NextPageToken: string | null;
}

const get = ({ key, tenantId }: Caller, query: string) => service().request('GET', pathOf(tenantId, query), { key });

async function pageOf(caller: Caller, query = ''): Promise<FilesPage> {
  const answer = await get(caller, query);
  expect(answer.status).toBe(200);
  return (answer.json as { Data: FilesPage }).Data;
}

/** All files, page by page, and the number of pages. */
async function allFiles(caller: Caller, query: string) {
  const files: FilesPage['Files'][number][] = [];
  let pages = 0;
  for (let token: string | null = ''; token !== null; pages += 1) {
    const page: FilesPage = await pageOf(caller, `?${query}&pageToken=${token}`);
    files.push(...page.Files);
    token = page.NextPageToken;
  }
  return { files, pages };
}

/** Stores files beside the one that the run has, which runs while one is pending. */
async function putFiles({ tenantId }: Caller, files: readonly Partial<RunFile>[]): Promise<void> {
  const writes = files.map((file) => putFile(storedRunId(tenantId), aRunFile(file)));
  if (files.some(({ status }) => status === 'pending')) {
    writes.push(putRun(storedRunId(tenantId), aRunningRun(tenantId)));
  }
  await service().store.commit(writes, service().deadline());
  service().store.calls.length = 0;
}

const ROWS = { ...NO_ROWS, read: 3, stored: 3 };
const anUnreadObject = {
  generation: '1',
  updated: new Date('2026-03-01T10:00:00.000Z'),
  size: 9,
  contentEncoding: null,
};
const waiting = { status: 'pending', checkpoint: FILE_START, rows: NO_ROWS } as const;
const running = { status: 'pending', checkpoint: { ...FILE_START, offset: 40 }, rows: ROWS } as const;

describe('GET /ingestion/google-cloud-storage/runs/<run_id>/files', () => {
  it('says of each file how far it is and why it failed (R-75)', async () => {
    const caller = await service().createCaller();
    await putFiles(caller, [
      { object: 'waiting', ...waiting },
      { object: 'running', ...running },
      { object: 'blank lines', ...waiting, checkpoint: { ...FILE_START, offset: 7 } },
      { object: 'failed', status: 'failed', error: 'It is damaged.' },
      { object: 'replaced', status: 'replaced' },
    ]);
    const { Files } = await pageOf(caller);
    expect(Object.fromEntries(Files.map((file) => [file.Object, file]))).toMatchObject({
      waiting: { Status: 'waiting', ReadBytes: null, Rows: { Read: 0 }, Error: null },
      running: { Status: 'running', ReadBytes: 40, Rows: { Read: 3, Stored: 3 }, Error: null },
      'blank lines': { Status: 'running', ReadBytes: 7, Rows: { Read: 0 } },
      failed: { Status: 'failed', ReadBytes: null, Error: 'It is damaged.' },
      replaced: { Status: 'skipped', ReadBytes: null },
      'shop/customers.ndjson': { Status: 'finished', ReadBytes: null },
    });
  });

  it('finds all files, however many, page by page, and those of one status (R-75)', async () => {
    const caller = await service().createCaller({ requestsPerMinute: 1_000 });
    const kinds = { waiting, running, finished: { status: 'finished' }, failed: { status: 'failed' }, skipped: { status: 'replaced' } } as const; // prettier-ignore
    const files = Object.entries(kinds).flatMap(([name, kind]) =>
      Array.from({ length: 30 }, (_, index) => ({ object: `${name}-${index}`, ...kind })),
    );
    await putFiles(caller, files);
    const all = [...files.map(({ object }) => object), 'shop/customers.ndjson'].sort();
    for (const limit of [9, 100]) {
      const found = await allFiles(caller, `limit=${limit}`);
      expect(found.files.map((file) => file.Object).sort()).toEqual(all);
      expect(found.pages).toBe(Math.ceil(all.length / limit));
    }
    for (const status of Object.keys(kinds)) {
      const found = await allFiles(caller, `limit=7&status=${status}`);
      expect(new Set(found.files.map(({ Status }) => Status))).toEqual(new Set([status]));
      expect(found.files).toHaveLength(status === 'finished' ? 31 : 30);
    }
  });

  it('shows files that a run has not read when it ended as skipped (R-75)', async () => {
    const caller = await service().createCaller();
    await putFiles(caller, [
      { object: 'waiting', ...waiting },
      { object: 'running', ...running },
      { object: 'replaced', status: 'replaced' },
    ]);
    const cancelled = putRun(storedRunId(caller.tenantId), aRun(caller.tenantId, { status: 'cancelled' }));
    await service().store.commit([cancelled], service().deadline());
    const { files } = await allFiles(caller, 'status=skipped&limit=1');
    expect(files.map((file) => [file.Object, file.Status, file.ReadBytes]).sort()).toEqual([
      ['replaced', 'skipped', null],
      ['running', 'skipped', null],
      ['waiting', 'skipped', null],
    ]);
    for (const status of ['waiting', 'running']) {
      expect(await pageOf(caller, `?status=${status}`)).toEqual({ Files: [], NextPageToken: null });
    }
  });

  it('lists those that the run does not read behind the others, with the reason, however many (R-105)', async () => {
    const caller = await service().createCaller();
    const names = Array.from({ length: 7 }, (_, index) => `file-${index}.txt`);
    const pages = [names.slice(0, 4), names.slice(4)].map((objects, index) => ({
      set: runSkippedFilePath(storedRunId(caller.tenantId), `0.${index}`),
      data: toSkippedFilesDocument(
        objects.map((name) => toSkippedFile({ ...anUnreadObject, name }, undefined)),
        aRunFile().expireAt,
      ),
    }));
    await putFiles(caller, [{ object: 'replaced', status: 'replaced' }]);
    await service().store.commit(pages, service().deadline());
    for (const limit of [1, 3, 100]) {
      const all = await allFiles(caller, `limit=${limit}`);
      expect(all.files.map((file) => file.Object).slice(2)).toEqual(names);
      const { files } = await allFiles(caller, `status=skipped&limit=${limit}`);
      expect(files.map((file) => file.Object)).toEqual(['replaced', ...names]);
    }
    const { Files } = await pageOf(caller, '?status=skipped');
    expect(Files.slice(0, 2)).toMatchObject([
      { Object: 'replaced', Status: 'skipped', Reason: 'replaced' },
      { Object: 'file-0.txt', Kind: null, Format: null, Status: 'skipped', Reason: 'unknown format', Size: 9 },
    ]);
    for (const status of ['waiting', 'running', 'failed']) {
      expect(await pageOf(caller, `?status=${status}`)).toEqual({ Files: [], NextPageToken: null });
    }
  });

  it('ends a page early that would have to look through too many documents (R-75)', async () => {
    const caller = await service().createCaller();
    const others = Array.from({ length: MAX_PAGE_DOCUMENTS + 1 }, (_, index) => ({ object: `w-${index}`, ...waiting }));
    await putFiles(caller, [...others, { object: 'running', ...running }]);
    const { files, pages } = await allFiles(caller, 'status=running');
    expect(files.map((file) => file.Object)).toEqual(['running']);
    expect(pages).toBe(2);
  });

  it('ends a page early whose files would take too many bytes', async () => {
    const caller = await service().createCaller();
    const error = '\u0001'.repeat(5_000); // six bytes each, as JSON
    await putFiles(
      caller,
      Array.from({ length: 60 }, (_, index) => ({ object: `${index}`, status: 'failed', error })),
    );
    expect((await get(caller, '?limit=100')).text.length).toBeLessThan(MAX_PAGE_BYTES + 40_000);
    expect((await allFiles(caller, 'limit=100')).files).toHaveLength(61);
  });

  it('refuses a status that there is not, and tokens of another run, list or filter', async () => {
    const caller = await service().createCaller();
    const other = await service().createCaller();
    for (const one of [caller, other]) await putFiles(one, [{ object: 'a' }, { object: 'b' }]);
    expectAnswer(
      await get(caller, '?status=pending'),
      400,
      refusal('The query parameter status must be one of waiting, running, finished, failed, skipped.'),
    );
    const { NextPageToken: own } = await pageOf(caller, '?limit=1');
    const digest = Buffer.from(own!, 'base64url').toString().slice(0, 16);
    const forged = (position: string) => Buffer.from(`${digest}${position}`).toString('base64url');
    const tokens = [
      (await pageOf(other, '?limit=1')).NextPageToken,
      (await pageOf(caller, '?limit=1&status=finished')).NextPageToken,
      forged('x'),
      forged(`__${'x'.repeat(39)}__`),
      forged(`../${fileIdOf(RUN_BUCKET, 'a', '1')}`),
    ];
    for (const token of tokens) {
      const answer = await get(caller, `?pageToken=${token}`);
      expectAnswer(answer, 400, refusal('The query parameter pageToken is no token of this list.'));
    }
    expect((await pageOf(caller, `?pageToken=${own}`)).Files).toHaveLength(2);
  });

  it('has its own message when the files cannot be read', async () => {
    const caller = await service().createCaller();
    service().store.failing = ({ paths }) => paths.some((path) => path.endsWith('/files'));
    expectAnswer(await get(caller, ''), 500, refusal('Failed to find files.'), { remaining: 99 });
  });
});
