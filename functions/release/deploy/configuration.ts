import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../programs';

/**
 * Copies what is the operator's own of an environment: where its state is, its variables, and the provider's version.
 * @param from a folder, or an address such as `gs://bucket/folder`, which gcloud reads
 * @throws Error that names a file that is missing
 */
export function copyConfiguration(from: string, environment: string, to: string): void {
  const names = ['backend.tf', `${environment}.tfvars`, '.terraform.lock.hcl'];
  if (from.startsWith('gs://')) {
    run('gcloud', ['storage', 'cp', ...names.map((name) => `${from.replace(/\/$/, '')}/${name}`), to]);
    return;
  }
  const missing = names.filter((name) => !existsSync(join(from, name)));
  if (missing.length > 0) throw new Error(`${from} lacks ${missing.join(', ')}.`);
  for (const name of names) copyFileSync(join(from, name), join(to, name));
}
