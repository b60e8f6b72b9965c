/**
 * A release: everything that is deployed, and what tells of it, in one folder without folders.
 *
 *   <function>.zip      the artifact of each function
 *   terraform.zip       the Terraform code that deploys them
 *   openapi.json        the contract, and data-ingestion-client-<version>.tgz, its client
 *   sbom.cdx.json       the packages that it is made of (CycloneDX)
 *   release.json        its name, its commit, and the Node.js that built it
 *   SHA256SUMS          the checksums of all of these
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '../build/files';
import { CHECKSUMS, requireChecksums } from './checksums';

export const TERRAFORM = 'terraform.zip';
export const ORIGIN = 'release.json';

/** What `release.json` says. */
export interface Origin {
  /** The tag, such as `v1.2.0`. */
  readonly release: string;
  /** The full hash. */
  readonly commit: string;
  /** The version of Node.js that built it: another one may compress otherwise. */
  readonly node: string;
}

export interface Release {
  readonly origin: Origin;
  /** All of its files, as they were when their checksums were verified. */
  readonly files: Files;
}

/**
 * Reads a release and verifies its checksums. What it returns stays as it is, whatever becomes of the folder.
 * @throws Error that names what is missing, changed or too much
 */
export function readRelease(folder: string): Release {
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  try {
    requireChecksums(files);
  } catch (error) {
    throw new Error(`${folder} is not a release as it was built: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  return { origin: JSON.parse(textOf(files, ORIGIN)) as Origin, files };
}

/** The names of the functions that it has an artifact of. */
export function functionsOf({ files }: Release): string[] {
  return Object.keys(files).flatMap((name) => (name.endsWith('.zip') && name !== TERRAFORM ? [name.slice(0, -4)] : []));
}

function textOf(files: Files, name: string): string {
  const content = files[name];
  if (!content) throw new Error(`The release has no ${name}, though ${CHECKSUMS} is complete.`);
  return Buffer.from(content).toString();
}
