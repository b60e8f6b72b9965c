import type { Deadline } from '../platform/deadline';
import { documentBytes } from '../domain/records/document';
import { LIST_PAGE_DOCUMENTS, RECORDS_PAGE_BYTES, WRITE_CALL_DOCUMENTS } from '../limits/records';
import type { DocumentReads, DocumentRef, Page, StoredDocument } from './document-store';

/**
 * Pages of all documents of a collection, in the order of their ids. Memory does not grow with their number. Each page
 * has a deadline of its own, because the number of documents is unknown.
 */
export function pagesOf(
  store: DocumentReads,
  collection: string,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<StoredDocument[]> {
  return pagesBy(LIST_PAGE_DOCUMENTS, (page) => store.list(collection, page, deadlineOfPage()));
}

/**
 * Pages of all documents of a collection, in the order of their ids, by one query: for very many, or large ones. A page
 * ends at LIST_PAGE_DOCUMENTS or RECORDS_PAGE_BYTES.
 * @param deadlineOfStep the deadline of the next document
 */
export async function* pagesByOneQuery(
  store: DocumentReads,
  collection: string,
  deadlineOfStep: () => Deadline,
): AsyncGenerator<StoredDocument[]> {
  let page: StoredDocument[] = [];
  let bytes = 0;
  for await (const document of store.stream(collection, deadlineOfStep)) {
    page.push(document);
    bytes += documentBytes(document.data);
    if (page.length < LIST_PAGE_DOCUMENTS && bytes < RECORDS_PAGE_BYTES) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}

/** Pages of the documents whose field has this value, in descending order of their ids. */
export function pagesFromLastWhere(
  store: DocumentReads,
  collection: string,
  { field, value }: { readonly field: string; readonly value: string },
  deadlineOfPage: () => Deadline,
): AsyncGenerator<StoredDocument[]> {
  return pagesBy(LIST_PAGE_DOCUMENTS, (page) => store.findLastWhere(collection, field, value, page, deadlineOfPage()));
}

/** Pages of all documents below a document, without data. A page is small enough to be deleted by one call. */
export function pagesBelow(
  store: DocumentReads,
  document: string,
  deadlineOfPage: () => Deadline,
): AsyncGenerator<DocumentRef[]> {
  return pagesBy(WRITE_CALL_DOCUMENTS, (page) => store.listBelow(document, page, deadlineOfPage()));
}

/**
 * Documents from a position on, in the order in which `list` gives them, one at a time.
 * @param after the path of the document before; undefined: from the first one on
 * @param atOnce the number of documents that are in memory
 */
export async function* documentsAfter(
  after: string | undefined,
  atOnce: number,
  list: (page: Page) => Promise<StoredDocument[]>,
): AsyncGenerator<StoredDocument> {
  for await (const page of pagesBy(atOnce, list, after)) yield* page;
}

/** All pages that `list` reads, of at most `limit` documents each. @param first the path of the document before */
export async function* pagesBy<T extends DocumentRef>(
  limit: number,
  list: (page: Page) => Promise<T[]>,
  first?: string,
): AsyncGenerator<T[]> {
  for (let after = first; ;) {
    const page = await list({ limit, ...(after !== undefined && { after }) });
    if (page.length > 0) yield page;
    after = page.at(-1)?.path;
    if (page.length < limit) return;
  }
}

/**
 * All documents of a collection in the order of their ids, one at a time.
 * @param onPage called when a further page was read, with the number of documents before it
 */
export async function* allDocuments(
  store: DocumentReads,
  collection: string,
  deadlineOfPage: () => Deadline,
  onPage: (documentsBefore: number) => void = () => undefined,
): AsyncGenerator<StoredDocument> {
  let count = 0;
  for await (const page of pagesOf(store, collection, deadlineOfPage)) {
    if (count > 0) onPage(count);
    count += page.length;
    yield* page;
  }
}
