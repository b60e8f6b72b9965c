import type { Deadline } from '../platform/deadline';
import { LIST_PAGE_DOCUMENTS, WRITE_CALL_DOCUMENTS } from '../limits/records';
import type { DocumentStore, Page, StoredDocument, DocumentRef } from './document-store';

/**
 * All documents of a collection in the order of their ids, page by page; memory does not grow with their number. Each
 * page has a deadline of its own: nobody knows how many there are.
 */
export function pagesOf(
  store: DocumentStore,
  collection: string,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<StoredDocument[]> {
  return pagesBy(LIST_PAGE_DOCUMENTS, (page) => store.list(collection, page, deadlineOfPage()));
}

/** The same of all documents whose field has this value, from the last one on. */
export function pagesFromLastWhere(
  store: DocumentStore,
  collection: string,
  { field, value }: { readonly field: string; readonly value: string },
  deadlineOfPage: () => Deadline,
): AsyncGenerator<StoredDocument[]> {
  return pagesBy(LIST_PAGE_DOCUMENTS, (page) => store.findLastWhere(collection, field, value, page, deadlineOfPage()));
}

/** The same of everything below a document, without data; one call removes a page. */
export function pagesBelow(
  store: DocumentStore,
  document: string,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<DocumentRef[]> {
  return pagesBy(WRITE_CALL_DOCUMENTS, (page) => store.listBelow(document, page, deadlineOfPage()));
}

async function* pagesBy<T extends DocumentRef>(limit: number, list: (page: Page) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let after: string | undefined; ;) {
    const page = await list({ limit, ...(after !== undefined && { after }) });
    if (page.length > 0) yield page;
    after = page.at(-1)?.path;
    if (page.length < limit) return;
  }
}

/**
 * The same, one document at a time.
 * @param tell is told, when another page is there, how many documents came before it
 */
export async function* allDocuments(
  store: DocumentStore,
  collection: string,
  deadlineOfPage: () => Deadline,
  tell: (documents: number) => void = () => undefined,
): AsyncGenerator<StoredDocument> {
  let count = 0;
  for await (const page of pagesOf(store, collection, deadlineOfPage)) {
    if (count > 0) tell(count);
    count += page.length;
    yield* page;
  }
}
