/** The key of the demo tenant, which stays the same: what was pasted once works after a restart, too. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fromKeyDocument } from '../../../shared/auth/tenant-documents';
import { apiKeyPath } from '../../../shared/documents/paths';
import { API_KEY_BYTES, hashApiKey, isValidKey, PERMISSIONS } from '../../../shared/domain/api-key';
import { createKey } from '../../../shared/operations/keys';
import type { Operator } from '../../../shared/operations/operator';
import type { Random } from '../../../shared/platform/random';

/** Where the key is kept in a data folder. */
export function keyFileIn(folder: string): string {
  return join(resolve(folder), 'demo-key');
}

/** Where the key of a stack without a data folder is kept: beside its configuration, where Git ignores it. */
export function keyFileBeside(configFile: string): string {
  return keyFileIn(join(dirname(resolve(configFile)), '.local'));
}

/**
 * A key of the organization that may do everything: the one in the file, unless it is revoked or has ended, or none is
 * there. Then a new one is created, and kept in the file, which only this user can read.
 */
export async function keepDemoKey(file: string, organization: string, operator: Operator): Promise<string> {
  const options = { organization, permissions: PERMISSIONS };
  const kept = readKey(file);
  const state = kept && (await stateOf(kept, operator));
  if (kept && state === 'valid') return kept;
  if (kept && state === 'unknown') {
    await createKey(options, { ...operator, random: randomOf(kept, operator.random) });
    return kept;
  }
  const { key } = await createKey(options, operator);
  writeKey(file, key);
  return key;
}

/** Undefined: there is no file, or no key in it. */
function readKey(file: string): string | undefined {
  try {
    const key = readFileSync(file, 'utf8').trim();
    return hashApiKey(key) && key;
  } catch {
    return undefined;
  }
}

function writeKey(file: string, key: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, `${key}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}

async function stateOf(key: string, { store, clock, deadline }: Operator): Promise<'valid' | 'ended' | 'unknown'> {
  const hash = hashApiKey(key);
  const stored = hash && (await store.get(apiKeyPath(hash), deadline()));
  if (!stored) return 'unknown';
  return isValidKey(fromKeyDocument(hash, stored.data), clock.nowMs()) ? 'valid' : 'ended';
}

/** Gives the bytes of the key where a new key is asked for, and the same id for the same key. */
function randomOf(key: string, random: Random): Random {
  const id = createHash('sha256').update(`the id of ${key}`).digest();
  return {
    bytes: (size) => (size === API_KEY_BYTES ? Buffer.from(key, 'base64') : id.subarray(0, size)),
    fraction: () => random.fraction(),
  };
}
