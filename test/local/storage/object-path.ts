import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A bucket folder with this file answers "access denied" to every request; it is no object itself. */
export const ACCESS_DENIED_FILE = '.access-denied';

/** Beside the buckets: what uploads said about their objects, and uploads that are not complete yet. */
export const METADATA_FOLDER = '.metadata';

/** A name that cannot leave the root or mean a hidden folder in it. */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** The folder of a bucket; undefined when there is none. A symbolic link is no bucket. */
export async function findBucketFolder(root: string, bucket: string): Promise<string | undefined> {
  if (!BUCKET_NAME.test(bucket)) return undefined;
  const folder = join(root, bucket);
  return (await isPlain(folder)) && (await stat(folder)).isDirectory() ? folder : undefined;
}

/**
 * Where an object's file is or would be; undefined for a name that no file below the bucket's folder can have, or that
 * leads through a symbolic link.
 */
export async function resolveObjectPath(bucketFolder: string, name: string): Promise<string | undefined> {
  const segments = name.split('/');
  const isFileName = segments.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'));
  if (!isFileName || name === ACCESS_DENIED_FILE) return undefined;
  const file = join(bucketFolder, ...segments);
  return (await isPlain(await nearestExisting(file))) ? file : undefined;
}

async function nearestExisting(path: string): Promise<string> {
  for (let current = path; ; current = dirname(current)) {
    if ((await findRealPath(current)) !== undefined) return current;
  }
}

/** Whether the path exists and no part of it is a symbolic link. */
async function isPlain(path: string): Promise<boolean> {
  return (await findRealPath(path)) === path;
}

async function findRealPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}
