/** How counters are read: in few pages, and never many large ones at once. */
import { DAY_MS, HOUR_MS, NO_USAGE } from '../../../shared/domain/usage';
import { LIST_PAGE_DOCUMENTS } from '../../../shared/limits/records';
import { FIRST_USAGE_PAGE_DOCUMENTS, MAX_USAGE_ENTRIES, USAGE_PAGE_ENTRIES } from '../../../shared/limits/usage';
import { findUsage } from '../../../shared/usage/find-usage';
import { toUsageWrite } from '../../../shared/usage/usage-documents';
import { MemoryDocumentStore } from '../../support/memory-document-store';

const TENANT = '11111111-1111-4111-8111-111111111111';
const FROM = Date.parse('2026-03-01T00:00:00Z');
const RANGE = { from: new Date(FROM), to: new Date(FROM + 3 * DAY_MS), step: 'hour' } as const;

/** Stores documents of so many counters each, and says what is read of them and in pages of how many documents. */
async function readFrom(documents: number, entries: number) {
  const store = new MemoryDocumentStore();
  const counts = { ...NO_USAGE, requests: 1 };
  const writes = Array.from({ length: documents }, (_, n) => {
    const hourMs = FROM + (n % 3) * DAY_MS + 5 * HOUR_MS;
    const usage = Array.from({ length: entries }, (_, key) => ({ hourMs, keyId: `${key}`, route: 'getOrder', counts }));
    return toUsageWrite(TENANT, `i${n}`, usage);
  });
  await store.writeEach(writes);
  const pages: number[] = [];
  const list = jest.spyOn(store, 'list');
  const sum = await findUsage(TENANT, RANGE, store, () => ({ remainingMs: () => 1_000 }));
  for (const [, { limit }] of list.mock.calls) pages.push(limit);
  return { requests: sum.totals.requests, pages };
}

it('reads small documents in pages that grow (R-183)', async () => {
  const documents = FIRST_USAGE_PAGE_DOCUMENTS + 2 * LIST_PAGE_DOCUMENTS + 1;
  const { requests, pages } = await readFrom(documents, 2);
  expect(requests).toBe(2 * documents);
  expect(pages).toEqual([FIRST_USAGE_PAGE_DOCUMENTS, ...Array<number>(3).fill(LIST_PAGE_DOCUMENTS)]);
});

it('reads few of the largest documents at once (R-183)', async () => {
  const documents = FIRST_USAGE_PAGE_DOCUMENTS + 25;
  const { requests, pages } = await readFrom(documents, MAX_USAGE_ENTRIES);
  expect(requests).toBe(MAX_USAGE_ENTRIES * documents);
  const few = USAGE_PAGE_ENTRIES / MAX_USAGE_ENTRIES;
  expect(pages).toEqual([FIRST_USAGE_PAGE_DOCUMENTS, few, few]);
});
