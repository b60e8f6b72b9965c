/** Aurora's bucket: a folder of the demo's stack. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Demo } from './context';
import type { ShopFile } from './shop/files';

export const BUCKET = 'aurora-exports';

/** Puts files into the bucket, as a tenant's export does; one of the same name is replaced. */
export function putFiles({ config }: Pick<Demo, 'config'>, files: readonly ShopFile[]): void {
  for (const { name, content } of files) {
    const path = join(config.storage.root, BUCKET, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
