import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it, if it is not there. Node.js's own `recursive` never ends below a folder in which
 * none can be made, such as /proc.
 * @param mode of the folders that are made; undefined: the usual one
 */
export function makeFolder(folder: string, mode?: number): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!isFolder(folder)) throw error; // another process may have made it meanwhile
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
