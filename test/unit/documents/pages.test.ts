/** Pages of collections that are read as a whole. */
import { pagesByOneQuery } from '../../../shared/documents/pages';
import { documentBytes } from '../../../shared/domain/records/document';
import { LIST_PAGE_DOCUMENTS, RECORDS_PAGE_BYTES } from '../../../shared/limits/records';
import { FixedClock } from '../../support/fixed-clock';
import { MemoryDocumentStore } from '../../support/memory-document-store';

const RECORD_BYTES = 500_000;

async function pagesOf(count: number, text: string) {
  const store = new MemoryDocumentStore(new FixedClock());
  const paths = Array.from({ length: count }, (_, n) => `tenants/t/orders/${String(n).padStart(4, '0')}`);
  await store.commit(paths.map((set) => ({ set, data: { text } })));
  const pages: string[][] = [];
  const bytes: number[] = [];
  for await (const page of pagesByOneQuery(store, 'tenants/t/orders', () => ({ remainingMs: () => 1_000 }))) {
    pages.push(page.map(({ path }) => path));
    bytes.push(page.reduce((sum, { data }) => sum + documentBytes(data), 0));
  }
  expect(pages.flat()).toEqual(paths);
  return { counts: pages.map((page) => page.length), bytes };
}

it('end at a number of records', async () => {
  const { counts } = await pagesOf(LIST_PAGE_DOCUMENTS + 1, '');
  expect(counts).toEqual([LIST_PAGE_DOCUMENTS, 1]);
});

it('end at a number of bytes, where records are large', async () => {
  const { counts, bytes } = await pagesOf(20, 'x'.repeat(RECORD_BYTES));
  expect(counts.length).toBeGreaterThan(1);
  for (const each of bytes) expect(each).toBeLessThan(RECORDS_PAGE_BYTES + 2 * RECORD_BYTES);
});

it('are none of a collection that is empty', async () => {
  expect(await pagesOf(0, '')).toEqual({ counts: [], bytes: [] });
});
