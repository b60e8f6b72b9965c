/** Tombstones of two databases that become one after a restore. */
import { emailIdentity, customerIdIdentity } from '../../../shared/domain/identity';
import { mergeTombstones, wasDeletedBy } from '../../../shared/workspace/tombstones';

const EARLIER = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-02T00:00:00Z');
const second = emailIdentity('a@x.com');
const of = (at: Date) => ({ deletedAt: at, deletedBy: { second, at } });

describe('the row that has deleted by an identifier (R-28)', () => {
  it('stays known with the later tombstone', () => {
    expect(wasDeletedBy(mergeTombstones(undefined, of(EARLIER)), { second, at: EARLIER })).toBe(true);
    expect(wasDeletedBy(mergeTombstones({ deletedAt: EARLIER }, of(LATER)), { second, at: LATER })).toBe(true);
    expect(wasDeletedBy(mergeTombstones({ deletedAt: LATER }, of(LATER)), { second, at: LATER })).toBe(true);
  });

  it('is forgotten with the earlier one', () => {
    for (const merged of [
      mergeTombstones(of(EARLIER), { deletedAt: LATER }),
      mergeTombstones(of(EARLIER), of(LATER)),
    ]) {
      expect(merged).toMatchObject({ deletedAt: LATER });
      expect(wasDeletedBy(merged, { second, at: EARLIER })).toBe(false);
    }
    expect(mergeTombstones({ deletedAt: LATER }, of(EARLIER))).toBeUndefined();
  });

  it('is that row alone', () => {
    expect(wasDeletedBy(of(LATER), { second: customerIdIdentity('1'), at: LATER })).toBe(false);
    expect(wasDeletedBy(of(LATER), { second, at: EARLIER })).toBe(false);
    expect(wasDeletedBy({ ...of(EARLIER), deletedAt: LATER }, { second, at: EARLIER })).toBe(false);
    expect(wasDeletedBy(undefined, { second, at: LATER })).toBe(false);
  });

  it('changes nothing where both know it', () => {
    expect(mergeTombstones(of(LATER), of(LATER))).toBeUndefined();
  });
});
