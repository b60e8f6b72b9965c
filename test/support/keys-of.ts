import { listKeys } from '../../shared/operations/keys/list-keys';
import type { ShownKey } from '../../shared/operations/keys/shown-key';
import type { KeyKeeper } from '../../shared/operations/operator';

/** All keys of an organization. */
export async function keysOf(organization: string, keeper: KeyKeeper): Promise<ShownKey[]> {
  const keys: ShownKey[] = [];
  for await (const key of listKeys({ organization }, keeper)) keys.push(key);
  return keys;
}
