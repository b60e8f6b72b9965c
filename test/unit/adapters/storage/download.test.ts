/** A download that is left early closes its connection, and nothing fails behind the back of who left it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

it('ends no process when it is left, however much of it has come', async () => {
  const script = join(__dirname, 'leave-downloads.ts');
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
  await expect(run).resolves.toMatchObject({ stdout: 'left 42 downloads\n' });
});
