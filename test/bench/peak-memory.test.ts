import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from './artifacts';
import type { ReadAlone } from './read-alone';

const MIB = 1024 * 1024;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'peak-memory-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('does not count for a child what its parent had when it started it', () => {
  const file = join(folder, 'customers.ndjson');
  writeFileSync(file, '{"Email":"ann@x.com"}\n');
  const ballast = Buffer.alloc(400 * MIB, 1);
  const program = buildProgram('read-alone.ts', 'peak-memory-test');
  const { rows, peakBytes } = JSON.parse(
    execFileSync(process.execPath, [program, file, 'ndjson'], { encoding: 'utf8' }),
  ) as ReadAlone;
  expect(ballast.length / MIB).toBe(400);
  expect(rows).toBe(1);
  expect(peakBytes / MIB).toBeGreaterThan(10);
  expect(peakBytes / MIB).toBeLessThan(200);
});
