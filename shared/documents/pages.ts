import type { Deadline } from '../deadline';
import { LIST_PAGE_DOCUMENTS } from '../domain/limits';
import type { DocumentStore, StoredDocument } from './document-store';

/**
 * All documents of a collection in the order of their ids, page by page; memory does not grow with their number. Each
 * page has a deadline of its own: nobody knows how many there are.
 */
export async function* pagesOf(
  store: DocumentStore,
  collection: string,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<StoredDocument[]> {
  for (let after: string | undefined; ;) {
    const limit = LIST_PAGE_DOCUMENTS;
    const page = await store.list(collection, { limit, ...(after !== undefined && { after }) }, deadlineOfPage());
    if (page.length > 0) yield page;
    after = page.at(-1)?.path;
    if (page.length < limit) return;
  }
}

/** The same, one document at a time. */
export async function* allDocuments(
  store: DocumentStore,
  collection: string,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<StoredDocument> {
  for await (const page of pagesOf(store, collection, deadlineOfPage)) yield* page;
}
