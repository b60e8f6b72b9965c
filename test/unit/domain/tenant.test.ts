import * as fc from 'fast-check';
import { DEFAULT_SETTINGS, parseTenantId, REQUIRABLE_FIELDS } from '../../../shared/domain/tenant';

describe('parseTenantId', () => {
  it('reads a GUID in any case and gives it in lower case (D-46)', () => {
    fc.assert(
      fc.property(fc.uuid(), (guid) => {
        expect(parseTenantId(guid.toUpperCase())).toBe(guid.toLowerCase());
        expect(parseTenantId(guid)).toBe(guid.toLowerCase());
      }),
    );
    expect(parseTenantId('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000000');
    expect(parseTenantId('FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF')).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff');
  });

  const guid = '0b7c6f6e-1d2a-4c3b-9e8f-a1b2c3d4e5f6';
  it.each([
    '', ' ', 'x', guid.slice(1), `${guid}0`, ` ${guid}`, `${guid}\n`, `{${guid}}`, guid.replaceAll('-', ''), guid.replace('b', 'g'),
    guid.replaceAll('-', '_'), '0b7c6f6e1-d2a-4c3b-9e8f-a1b2c3d4e5f6', `urn:uuid:${guid}`, guid.replace('0', '０'), `${guid}/..`,
  ])('refuses %j, which is no GUID of 8-4-4-4-12 digits (D-46)', (text) => {
    expect(parseTenantId(text)).toBeUndefined();
  }); // prettier-ignore
});

describe('tenant settings', () => {
  it('identify an order’s customer by e-mail unless the tenant says otherwise (Spec §2.1)', () => {
    expect(DEFAULT_SETTINGS.orderCustomer).toBe('email');
  });

  it.each(['Language', 'GdprOptin', 'Email', 'Phone'])('may make %s mandatory (Spec §2.1)', (field) => {
    expect(REQUIRABLE_FIELDS).toContain(field);
  });

  it.each(['', 'language', 'GdprOptIn', 'Sku', '__proto__', 'constructor', 'toString'])(
    'may not make %j mandatory, which is no field of a customer (Spec §2.1)',
    (field) => {
      expect(REQUIRABLE_FIELDS).not.toContain(field);
    },
  );
});
