import { createHash } from 'node:crypto';
import type { Files } from '../build/files';

/** The file of a release that has the checksums of all others, in the form that `sha256sum --check` reads. */
export const CHECKSUMS = 'SHA256SUMS';

/** The SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What `SHA256SUMS` says of files, by their names. */
export function toChecksums(files: Files): string {
  const names = Object.keys(files).sort();
  return names.map((name) => `${sha256(files[name] ?? new Uint8Array())}  ${name}\n`).join('');
}

/**
 * @throws Error that names the files that are missing, changed, or not of the release
 */
export function requireChecksums(files: Files): void {
  const { [CHECKSUMS]: list, ...rest } = files;
  if (!list) throw new Error(`It has no ${CHECKSUMS}.`);
  const told = new Map(
    [
      ...Buffer.from(list)
        .toString()
        .matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm),
    ].map(([, sum, name]) => [name, sum]),
  );
  const missing = [...told.keys()].filter((name = '') => !(name in rest));
  const others = Object.entries(rest).filter(([name, content]) => told.get(name) !== sha256(content));
  const problems = [
    ...missing.map((name) => `${name} is missing`),
    ...others.map(([name]) => (told.has(name) ? `${name} was changed` : `${name} is not of this release`)),
  ];
  if (problems.length > 0) throw new Error(`${problems.join(', ')}.`);
}
