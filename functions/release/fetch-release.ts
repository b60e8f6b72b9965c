import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKSUMS } from './checksums';
import { outputOf, run } from './programs';
import type { Release } from './release';
import { readRelease } from './release';

/** Only what this workflow has kept is a release: it built it from the tag's commit. */
const BUILT_BY = '.github/workflows/release.yml';

/**
 * Downloads a release that is kept on GitHub, by GitHub's command line. Its provenance says that the workflow of this
 * repository built what `SHA256SUMS` names, which the files must then be.
 * @param folder what is there is replaced
 * @throws Error when there is no such release, or it is not what the workflow built
 */
export function fetchRelease(name: string, folder: string): Release {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('gh', ['release', 'download', name, '--dir', folder]);
  const repository = outputOf('gh', ['repo', 'view', '--json', 'nameWithOwner', '--jq', '.nameWithOwner']).trim();
  const builder = `${repository}/${BUILT_BY}`;
  run('gh', ['attestation', 'verify', join(folder, CHECKSUMS), '--repo', repository, '--signer-workflow', builder]);
  const release = readRelease(folder);
  if (release.origin.release === name) return release;
  throw new Error(`What is kept as ${name} says that it is ${release.origin.release}.`);
}
