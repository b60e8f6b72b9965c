import type { PartTarget } from '../../../shared/domain/deletion';
import { documentBytes } from '../../../shared/domain/records/document';
import type { DocumentData } from '../../../shared/domain/records/document';
import { MAX_PART_DELETIONS, MAX_RECORD_BYTES } from '../../../shared/limits/records';
import type { PartDeletion } from '../../../shared/workspace/tombstones';
import { mergePartDeletions } from '../../../shared/workspace/tombstones';

const item = (productId: string | null, sku: string | null, orderId = 'o'): PartTarget => ({
  type: 'orderItem',
  orderId,
  productId,
  sku,
});
const withDeletions = (parts: readonly PartDeletion[], targets: readonly PartTarget[], deletedAt: Date) =>
  mergePartDeletions(
    parts,
    targets.map((target) => ({ target, deletedAt })),
  );
const BLANKS = ' '.repeat(12_000);
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

it('remembers the newest deletions of a record, in far fewer bytes than a document has', () => {
  const longest = '\u20ac'.repeat(96); // three bytes each
  let parts: PartDeletion[] = [];
  for (let n = 0; n < MAX_PART_DELETIONS + 100; n += 1) {
    const sku = `${longest}${String(n).padStart(4, '0')}`;
    parts = withDeletions(parts, [item(`${BLANKS}${longest}`, `${sku}${BLANKS}`, `${BLANKS}${longest}`)], at(n));
  }
  expect(parts).toHaveLength(MAX_PART_DELETIONS);
  expect(parts[0]?.deletedAt).toEqual(at(100));
  expect(documentBytes({ parts: parts as unknown as DocumentData[] })).toBeLessThan(MAX_RECORD_BYTES * 0.7);
});

it('remembers a repeated deletion once, at its last time', () => {
  const first = withDeletions([], [item(null, 'a')], at(1));
  const others = withDeletions(first, [item('p', 'a')], at(2));
  expect(withDeletions(others, [item(null, 'a')], at(3))).toEqual([
    { target: item('p', 'a'), deletedAt: at(2) },
    { target: item(null, 'a'), deletedAt: at(3) },
  ]);
});

it('remembers of a part the last deletion, also where an older one comes later', () => {
  const parts = withDeletions([], [item(null, 'a')], at(3));
  expect(withDeletions(parts, [item(null, 'a')], at(1))).toEqual([{ target: item(null, 'a'), deletedAt: at(3) }]);
});

it('remembers ids without the blanks around them, once however they are sent (D-01)', () => {
  const variant = (productId: string, variantId: string): PartTarget => ({ type: 'variant', productId, variantId });
  const stored = [{ target: variant(`${BLANKS}p`, `${BLANKS}v`), deletedAt: at(1) }];
  expect(withDeletions(stored, [variant('p', 'w\n')], at(2))).toEqual([
    { target: variant('p', 'v'), deletedAt: at(1) },
    { target: variant('p', 'w'), deletedAt: at(2) },
  ]);
  expect(withDeletions(stored, [variant('p ', ' v')], at(2))).toEqual([
    { target: variant('p', 'v'), deletedAt: at(2) },
  ]);
});

it.each<PartTarget>([
  item('x'.repeat(101), null),
  item(null, 'x'.repeat(15_000)),
  item(null, 's', 'x'.repeat(15_000)),
  { type: 'variant', productId: 'x'.repeat(15_000), variantId: 'v' },
])('forgets what no stored part can match', (target) => {
  expect(withDeletions([], [target], at(1))).toEqual([]);
});

it('remembers ids of as many characters as a part can have, whichever they are', () => {
  const longest = '😀'.repeat(100); // two units of UTF-16 each, four bytes
  let parts: PartDeletion[] = [];
  for (let n = 0; n < MAX_PART_DELETIONS; n += 1) {
    const sku = `${'😀'.repeat(46)}${String(n).padStart(4, '0')}`;
    parts = withDeletions(parts, [item(longest, sku, longest)], at(n));
  }
  expect(parts).toHaveLength(MAX_PART_DELETIONS);
  expect(documentBytes({ parts: parts as unknown as DocumentData[] })).toBeLessThan(MAX_RECORD_BYTES * 0.7);
});
