import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/platform/clock';
import { FileChanges, NO_SOURCE } from '../local/functions/file-changes';

let root: string;
let changes: FileChanges;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'source-changes-'));
  mkdirSync(join(root, 'a/b'), { recursive: true });
  write('a/b/c.ts');
  changes = new FileChanges([join(root, 'a'), join(root, 'missing')], NO_SOURCE);
});

afterEach(() => {
  changes.close();
  rmSync(root, { recursive: true, force: true });
});

function write(name: string): void {
  writeFileSync(join(root, name), '');
}

/** As editors save: a new file takes the place of the old one. */
function replace(name: string): void {
  write(`${name}~`);
  renameSync(join(root, `${name}~`), join(root, name));
}

async function next(): Promise<string[]> {
  return [...((await changes.next()) ?? [])].map((file) => file.slice(root.length + 1)).sort();
}

describe('changes of sources (R-225)', () => {
  test('that come together are told once', async () => {
    for (const name of ['a/b/c.ts', 'a/d.ts', 'a/b/e.ts', 'a/d.ts']) write(name);
    expect(await next()).toEqual(['a/b/c.ts', 'a/b/e.ts', 'a/d.ts']);
  });

  test('are told each time, also of a file that an editor replaces', async () => {
    for (let save = 0; save < 3; save += 1) {
      const told = next();
      replace('a/b/c.ts');
      expect(await told).toEqual(['a/b/c.ts']);
    }
  });

  test('are told of new folders, and of what comes in them later', async () => {
    mkdirSync(join(root, 'a/new/deep'), { recursive: true });
    expect(await next()).toEqual(['a/new']);
    write('a/new/deep/f.ts');
    expect(await next()).toEqual(['a/new/deep/f.ts']);
    rmSync(join(root, 'a/new'), { recursive: true });
    expect(await next()).toContain('a/new');
  });

  test('are no notes, hidden files or copies of editors', async () => {
    for (const name of ['a/README.md', 'a/.c.ts.swp', 'a/b/c.ts~']) write(name);
    await systemClock.sleep(200); // longer than changes are held
    write('a/g.ts');
    expect(await next()).toEqual(['a/g.ts']);
  });

  test('come to an end when it is closed', async () => {
    const told = changes.next();
    changes.close();
    expect(await told).toBeUndefined();
  });
});
