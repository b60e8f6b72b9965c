/** The way to the service's keys. */
import type { Door } from '../../api/door';
import type { Grant, Key, KeyRequests, NewKey } from './key';

interface KeyPage {
  readonly keys: readonly Key[];
  readonly nextPageToken: string | null;
  readonly own: Key | null;
}

const KEYS_PER_PAGE = 100;

/**
 * Keys page by page.
 * @param organization undefined: the own one; an operator's are all
 * @param onOwn gets the key that one is signed in with
 */
export async function* listKeys(
  door: Door,
  organization: string | undefined,
  onOwn: (own: Key) => void,
  signal: AbortSignal,
): AsyncGenerator<Key, void, undefined> {
  let pageToken: string | undefined;
  do {
    const query = { organization, limit: KEYS_PER_PAGE, pageToken };
    const page = await door.manage<KeyPage>({ method: 'GET', path: '/keys', query, signal });
    if (page.own) onOwn(page.own);
    yield* page.keys;
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
}

export function sumRequests(door: Door, organization: string | undefined, signal: AbortSignal): Promise<KeyRequests> {
  return door.manage({ method: 'GET', path: '/keys/requests', query: { organization }, signal });
}

export function createKey(
  door: Door,
  grant: Grant,
): Promise<{ readonly key: NewKey; readonly notices: readonly string[] }> {
  return door.manage({ method: 'POST', path: '/keys', body: JSON.stringify(grant) });
}

export function rotateKey(
  door: Door,
  { keyId }: Key,
  ends: { readonly until: string | undefined; readonly expires: string | undefined },
): Promise<{ readonly key: NewKey; readonly replaces: Key }> {
  return door.manage({ method: 'POST', path: `/keys/${encodeURIComponent(keyId)}/rotate`, body: JSON.stringify(ends) });
}

export async function revokeKey(door: Door, { keyId }: Key): Promise<void> {
  await door.manage({ method: 'POST', path: `/keys/${encodeURIComponent(keyId)}/revoke` });
}
