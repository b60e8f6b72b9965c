import type { DocumentReads } from '../documents/document-store';
import { usagePath } from '../documents/paths';
import type { UsageRange } from '../domain/usage';
import { LIST_PAGE_DOCUMENTS } from '../limits/records';
import { FIRST_USAGE_PAGE_DOCUMENTS, USAGE_PAGE_ENTRIES } from '../limits/usage';
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
  let after = `${collection}/${usageDayOf(range.from.getTime())}`;
  let count = 0;
  for (let limit = FIRST_USAGE_PAGE_DOCUMENTS; ;) {
    const page = await store.list(collection, { limit, after }, deadlineOfPage());
    let largest = 1;
    for (const document of page) {
      if (usageDayOfDocument(document) > lastDay) return sum;
      count += 1;
      if (count > mostDocuments) throw new TooManyCounters('The range has too many counters.');
      const usage = fromUsageDocument(document);
      for (const one of usage) sum.add(one);
      largest = Math.max(largest, usage.length);
    }
    const last = page.at(-1);
    if (!last || page.length < limit) return sum;
    after = last.path;
    limit = Math.min(LIST_PAGE_DOCUMENTS, Math.ceil(USAGE_PAGE_ENTRIES / largest));
  }
}
