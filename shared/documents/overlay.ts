/** What stores have in common that show writes before, or in place of, what the database holds. */
import type { DocumentData } from '../domain/records/document';
import type { DocumentChange, DocumentRef, Page, StoredDocument } from './document-store';
import { pagesBy } from './pages';

/** The data of a document after a write, as the database would store it: without fields that are undefined. */
export function dataAfter(
  { data, fields, writtenAt }: Extract<DocumentChange, { set: string }>,
  before: DocumentData | undefined,
  now: Date,
): DocumentData {
  const named = fields ? Object.fromEntries(fields.map((field) => [field, data[field]])) : data;
  const after: DocumentData = {
    ...(fields && before),
    ...named,
    ...(writtenAt !== undefined && { [writtenAt]: now }),
  };
  return Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined));
}

/**
 * A page of what a collection would hold.
 * @param list reads a page of what is stored
 * @param leaveOut the stored documents without those that are written or removed
 * @param written the documents that are written, from the page's beginning on: all, or at least as many as a page has
 */
export async function overlaidPage<T extends DocumentRef>(
  page: Page,
  list: (page: Page) => Promise<T[]>,
  leaveOut: (stored: T[]) => T[] | Promise<T[]>,
  written: readonly StoredDocument[],
): Promise<(T | StoredDocument)[]> {
  const found: (T | StoredDocument)[] = [...written];
  let left = page.limit;
  for await (const stored of pagesBy(page.limit, list, page.after)) {
    const remaining = await leaveOut(stored);
    found.push(...remaining);
    left -= remaining.length;
    if (left <= 0) break;
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, page.limit);
}
