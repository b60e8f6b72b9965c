import type { TenantId } from '../../../shared/domain/tenant';
import type { AssumedRecord } from '../../../shared/records/presence-guess';
import { PresenceGuess } from '../../../shared/records/presence-guess';

const tenant = 'one' as TenantId;
const other = 'other' as TenantId;

/** Records that turned out to be so. */
const found = (assumed: AssumedRecord['assumed'], ...paths: string[]) => paths.map((path) => ({ path, assumed }));

describe('PresenceGuess', () => {
  it('takes what it knows nothing of for absent: a first import finds nothing', () => {
    expect(new PresenceGuess().of(tenant, 'a')).toBe('absent');
  });

  it('takes a record that it wrote for present, whatever it was before', () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, [...found('absent', 'a'), ...found('present', 'b')], 1);
    expect([guess.of(tenant, 'a'), guess.of(tenant, 'b')]).toStrictEqual(['present', 'present']);
  });

  it("takes other records for what most unknown ones of the tenant's last batch were", () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, [...found('present', 'a', 'b'), ...found('absent', 'c')], 1);
    expect([guess.of(tenant, 'd'), guess.of(other, 'd')]).toStrictEqual(['present', 'absent']);
    guess.learn(tenant, found('absent', 'd'), 1);
    expect(guess.of(tenant, 'e')).toBe('absent');
  });

  it('learns nothing of unknown records from those that it wrote itself', () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, found('absent', 'a', 'b'), 1);
    guess.learn(tenant, found('present', 'a', 'b'), 1);
    expect(guess.of(tenant, 'c')).toBe('absent');
  });

  it('keeps its guess when as many were there as not', () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, found('present', 'a'), 1);
    guess.learn(tenant, [...found('present', 'b'), ...found('absent', 'c')], 1);
    expect(guess.of(tenant, 'd')).toBe('present');
  });

  it('takes other records for present as soon as one was, where that one makes the write of all fail', () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, [...found('present', 'a'), ...found('absent', 'b', 'c', 'd')], Infinity);
    expect(guess.of(tenant, 'e')).toBe('present');
    guess.learn(tenant, found('absent', 'e'), Infinity);
    expect(guess.of(tenant, 'f')).toBe('absent');
  });
});
