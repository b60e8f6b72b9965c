/**
 * `functions/build/admin.ts FOLDER`: makes the file from which `npm run admin` runs. The folder is there at once with
 * all that is in it, or not at all: commands may run at the same time. Files of earlier sources are removed.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { bundleFunction } from './bundle';

make(resolve(process.argv[2] ?? '')).catch((error: unknown) => {
  process.stderr.write(`The command line cannot be built: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

/** Node.js starts it in the project's folder. */
async function make(folder: string): Promise<void> {
  const { files } = await bundleFunction(process.cwd(), 'admin');
  const builds = dirname(folder);
  mkdirSync(builds, { recursive: true });
  const making = mkdtempSync(join(builds, 'making-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(making, name), content);
  moveTo(folder, making);
  for (const other of readdirSync(builds)) {
    if (other !== basename(folder) && !other.startsWith('making-'))
      rmSync(join(builds, other), { recursive: true, force: true });
  }
}

/** Two commands may have made the same. */
function moveTo(folder: string, made: string): void {
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
