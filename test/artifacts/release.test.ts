/** What `npm run release -- build` makes of a commit, and that it makes the same again elsewhere. */
import { unzipSync } from 'fflate';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lock } from '../../functions/build/prune-lock';
import { makeRelease } from '../../functions/release/make-release';
import { checkOut, FUNCTIONS, PROJECT, readJson, temporaryFolder } from './built-artifacts';

jest.setTimeout(180_000);

const folder = temporaryFolder();
const project = join(folder, 'project');
const out = join(folder, 'release');
const { version } = readJson<{ version: string }>(PROJECT, 'package.json');
const tag = `v${version}`;

/** As a person or a workflow runs it. */
function build(cwd: string, to: string, environment: NodeJS.ProcessEnv = {}): string {
  const args = ['run', '--silent', 'release', '--', 'build', '--tag', tag, '--out', to];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function git(...args: readonly string[]): string {
  const own = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...args], { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

let printed = '';
beforeAll(() => {
  checkOut(project);
  rmSync(join(project, 'client/dist'), { recursive: true, force: true });
  writeFileSync(join(project, '.gitignore'), 'dist/\n');
  writeFileSync(join(project, 'terraform/prod.tfvars'), 'project_id = "own"\n');
  git('init', '--quiet');
  git(
    'add',
    '.gitignore',
    'client',
    'functions',
    'shared',
    'terraform',
    'openapi.json',
    'package.json',
    'package-lock.json',
  );
  git('commit', '--quiet', '--message', 'all');
  printed = build(project, out);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('has the artifacts, the Terraform code, the contract, the client and what tells of them, with checksums (R-384)', () => {
  const zips = FUNCTIONS.map((name) => `${name}.zip`);
  const others = [
    'SHA256SUMS',
    `data-ingestion-client-${version}.tgz`,
    'openapi.json',
    'release.json',
    'sbom.cdx.json',
    'terraform.zip',
  ];
  expect(readdirSync(out).sort()).toEqual([...zips, ...others].sort());
  expect(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out }).status).toBe(0);
  expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n')).toHaveLength(zips.length + others.length);
  const commit = git('rev-parse', 'HEAD');
  expect(readJson(out, 'release.json')).toEqual({ release: tag, commit, node: process.version });
  expect(printed).toBe(`${tag} of ${commit}: ${zips.length + others.length} files in ${out}, as they were built\n`);
});

it('gives the same bytes of the same commit in another folder and time zone (R-384)', () => {
  const elsewhere = join(folder, 'elsewhere');
  const again = join(folder, 'again');
  cpSync(project, elsewhere, { recursive: true, verbatimSymlinks: true });
  build(elsewhere, again, { TZ: 'Asia/Tokyo' });
  const differing = readdirSync(out).filter(
    (name) => !readFileSync(join(out, name)).equals(readFileSync(join(again, name))),
  );
  expect(differing).toEqual([]);
});

it('has the Terraform code that is committed, and nobody’s own variables', () => {
  const code = unzipSync(readFileSync(join(out, 'terraform.zip')));
  const files = readdirSync(join(PROJECT, 'terraform'), { recursive: true, encoding: 'utf8' });
  const expected = files.filter((file) => /\.(tf|md|example|gitignore)$/.test(file) && !file.startsWith('tests'));
  expect(Object.keys(code).sort()).toEqual(expected.sort());
  for (const [file, content] of Object.entries(code)) {
    expect(readFileSync(join(PROJECT, 'terraform', file)).equals(content)).toBe(true);
  }
});

it('names in its bill of materials every package of the lock file', () => {
  const bill = readJson<{ bomFormat: string; metadata: object; components: { 'bom-ref': string }[] }>(
    out,
    'sbom.cdx.json',
  );
  const { '': _project, ...packages } = readJson<Lock>(PROJECT, 'package-lock.json').packages;
  const locked = Object.entries(packages).map(([path, { name = path
        .split('node_modules/')
        .at(-1), version: locked }]) => [name, locked].join('@'));
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.metadata).toMatchObject({ component: { name: 'data-ingestion-service', version } });
  const told = new Set(bill.components.map((component) => component['bom-ref']));
  expect(locked.length).toBeGreaterThan(500);
  expect(locked.filter((each) => !told.has(each))).toEqual([]);
});

it('refuses another tag than its version, and what is not committed (R-384)', async () => {
  await expect(makeRelease(project, 'v99.0.0')).rejects.toThrow(
    `The tag is v99.0.0, and the version in package.json ${version}.`,
  );
  const added = join(project, 'shared/added.ts');
  writeFileSync(added, '');
  await expect(makeRelease(project, null)).rejects.toThrow('shared/added.ts is not committed as it is');
  rmSync(added);
  writeFileSync(join(project, 'terraform/main.tf'), '');
  await expect(makeRelease(project, null)).rejects.toThrow('terraform/main.tf is not committed as it is');
});
