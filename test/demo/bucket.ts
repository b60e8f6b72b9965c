/** The shop's bucket, into which it exports. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ShopFile } from './shop/files';

export interface ShopBucket {
  readonly name: string;
  /** Makes it, and lets the service read it. */
  create(): Promise<void>;
  /** Puts files there, as a tenant's export does; one of the same name is replaced. */
  put(files: readonly ShopFile[]): Promise<void>;
  /** Removes it with all that is in it; does nothing when there is none. */
  remove(): Promise<void>;
}

/** A bucket of a local stack: a folder in the root of its stand-in for Cloud Storage. */
export function folderBucket(root: string, name: string): ShopBucket {
  const folder = join(root, name);
  return {
    name,
    create: async () => {
      await mkdir(folder, { recursive: true });
    },
    put: async (files) => {
      for (const { name: object, content } of files) {
        const path = join(folder, object);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
