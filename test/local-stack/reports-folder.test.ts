/** A folder of the local stack that cannot be made. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StackError } from '../local/stack-error';
import { startStack } from '../local/stack';

it('says in one sentence that the folder of reports cannot be made, before an emulator is started', async () => {
  const root = mkdtempSync(join(tmpdir(), 'reports-folder-test-'));
  writeFileSync(join(root, 'folder-test-transfer-reports'), '');
  const anyPort = { port: 0 };
  const starting = startStack({
    projectId: 'folder-test',
    host: '127.0.0.1',
    gateway: anyPort,
    firestore: anyPort,
    pubsub: anyPort,
    storage: { ...anyPort, root },
    scheduler: anyPort,
  });
  await expect(starting).rejects.toThrow(StackError);
  await expect(starting).rejects.toThrow(/^storage\.root cannot be made: EEXIST.*Name another folder\.$/);
  rmSync(root, { recursive: true });
});
