import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClient } from '../../client/build/build';
import { buildArtifact } from '../build/artifact';
import { deployedFunctions } from '../build/deployed-functions';
import type { Files } from '../build/files';
import { zipFiles } from '../build/zip';
import { CHECKSUMS, toChecksums } from './checksums';
import { outputOf, run } from './programs';
import type { Origin } from './release';
import { ORIGIN, TERRAFORM } from './release';
import { softwareBill } from './software-bill';

interface Project {
  readonly name: string;
  readonly version: string;
}

/**
 * Builds a release in memory. The same commit, Node.js and npm give the same bytes in any folder.
 * @param root the project's folder; `client/dist` is made anew in it
 * @param tag the tag under which it is kept; null for one that is not kept
 * @throws Error when the tag is not the version in `package.json`, or something is not committed
 */
export async function makeRelease(root: string, tag: string | null): Promise<Files> {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Project;
  const release = `v${version}`;
  if (tag !== null && tag !== release)
    throw new Error(`The tag is ${tag}, and the version in package.json ${version}.`);
  requireCommitted(root);
  const origin: Origin = { release, commit: git(root, 'rev-parse', 'HEAD').trim(), node: process.version };
  const files: Files = {
    ...(await artifacts(root)),
    ...(await clientPackage(root)),
    [TERRAFORM]: zipFiles(terraformCode(root)),
    'openapi.json': readFileSync(join(root, 'openapi.json')),
    'sbom.cdx.json': softwareBill(root, name),
    [ORIGIN]: Buffer.from(`${JSON.stringify(origin, null, 2)}\n`),
  };
  return { ...files, [CHECKSUMS]: Buffer.from(toChecksums(files)) };
}

/** What is built must be what the commit has. New files count where they would be built. */
function requireCommitted(root: string): void {
  const changed = git(root, 'status', '--porcelain', '--untracked-files=no').split('\n');
  const added = git(root, 'ls-files', '--others', '--exclude-standard', 'functions', 'shared', 'client').split('\n');
  const [first] = [...changed.map((line) => line.slice(3)), ...added].filter((file) => file !== '');
  if (first !== undefined) throw new Error(`${first} is not committed as it is: a release is built from a commit.`);
}

async function artifacts(root: string): Promise<Files> {
  const zips: Record<string, Uint8Array> = {};
  for (const name of deployedFunctions(root)) zips[`${name}.zip`] = (await buildArtifact(root, name)).zip;
  return zips;
}

async function clientPackage(root: string): Promise<Files> {
  await buildClient(join(root, 'client'), join(root, 'client/dist'));
  const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  try {
    run('npm', ['pack', './client', '--silent', '--pack-destination', folder], { cwd: root });
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The committed files of `terraform/` but its tests, by their paths in it: never somebody's variables or state. */
function terraformCode(root: string): Files {
  const paths = git(root, 'ls-files', '-z', 'terraform').split('\0');
  const names = paths
    .map((path) => path.slice('terraform/'.length))
    .filter((name) => name !== '' && !name.startsWith('tests/'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, 'terraform', name))]));
}

function git(root: string, ...args: readonly string[]): string {
  return outputOf('git', args, { cwd: root });
}
