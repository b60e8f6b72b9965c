import type { StoredDocument } from '../../shared/documents/document-store';
import { pagesOf as pagesOfStore } from '../../shared/documents/pages';
import type { Operator } from './connection';

/** All documents of a collection, page by page, each page by a deadline of its own. */
export function pagesOf(collection: string, { store, deadline }: Operator): AsyncGenerator<StoredDocument[]> {
  return pagesOfStore(store, collection, deadline);
}
