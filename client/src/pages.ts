import type { Call, Transport } from './http/transport';

/** The largest page that the service gives: fewer requests for the whole list. */
const PAGE_ITEMS = 100;

/**
 * All elements of a list. The next page is asked for when the elements of the one before are used up.
 * @param name the member of a page that has its elements
 */
export async function* eachOf<Name extends string, T>(
  transport: Transport,
  name: Name,
  call: Pick<Call, 'path' | 'query' | 'signal'>,
): AsyncGenerator<T, void, undefined> {
  let pageToken: string | undefined;
  do {
    const query = { ...call.query, limit: PAGE_ITEMS, pageToken };
    const page = await transport.send<Page<Name, T>>({ ...call, method: 'GET', query });
    yield* page[name];
    pageToken = page.NextPageToken ?? undefined;
  } while (pageToken !== undefined);
}

type Page<Name extends string, T> = Readonly<Record<Name, readonly T[]>> & { readonly NextPageToken: string | null };
