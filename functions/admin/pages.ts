import type { StoredDocument } from '../../shared/documents/document-store';
import type { Operator } from './connection';

/** Documents of one page: a few hundred kilobytes of ordinary records. */
const PAGE = 300;

/** All documents of a collection, page by page; memory does not grow with their number. */
export async function* pagesOf(collection: string, operator: Operator): AsyncGenerator<StoredDocument[]> {
  for (let after: string | undefined; ;) {
    const page = await operator.store.list(
      collection,
      { limit: PAGE, ...(after !== undefined && { after }) },
      operator.deadline(),
    );
    if (page.length > 0) yield page;
    after = page.at(-1)?.path;
    if (page.length < PAGE) return;
  }
}
