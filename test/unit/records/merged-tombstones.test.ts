/** Tombstones of two databases that become one after a restore. */
import { emailIdentity, customerIdIdentity } from '../../../shared/domain/identity';
import { isUnknownRemovalAt, mergeTombstones, wasDeletedBy } from '../../../shared/workspace/tombstones';

const EARLIER = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-02T00:00:00Z');
const second = emailIdentity('a@x.com');
const of = (at: Date) => ({ deletedAt: at, removedAt: at, deletedBy: { second, at } });
/** Of a deletion that has found nobody. */
const unmatched = (at: Date) => ({ deletedAt: at, removedAt: null });

describe('the row that has deleted by an identifier (R-28)', () => {
  it('stays known with the later tombstone', () => {
    expect(wasDeletedBy(mergeTombstones(undefined, of(EARLIER)), { second, at: EARLIER })).toBe(true);
    expect(wasDeletedBy(mergeTombstones(unmatched(EARLIER), of(LATER)), { second, at: LATER })).toBe(true);
    expect(wasDeletedBy(mergeTombstones(unmatched(LATER), of(LATER)), { second, at: LATER })).toBe(true);
    expect(wasDeletedBy(mergeTombstones(of(EARLIER), unmatched(LATER)), { second, at: EARLIER })).toBe(true);
    expect(wasDeletedBy(mergeTombstones(unmatched(LATER), of(EARLIER)), { second, at: EARLIER })).toBe(true);
  });

  it('is forgotten with the earlier one', () => {
    const removed = { deletedAt: LATER, removedAt: LATER };
    for (const merged of [mergeTombstones(of(EARLIER), removed), mergeTombstones(of(EARLIER), of(LATER))]) {
      expect(merged).toMatchObject(removed);
      expect(wasDeletedBy(merged, { second, at: EARLIER })).toBe(false);
    }
    expect(mergeTombstones(removed, of(EARLIER))).toBeUndefined();
  });

  it('is that row alone', () => {
    expect(wasDeletedBy(of(LATER), { second: customerIdIdentity('1'), at: LATER })).toBe(false);
    expect(wasDeletedBy(of(LATER), { second, at: EARLIER })).toBe(false);
    expect(wasDeletedBy({ ...of(EARLIER), removedAt: LATER }, { second, at: EARLIER })).toBe(false);
    expect(wasDeletedBy(unmatched(LATER), { second, at: LATER })).toBe(false);
    expect(wasDeletedBy(undefined, { second, at: LATER })).toBe(false);
  });

  it('is known where one of two tombstones of the same time knows it, and the later one where both do', () => {
    const removed = { deletedAt: LATER, removedAt: LATER };
    const earlierRow = { ...removed, deletedBy: { second: customerIdIdentity('1'), at: LATER } };
    for (const kept of [removed, earlierRow]) {
      expect(wasDeletedBy(mergeTombstones(kept, of(LATER)), { second, at: LATER })).toBe(true);
    }
    expect(mergeTombstones(of(LATER), removed)).toBeUndefined();
  });

  it('is unknown in a tombstone that does not tell whether anybody was found', () => {
    expect(wasDeletedBy({ deletedAt: LATER }, { second, at: LATER })).toBe(false);
    expect(isUnknownRemovalAt({ deletedAt: LATER }, LATER)).toBe(true);
    expect(isUnknownRemovalAt({ deletedAt: LATER }, EARLIER)).toBe(false);
    expect(isUnknownRemovalAt(unmatched(LATER), LATER)).toBe(false);
  });

  it('changes nothing where both know it', () => {
    expect(mergeTombstones(of(LATER), of(LATER))).toBeUndefined();
  });
});
