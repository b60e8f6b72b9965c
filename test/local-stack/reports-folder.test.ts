/** A folder of the local stack that cannot be made. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StackError } from '../local/stack-error';
import { startStack } from '../local/stack';

function startIn(root: string) {
  const anyPort = { port: 0 };
  return startStack({
    projectId: 'folder-test',
    host: '127.0.0.1',
    gateway: anyPort,
    firestore: anyPort,
    pubsub: anyPort,
    storage: { ...anyPort, root },
    scheduler: anyPort,
  });
}

it('says in one sentence that the folder of reports cannot be made, before an emulator is started', async () => {
  const root = mkdtempSync(join(tmpdir(), 'reports-folder-test-'));
  writeFileSync(join(root, 'folder-test-transfer-reports'), '');
  const starting = startIn(root);
  await expect(starting).rejects.toThrow(StackError);
  await expect(starting).rejects.toThrow(/^storage\.root cannot be made: EEXIST.*Name another folder\.$/);
  rmSync(root, { recursive: true });
});

it.each(['/proc', '/proc/none/buckets', `${__filename}/buckets`])(
  'says the same of a root in which no folder can be made: %s',
  async (root) => {
    const starting = startIn(root);
    await expect(starting).rejects.toThrow(StackError);
    await expect(starting).rejects.toThrow(/^storage\.root cannot be made: E.*Name another folder\.$/);
  },
);
