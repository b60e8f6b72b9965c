import type { DocumentReads, Page } from '../documents/document-store';
import { pagesBy } from '../documents/pages';
import { usagePath } from '../documents/paths';
import type { UsageRange } from '../domain/usage';
import { USAGE_PAGE_DOCUMENTS } from '../limits/usage';
import type { Deadline } from '../platform/deadline';
import { fromUsageDocument, usageDayOf, usageDayOfDocument } from './usage-documents';
import { UsageSum } from './usage-sum';

/** The counters of a range are in more documents than may be read. */
export class TooManyCounters extends Error {
  override readonly name = 'TooManyCounters';
}

/**
 * Sums what is stored of a tenant's usage in a range; nothing, for a tenant that does not exist. What instances have
 * not stored yet is missing.
 * @param mostDocuments that it reads; undefined: as many as there are
 * @throws TooManyCounters
 */
export async function findUsage(
  tenantId: string,
  range: UsageRange,
  store: DocumentReads,
  deadlineOfPage: () => Deadline,
  mostDocuments = Infinity,
): Promise<UsageSum> {
  const sum = new UsageSum(range);
  const collection = usagePath(tenantId);
  const lastDay = usageDayOf(range.to.getTime() - 1);
  const beforeFirst = `${collection}/${usageDayOf(range.from.getTime())}`;
  const list = (page: Page) => store.list(collection, page, deadlineOfPage());
  let count = 0;
  for await (const page of pagesBy(USAGE_PAGE_DOCUMENTS, list, beforeFirst)) {
    for (const document of page) {
      if (usageDayOfDocument(document) > lastDay) return sum;
      count += 1;
      if (count > mostDocuments) throw new TooManyCounters('The range has too many counters.');
      for (const usage of fromUsageDocument(document)) sum.add(usage);
    }
  }
  return sum;
}
