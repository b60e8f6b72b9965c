/**
 * Deletions of the sizes that the service is built for, on the store in memory: one that means very many customers,
 * many that mean some hundred each, and all variants of one product. They read and write as many documents as they
 * remove, times a constant, go on where they broke off, read a page at once, and cost writers of other records nothing
 * that grows. (`unit/deletions/backlog` has how many bytes are read and written at once.)
 */
import type { DocumentStore, StoredDocument } from '../../shared/documents/document-store';
import { isChange } from '../../shared/documents/document-store';
import { RetryLater } from '../../shared/platform/retry-later';
import { chunksOf } from '../../shared/platform/chunks';
import { FEW_WIDE_DELETIONS, WIDE_DELETION_PAGE } from '../../shared/limits/deletions';
import { changingCommits, overriding, withMethods } from '../support/overriding';
import { DeletionsLab } from '../unit/deletions/deletions-lab';
import { aTenant } from '../unit/support/tenant';
import { ofTier, report } from './tier';

const CUSTOMERS = ofTier(2_000, 100_000);
const DELETIONS = ofTier(FEW_WIDE_DELETIONS + 2, 100);
const CUSTOMERS_EACH = 450;
const VARIANTS = ofTier(100, 1_000);

/** Documents that are read and written for each one that is removed, at most. */
const READ_EACH = 4;
const WRITTEN_EACH = 3;
/** Accepting one reads these at most, however many it means: some attempts, which look at a hundred customers each. */
const READ_TO_ACCEPT = 1_000;
/** An upsert of one other customer reads these at most: the flag, a list of wide deletions, those of its own. */
const READ_BESIDE = FEW_WIDE_DELETIONS + 5;
/** Every so many commits one is refused, in turns before and after it is done. */
const BREAKS_EVERY = 7;

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const emailOf = (group: number) => `shared-${group}@example.com`;
const byId = aTenant({ customerIdentifier: 'customerid' });

/** A process that ended at a commit. */
class Broken extends RetryLater {
  override readonly name = 'Broken';
}

class LargeDeletions extends DeletionsLab {
  read = 0;
  written = 0;
  largestAnswer = 0;
  breaks = 0;
  private commits = 0;

  /** From now on everything is counted. */
  startCounting(): void {
    const counted = overriding(this.counting(this.memory), {
      begin: async () => this.counting(await this.memory.begin()),
    });
    this.store = changingCommits(counted, async (commit, writes) => {
      this.commits += 1;
      const turn = this.commits % (2 * BREAKS_EVERY);
      if (turn === BREAKS_EVERY) throw this.broken();
      const outcome = await commit();
      if (outcome !== 'conflict') this.written += writes.filter(isChange).length;
      if (turn === 0) throw this.broken();
      return outcome;
    });
  }

  /** Works everything off: a drain that breaks off is followed by another one. */
  async workOff(): Promise<void> {
    await this.repeat(() => this.drain());
  }

  /** Repeats what was broken off. @returns the documents read for it */
  async repeat(work: () => Promise<void>): Promise<number> {
    const before = this.read;
    for (;;) {
      try {
        await work();
        return this.read - before;
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
      }
    }
  }

  private broken(): Broken {
    this.breaks += 1;
    return new Broken('The process ended.');
  }

  private counting<T extends Pick<DocumentStore, 'get'>>(reads: T): T {
    return withMethods(reads, (method, name) => async (...call) => {
      const answer = await method(...call);
      const isByPath = name === ('getAll' as keyof T) || name === ('getSome' as keyof T);
      if (!isByPath && !READS.has(String(name))) return answer;
      const found = (answer as { documents?: unknown } | undefined)?.documents ?? answer;
      const documents = (Array.isArray(found) ? found : [found]).filter(Boolean) as StoredDocument[];
      this.read += isByPath ? (call[0] as string[]).length : Math.max(1, documents.length);
      this.largestAnswer = Math.max(this.largestAnswer, documents.length);
      return answer;
    });
  }
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'listRefs', 'findWhere', 'findLastWhere']);

async function withCustomers(groups: number, each: number): Promise<LargeDeletions> {
  const lab = new LargeDeletions(byId);
  await lab.noteKeyed();
  const customers = times(groups * each, (n) => ({ CustomerId: `${n}`, Email: emailOf(n % groups), Name: 'stored' }));
  for (const batch of chunksOf(customers, 1_000)) await lab.upsert(...batch);
  await lab.upsert({ CustomerId: 'other', Email: 'other@example.com' });
  lab.startCounting();
  return lab;
}

/** The work for each record that was removed, within its bounds. */
function work(lab: LargeDeletions, removed: number) {
  expect(lab.breaks).toBeGreaterThan(0);
  expect(lab.read / removed).toBeLessThanOrEqual(READ_EACH);
  expect(lab.written / removed).toBeLessThanOrEqual(WRITTEN_EACH);
  expect(lab.largestAnswer).toBeLessThanOrEqual(WIDE_DELETION_PAGE + 1);
  const each = (count: number) => (count / removed).toFixed(2);
  return `${each(lab.read)} read and ${each(lab.written)} written each, ${lab.breaks} breaks`;
}

it('takes one deletion that means very many customers, and others that write meanwhile (R-33, D-43)', async () => {
  const lab = await withCustomers(1, CUSTOMERS);
  const accepting = await lab.repeat(() => lab.deleteCustomer(null, emailOf(0)));
  expect(accepting).toBeLessThanOrEqual(READ_TO_ACCEPT);
  // One of those it means signs up again before it is applied, and another one has nothing to do with it.
  const again = { CustomerId: `${CUSTOMERS / 2}`, Email: emailOf(0), Phone: 'again' };
  await lab.repeat(() => lab.upsert(again));
  const beside = await lab.repeat(() => lab.upsert({ CustomerId: 'beside', Email: 'beside@example.com' }));
  expect(beside).toBeLessThanOrEqual(READ_BESIDE);
  await lab.workOff();
  expect(await lab.customers('CustomerId')).toEqual([again.CustomerId, 'beside', 'other']);
  const [kept] = (await lab.documents()).filter(({ data }) => data.CustomerId === again.CustomerId);
  expect(kept?.data).toMatchObject({ Phone: 'again' });
  expect(kept?.data).not.toHaveProperty('Name');
  report('one deletion of very many customers, pure', CUSTOMERS, 0, work(lab, CUSTOMERS));
});

it('takes many pending deletions that mean some hundred customers each (R-33, D-43)', async () => {
  const lab = await withCustomers(DELETIONS, CUSTOMERS_EACH);
  for (const group of times(DELETIONS, (n) => n)) await lab.repeat(() => lab.deleteCustomer(null, emailOf(group)));
  const beside = await lab.repeat(() => lab.upsert({ CustomerId: 'beside', Email: 'beside@example.com' }));
  expect(beside).toBeLessThanOrEqual(READ_BESIDE);
  await lab.workOff();
  expect(await lab.customers('CustomerId')).toEqual(['beside', 'other']);
  const removed = DELETIONS * CUSTOMERS_EACH;
  report('many deletions of some hundred customers each, pure', removed, 0, work(lab, removed));
});

it('takes a deletion of each variant of a large product (R-53)', async () => {
  const lab = new LargeDeletions();
  const variants = times(VARIANTS + 1, (n) => ({ VariantId: `v${n}`, Sku: `s${n}` }));
  await lab.upsertProduct('p', ...variants);
  lab.startCounting();
  for (const n of times(VARIANTS, (index) => index)) {
    await lab.repeat(() => lab.accept({ type: 'variant', productId: 'p', variantId: `v${n}` }));
  }
  await lab.workOff();
  const [product] = await lab.documents('products');
  const left = product?.data.ProductVariants as readonly { readonly VariantId: string }[];
  expect(left.map(({ VariantId }) => VariantId)).toEqual([`v${VARIANTS}`]);
  report('a deletion of each variant of a product, pure', VARIANTS, 0, work(lab, VARIANTS));
});
