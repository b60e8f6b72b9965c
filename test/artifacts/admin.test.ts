/** How `npm run admin` is started: from one file, which is built anew when a source has changed. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PROJECT, temporaryFolder } from './built-artifacts';

const folder = temporaryFolder();
const BUILDS = join(folder, '.local/admin');
const PROGRAM = join(folder, 'functions/admin/program.ts');

/** A copy of the project, whose sources a test may change. */
beforeAll(() => {
  for (const part of ['functions', 'shared', 'package.json', 'package-lock.json', 'tsconfig.json', 'openapi.json']) {
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command; `options` are Node's own. */
function admin(args: readonly string[], options: readonly string[] = []) {
  const command = [...options, 'functions/admin/start.cjs', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** The files from which it was started, and when they were made. */
const builds = () => readdirSync(BUILDS).map((name) => ({ name, madeMs: statSync(join(BUILDS, name)).mtimeMs }));

it('is built once, and anew when a source has changed (R-195)', () => {
  const first = admin(['--help']);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: admin/) as unknown, stderr: '' });
  const made = builds();
  expect(made).toHaveLength(1);
  expect(admin(['--help'])).toEqual(first);
  expect(builds()).toEqual(made);

  const source = readFileSync(PROGRAM, 'utf8');
  writeFileSync(PROGRAM, source.replace('Looks after tenants', 'Looks after all tenants'));
  expect(admin(['--help']).stdout).toContain('Looks after all tenants');
  expect(builds()).toHaveLength(1);
  expect(builds()).not.toEqual(made);

  appendFileSync(PROGRAM, 'no TypeScript at all');
  const broken = admin(['--help']);
  expect(broken).toMatchObject({ code: 1, stdout: '' });
  expect(broken.stderr).toContain('The command line cannot be built');
  writeFileSync(PROGRAM, source);
  expect(admin(['--help'])).toEqual(first);
});

it('loads no SDK, no translator and no validator to say its help', () => {
  const probe = join(folder, 'probe.cjs');
  writeFileSync(probe, `process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))));`);
  const { stderr } = admin(['--help'], ['--require', probe]);
  const loaded = JSON.parse(stderr) as string[];
  const packages = loaded.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  expect(packages).toContain('commander');
  const slow = /^(@google-cloud\/.*|google-.*|tsx|esbuild|typescript)$/;
  expect(packages.filter((name) => slow.test(name))).toEqual([]);
  expect(loaded.filter((file) => /\/ajv\/dist\/(?!runtime\/)/.test(file))).toEqual([]);
  expect(loaded.filter((file) => file.endsWith('.ts'))).toEqual([]);
});

it('reads from the local stack without an SDK, too', () => {
  const probe = join(folder, 'probe.cjs');
  writeFileSync(probe, `process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))));`);
  const config = join(folder, 'emulator.config.json');
  writeFileSync(config, JSON.stringify({ firestore: { port: 1 } })); // nobody listens there
  const { code, stderr } = admin(['--config', config, 'tenants', 'list'], ['--require', probe]);
  expect(code).toBe(1);
  expect(stderr).toContain('The database cannot be reached.');
  expect(stderr).not.toMatch(/node_modules\/(@google-cloud|google-)/);
});
