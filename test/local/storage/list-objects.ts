import { invalidRequest, StorageApiError } from './api-error';
import type { ObjectFiles } from './object-files';
import { compareBytes } from './object-files';
import { toObjectResource } from './resources';

/** The largest page, and the page when the request asks for none. */
const MAX_RESULTS = 1_000;

interface ListEntry {
  readonly key: string;
  readonly kind: 'object' | 'prefix';
}

/**
 * A page of a bucket's objects, with the parameters `prefix`, `delimiter`, `maxResults` and `pageToken` of the JSON
 * API.
 * @throws StorageApiError 400, 403 or 404.
 */
export async function listObjects(files: ObjectFiles, bucket: string, query: URLSearchParams): Promise<object> {
  const entries = toEntries(await files.listNames(bucket), query.get('prefix') ?? '', query.get('delimiter') ?? '');
  const last = Buffer.from(query.get('pageToken') ?? '', 'base64').toString();
  const rest = entries.filter(({ key }) => compareBytes(key, last) > 0);
  const page = rest.slice(0, parseMaxResults(query.get('maxResults')));
  const items: object[] = [];
  for (const { key, kind } of page) {
    const resource = kind === 'object' && (await describeObject(files, bucket, key));
    if (resource) items.push(resource);
  }
  const prefixes = page.filter(({ kind }) => kind === 'prefix').map(({ key }) => key);
  return {
    kind: 'storage#objects',
    ...(items.length > 0 && { items }),
    ...(prefixes.length > 0 && { prefixes }),
    ...(page.length < rest.length && { nextPageToken: Buffer.from(page.at(-1)?.key ?? '').toString('base64') }),
  };
}

/** Names that start with the prefix; those with a delimiter after it become one entry that ends there. */
function toEntries(names: string[], prefix: string, delimiter: string): ListEntry[] {
  const entries = new Map<string, ListEntry>();
  for (const name of names.filter((candidate) => candidate.startsWith(prefix))) {
    const end = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    const key = end === -1 ? name : name.slice(0, end + delimiter.length);
    entries.set(key, { key, kind: end === -1 ? 'object' : 'prefix' });
  }
  return [...entries.values()];
}

/** Undefined for an object that was removed after the names were read. */
async function describeObject(files: ObjectFiles, bucket: string, name: string): Promise<object | undefined> {
  try {
    const found = await files.openObject(bucket, name);
    try {
      return toObjectResource(found, await found.checksum());
    } finally {
      await found.handle.close();
    }
  } catch (error) {
    if (error instanceof StorageApiError && error.status === 404) return undefined;
    throw error;
  }
}

function parseMaxResults(text: string | null): number {
  if (text === null) return MAX_RESULTS;
  const maxResults = Number(text);
  if (!Number.isInteger(maxResults) || maxResults < 1) throw invalidRequest(`Invalid maxResults: ${text}`);
  return Math.min(maxResults, MAX_RESULTS);
}
