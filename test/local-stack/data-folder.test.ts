import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder } from '../local/data/data-folder';
import type { KeptDocument } from '../local/data/documents';
import type { SnapshotHead } from '../local/data/snapshot-file';
import { readSnapshotDocuments, readSnapshotHead, writeSnapshot } from '../local/data/snapshot-file';
import { StackError } from '../local/stack-error';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('the folder of --data (R-222)', () => {
  test('is made for this user alone, and can be opened again when it was closed', () => {
    const path = join(folder, 'a/b');
    for (let start = 0; start < 2; start += 1) {
      const opened = openDataFolder(path);
      expect(opened).toMatchObject({ path, buckets: join(path, 'buckets'), wasKilled: false });
      expect(statSync(path).mode & 0o777).toBe(0o700);
      opened.close();
    }
  });

  test('is refused with a sentence while another stack has it', () => {
    const opened = openDataFolder(folder);
    expect(() => openDataFolder(folder)).toThrow(
      new StackError(
        `Another stack (process ${process.pid}) uses the data folder ${folder}: stop it, or name another folder.`,
      ),
    );
    opened.close();
    openDataFolder(folder).close();
  });

  test('is taken from a stack that was killed, and says so', async () => {
    const script = `require('./test/local/data/data-folder').openDataFolder(${JSON.stringify(folder)}); console.log(1); setInterval(() => 0, 1000)`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(owner.stdout, 'data');
    expect(() => openDataFolder(folder)).toThrow(`(process ${owner.pid})`);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const opened = openDataFolder(folder);
    expect(opened.wasKilled).toBe(true);
    opened.close();
  });

  test('is taken where the note of its owner was never written to its end', () => {
    writeFileSync(join(folder, 'in-use.json'), '{"pid"');
    const opened = openDataFolder(folder);
    expect(opened.wasKilled).toBe(true);
    opened.close();
  });

  test.each(['/proc/none/data', `${__filename}/data`])('that cannot be made is one sentence: %s', (path) => {
    expect(() => openDataFolder(path)).toThrow(StackError);
    expect(() => openDataFolder(path)).toThrow(/^The data folder \S+ cannot be used: E.*Name another folder\.$/);
  });
});

describe('the file of a snapshot (R-222)', () => {
  const head: SnapshotHead = {
    savedAt: '2026-03-01T09:30:00.000Z',
    projectId: 'a-project',
    jobs: [{ name: 'a-job' }],
    messages: [{ topic: 'a-topic', data: 'AA==', attributes: { a: 'b' } }],
  };
  const documents: KeptDocument[] = Array.from({ length: 3_000 }, (_, n) => ({
    path: `tenants/t/customers/${n}`,
    fields: { Name: { stringValue: `line\n\u2028 ${'x'.repeat(100)}` } },
  }));
  const file = () => join(folder, 'snapshot.ndjson');

  async function* given(): AsyncGenerator<KeptDocument> {
    for (const document of documents) yield await Promise.resolve(document);
  }

  async function readAll(): Promise<KeptDocument[]> {
    const found: KeptDocument[] = [];
    for await (const document of readSnapshotDocuments(file())) found.push(document);
    return found;
  }

  test('gives back what was written, for this user alone', async () => {
    expect(await readSnapshotHead(file())).toBeUndefined();
    expect(await writeSnapshot(file(), head, given())).toBe(documents.length);
    expect(await readSnapshotHead(file())).toMatchObject(head);
    expect(await readAll()).toEqual(documents);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('stays as it was when the next one does not come to its end', async () => {
    await writeSnapshot(file(), head, given());
    const before = readFileSync(file());
    async function* breaking(): AsyncGenerator<KeptDocument> {
      yield* given();
      throw new Error('killed');
    }
    await expect(writeSnapshot(file(), { ...head, savedAt: 'later' }, breaking())).rejects.toThrow('killed');
    expect(readFileSync(file()).equals(before)).toBe(true);
  });

  test.each([
    ['its last line', (size: number) => size - 20],
    ['half of it', (size: number) => Math.floor(size / 2)],
  ])('is not taken for whole without %s', async (_, toLength) => {
    await writeSnapshot(file(), head, given());
    truncateSync(file(), toLength(statSync(file()).size));
    await expect(readAll()).rejects.toThrow(StackError);
    await expect(readAll()).rejects.toThrow(/is damaged: .*Move it away to begin without it/);
  });

  test.each(['', 'no JSON\n', '{"documents":0}\n', '{"format":2}\n'])('%j is none', async (content) => {
    writeFileSync(file(), content);
    await expect(readSnapshotHead(file())).rejects.toThrow(/is damaged: /);
  });
});
