import { zipSync } from 'fflate';
import type { Files } from './files';

/** The earliest time that a zip can hold. It is local time, because a zip has no time zone. */
const TIME = new Date(1980, 0, 1);
const UNIX = 3;
const FILE_MODE = 0o100644;

/** Packs files into a zip. The same files give the same bytes. */
export function zipFiles(files: Files): Uint8Array {
  const sorted = Object.keys(files).sort();
  return zipSync(Object.fromEntries(sorted.map((name) => [name, files[name] ?? new Uint8Array()])), {
    level: 9,
    mtime: TIME,
    os: UNIX,
    attrs: FILE_MODE * 0x10000,
  });
}
