import type { TenantId } from '../../../shared/domain/tenant';
import type { RecordPresence } from '../../../shared/records/presence-predictor';
import { PresencePredictor } from '../../../shared/records/presence-predictor';

const tenant = 'one' as TenantId;
const other = 'other' as TenantId;

/** Records that turned out to be so. */
const found = (presence: RecordPresence['presence'], ...paths: string[]) => paths.map((path) => ({ path, presence }));

describe('PresencePredictor', () => {
  it('takes what it knows nothing of for absent: a first import finds nothing', () => {
    expect(new PresencePredictor().predict(tenant, 'a')).toBe('absent');
  });

  it('takes a record that it wrote for present, whatever it was before', () => {
    const predictor = new PresencePredictor();
    predictor.learn(tenant, [...found('absent', 'a'), ...found('present', 'b')]);
    expect([predictor.predict(tenant, 'a'), predictor.predict(tenant, 'b')]).toStrictEqual(['present', 'present']);
  });

  it("takes other records for what most unknown ones of the tenant's last batch were", () => {
    const predictor = new PresencePredictor();
    predictor.learn(tenant, [...found('present', 'a', 'b'), ...found('absent', 'c')]);
    expect([predictor.predict(tenant, 'd'), predictor.predict(other, 'd')]).toStrictEqual(['present', 'absent']);
    predictor.learn(tenant, found('absent', 'd'));
    expect(predictor.predict(tenant, 'e')).toBe('absent');
  });

  it('learns nothing of unknown records from those that it wrote itself', () => {
    const predictor = new PresencePredictor();
    predictor.learn(tenant, found('absent', 'a', 'b'));
    predictor.learn(tenant, found('present', 'a', 'b'));
    expect(predictor.predict(tenant, 'c')).toBe('absent');
  });

  it('keeps its prediction when as many records were present as absent', () => {
    const predictor = new PresencePredictor();
    predictor.learn(tenant, found('present', 'a'));
    predictor.learn(tenant, [...found('present', 'b'), ...found('absent', 'c')]);
    expect(predictor.predict(tenant, 'd')).toBe('present');
  });
});
