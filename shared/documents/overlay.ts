/** What stores have in common that show writes before, or in place of, what the database holds. */
import type { DocumentData } from '../domain/records/document';
import { LIST_PAGE_DOCUMENTS } from '../limits/records';
import type { Deadline } from '../platform/deadline';
import type { DocumentChange, DocumentRef, DocumentStore, Page, SomeDocuments, StoredDocument } from './document-store';

/** The data of a document after a write, as the database would store it: without fields that are undefined. */
export function dataAfter(
  { data, fields, writtenAt = [] }: Extract<DocumentChange, { set: string }>,
  before: DocumentData | undefined,
  now: Date,
): DocumentData {
  const named = fields ? Object.fromEntries(fields.map((field) => [field, data[field]])) : data;
  const after: DocumentData = {
    ...(fields && before),
    ...named,
    ...Object.fromEntries(writtenAt.map((field) => [field, now])),
  };
  return Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined));
}

/** As `DocumentStore.getSome`, of what is left of a bound. @param maxBytes none are left: nothing is read */
export async function readSome(
  stored: Pick<DocumentStore, 'getAll' | 'getSome'>,
  paths: readonly string[],
  maxBytes: number,
  deadline: Deadline,
): Promise<SomeDocuments> {
  if (paths.length === 0 || maxBytes <= 0) return { documents: [], unread: paths };
  if (maxBytes === Infinity) return { documents: await stored.getAll(paths, deadline), unread: [] };
  return stored.getSome(paths, maxBytes, deadline);
}

/**
 * A page of what a collection would hold. What is stored is read until the page is full up to the last document that
 * was read. Where most of it is removed, that takes long: each further page is twice as long, up to a bound.
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
  const found: (T | StoredDocument)[] = [...written].sort(byPath).slice(0, page.limit);
  const most = Math.max(page.limit, LIST_PAGE_DOCUMENTS);
  for (let { after, limit } = page; ; limit = Math.min(2 * limit, most)) {
    const stored = await list({ limit, ...(after !== undefined && { after }) });
    found.push(...(await leaveOut(stored)));
    const last = stored.at(-1)?.path;
    if (last === undefined || stored.length < limit) break;
    if (found.filter(({ path }) => path <= last).length >= page.limit) break;
    after = last;
  }
  return found.sort(byPath).slice(0, page.limit);
}

function byPath(a: DocumentRef, b: DocumentRef): number {
  return a.path < b.path ? -1 : 1;
}
