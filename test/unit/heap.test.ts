import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How often a process looks through its whole heap that keeps 20 MB alive and makes twenty times as much garbage. */
async function collections(growthPercent: number): Promise<number> {
  const worker = join(__dirname, 'heap-worker.ts');
  const { stdout } = await run(process.execPath, ['--import', 'tsx', worker, String(growthPercent)]);
  return Number(stdout);
}

it('lets the heap grow by the given part of what is alive: the less, the more often it is looked through', async () => {
  const [often, seldom] = await Promise.all([collections(10), collections(1000)]);
  expect(seldom).toBeGreaterThan(0);
  expect(often).toBeGreaterThan(2 * seldom);
});
