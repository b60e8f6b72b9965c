/** Customers without the identifier by which their tenant goes (D-02, R-101). */
import { customerIdIdentity, emailIdentity } from '../../../shared/domain/identity';
import { CONSENTS } from '../../../shared/domain/records/customer';
import { lacksPriority, missingIdentifier, sendsConsent } from '../../../shared/domain/warnings/missing-identifier';

const NOBODY = new Set<never>();
const ADA = new Set([emailIdentity('ada@example.com'), customerIdIdentity('C-1')]);

it.each([
  ['email', { Email: 'ada@example.com' }, false],
  ['email', { CustomerId: 'C-1' }, true],
  ['email', { CustomerId: 'C-1', Email: ' ' }, true],
  ['email', { CustomerId: 'C-1', Email: null }, true],
  ['customerid', { CustomerId: 'C-1' }, false],
  ['customerid', { Email: 'ada@example.com' }, true],
] as const)('under the priority %s, whether %j lacks it: %s (R-101)', (priority, customer, lacks) => {
  expect(lacksPriority(customer, priority)).toBe(lacks);
});

it.each(CONSENTS)('takes %s for a consent, be it given, withdrawn or cleared (R-101)', (consent) => {
  for (const sent of [true, false, null]) expect(sendsConsent({ Name: 'Ada', [consent]: sent })).toBe(true);
  expect(sendsConsent({ Name: 'Ada', [consent]: undefined })).toBe(false);
});

it('takes no other field for a consent', () => {
  expect(sendsConsent({ Email: 'ada@example.com', Name: 'Ada', IsExcluded: true })).toBe(false);
});

it.each([
  ['email', { CustomerId: 'C-1' }, 'emailMissing'],
  ['customerid', { Email: 'ada@example.com' }, 'customerIdMissing'],
] as const)('under the priority %s warns of %j, also where a stored customer can be reached (R-101)', (priority, customer, code) => {
  expect(missingIdentifier(customer, priority, NOBODY)).toEqual({ code, isReachable: false });
  expect(missingIdentifier(customer, priority, ADA)).toEqual({ code, isReachable: true });
}); // prettier-ignore

it.each([
  ['email', { CustomerId: ' C-1 ', EmailOptin: false }, 'emailMissing'],
  ['customerid', { Email: 'ADA@example.com', SmsOptin: true }, 'customerIdMissing'],
] as const)('under the priority %s says of %j that a consent missed a stored customer, if there is one (R-101)', (priority, customer, code) => {
  expect(missingIdentifier(customer, priority, ADA)).toEqual({ code: 'consentNotApplied', isReachable: false });
  expect(missingIdentifier(customer, priority, NOBODY)).toEqual({ code, isReachable: false });
}); // prettier-ignore

it('warns of no customer who has it, whatever else is sent', () => {
  expect(missingIdentifier({ Email: 'ada@example.com', EmailOptin: false }, 'email', ADA)).toBeUndefined();
  expect(missingIdentifier({ CustomerId: 'C-1', EmailOptin: false }, 'customerid', ADA)).toBeUndefined();
});
