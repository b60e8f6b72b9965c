/**
 * `npm run admin`: runs the command line from one file. Translating and loading its hundreds of sources one by one would
 * take most of a command's time. The file is made anew when a source has changed: the name of its folder stands for the
 * sources as they are, by their paths, sizes and times.
 */
'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '../..');
const SOURCES = ['functions', 'shared', 'package-lock.json'];
const BUILDS = join(ROOT, '.local/admin');

/** Paths of the files in a folder, or of the file itself. */
function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.(ts|cjs|json)$/.test(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : join(path, entry.name)));
}

/** Another text whenever a source has changed. */
function stateOfSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesOf(join(ROOT, source)))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}

const folder = join(BUILDS, stateOfSources());
if (!existsSync(folder)) {
  const build = ['--import', 'tsx', 'functions/build/admin.ts', folder];
  const { status } = spawnSync(process.execPath, build, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(1);
}
require(join(folder, 'index.js'));
