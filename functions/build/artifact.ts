import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunction } from './bundle';
import type { Files } from './files';
import type { ProjectManifest } from './manifest';
import { toManifest } from './manifest';
import type { Lock } from './prune-lock';
import { overridesFor, pruneLock } from './prune-lock';
import { zipFiles } from './zip';

/** What is deployed for a function. */
export interface Artifact {
  readonly name: string;
  /** The bundle, its source map, `package.json` and `package-lock.json`. */
  readonly files: Files;
  /** The files, packed. */
  readonly zip: Uint8Array;
  /** The number of packages that the lock file installs. */
  readonly packageCount: number;
}

/**
 * Builds the artifact of a function in memory. The same sources and lock file give the same bytes in any folder.
 * @param root the project's folder
 * @throws Error that names what is missing: an import, a dependency in `package.json`, a package in the lock file
 */
export async function buildArtifact(root: string, name: string): Promise<Artifact> {
  const project = readJson(join(root, 'package.json')) as ProjectManifest;
  const projectLock = readJson(join(root, 'package-lock.json')) as Lock;
  const bundle = await bundleFunction(root, name);
  const manifest = toManifest(name, bundle.packages, project);
  const lock = pruneLock(projectLock, manifest);
  const overrides = overridesFor(lock, project.overrides ?? {});
  const files: Files = {
    ...bundle.files,
    'package.json': toJson({ ...manifest, overrides }),
    'package-lock.json': toJson(lock),
  };
  return { name, files, zip: zipFiles(files), packageCount: Object.keys(lock.packages).length - 1 };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function toJson(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
