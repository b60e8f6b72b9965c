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
    guess.learn(tenant, [...found('absent', 'a'), ...found('present', 'b')]);
    expect([guess.of(tenant, 'a'), guess.of(tenant, 'b')]).toStrictEqual(['present', 'present']);
  });

  it("takes other records for what most unknown ones of the tenant's last batch were", () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, [...found('present', 'a', 'b'), ...found('absent', 'c')]);
    expect([guess.of(tenant, 'd'), guess.of(other, 'd')]).toStrictEqual(['present', 'absent']);
    guess.learn(tenant, found('absent', 'd'));
    expect(guess.of(tenant, 'e')).toBe('absent');
  });

  it('learns nothing of unknown records from those that it wrote itself', () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, found('absent', 'a', 'b'));
    guess.learn(tenant, found('present', 'a', 'b'));
    expect(guess.of(tenant, 'c')).toBe('absent');
  });

  it('keeps its guess when as many were there as not', () => {
    const guess = new PresenceGuess();
    guess.learn(tenant, found('present', 'a'));
    guess.learn(tenant, [...found('present', 'b'), ...found('absent', 'c')]);
    expect(guess.of(tenant, 'd')).toBe('present');
  });
});
