/** The command line as a process, whose output goes nowhere or is not wanted any more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const FULL = '/dev/full';

/** Asks for help, which needs no database. */
async function help(stdout: number | 'pipe') {
  const child = spawn(process.execPath, ['--import', 'tsx', 'functions/admin/index.ts', '--help'], {
    cwd: ROOT,
    stdio: ['ignore', stdout, 'pipe'],
  });
  child.stdout?.destroy(); // its reader leaves before anything is written
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

it('a reader that leaves early is no error', async () => {
  expect(await help('pipe')).toEqual({ code: 0, said: '' });
});

(existsSync(FULL) ? it : it.skip)('output that cannot be written is an error, and says so', async () => {
  const { code, said } = await help(openSync(FULL, 'w'));
  expect(code).toBe(1);
  expect(said).toMatch(/^The output cannot be written: ENOSPC.*\n$/);
});
