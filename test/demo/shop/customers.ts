/**
 * The shop's customers: every name of `people.json` with every surname of its group, and what three systems know of
 * them.
 */
import type { Fields } from '../fields';
import people from './people.json';
import type { Delivery } from './delivery';
import { inParts } from './delivery';

export interface Customer {
  readonly id: string;
  readonly email: string;
  readonly currency: string;
  /** As the shop's own system exports it. */
  readonly record: Fields;
}

interface Group {
  readonly language: string;
  readonly currency: string;
  readonly mail: string;
  readonly phone: string;
  /** Latin spelling, for the e-mail, to the name. */
  readonly given: Readonly<Record<string, string>>;
  readonly family: Readonly<Record<string, string>>;
}

export const CUSTOMERS: readonly Customer[] = (people as unknown as readonly Group[])
  .flatMap((group) =>
    Object.entries(group.family).flatMap(([familyLatin, surname]) =>
      Object.entries(group.given).map(([givenLatin, name]) => ({ group, givenLatin, familyLatin, name, surname })),
    ),
  )
  .map(({ group, givenLatin, familyLatin, name, surname }, i) => {
    const id = `C-${1001 + i}`;
    const email = toEmail(givenLatin, familyLatin, group.mail, i);
    const record: Fields = {
      // A few are known by one identifier only.
      ...(i % 29 !== 7 && { CustomerId: id }),
      ...(i % 31 !== 11 && { Email: email }),
      Name: name,
      Surname: surname,
      ...(i % 6 !== 5 && { Phone: toPhone(group.phone, i) }),
      ...(i % 4 !== 3 && { Language: group.language }),
      ...(i % 10 === 2 && { Username: `${givenLatin}_${familyLatin} ★` }),
      ...(i % 3 !== 0 && { EmailOptin: i % 3 === 1 }),
      ...(i % 5 === 0 && { SmsOptin: true, WhatsappOptin: false }),
      ...(i % 8 === 1 && { AppPushOptin: true }),
      GdprOptin: i % 9 !== 4,
      ...(i % 50 === 49 && { IsExcluded: true }),
    };
    return { id, email, currency: group.currency, record };
  });

export const CUSTOMER_DELIVERIES: readonly Delivery[] = [
  ...inParts(
    'customers',
    'customer export',
    CUSTOMERS.map(({ record }) => record),
    120,
  ).map((delivery, part) => ({ ...delivery, gzip: part === 1 })),
  { kind: 'customers', title: 'newsletter sign-ups (e-mail only)', batch: newsletterSignUps() },
  { kind: 'customers', title: 'loyalty cards (customer id only)', batch: loyaltyCards() },
  { kind: 'customers', title: 'corrections, some twice', batch: corrections() },
];

/** Upper case, `+` and the full stop are all part of what people type. */
function toEmail(given: string, family: string, domain: string, i: number): string {
  const email = `${given}.${family}${i % 5 === 0 ? '+shop' : ''}@${domain}`;
  return i % 7 === 0 ? email.toUpperCase() : email;
}

/** Fills the `#` of a pattern with digits that differ from customer to customer. */
function toPhone(pattern: string, i: number): string {
  let seed = i * 7919 + 13;
  return pattern.replace(/#/g, () => {
    seed = (seed * 31 + 7) % 1_000_003;
    return String(seed % 10);
  });
}

function newsletterSignUps(): Fields[] {
  return CUSTOMERS.filter((_, i) => i % 8 === 3).map(({ email }) => ({
    Email: email.toLowerCase(),
    EmailOptin: true,
    GdprOptin: true,
  }));
}

function loyaltyCards(): Fields[] {
  return CUSTOMERS.filter((_, i) => i % 11 === 6).map(({ id }, i) => ({
    CustomerId: id,
    Username: `card ${4000 + i}`,
  }));
}

/** New phones, withdrawn consents, cleared fields; every fourth customer a second time with a new surname. */
function corrections(): Fields[] {
  return CUSTOMERS.filter((_, i) => i % 9 === 0).flatMap(({ id, email }, i) => {
    const who = { CustomerId: id, Email: email };
    const first = { ...who, Phone: i % 2 === 0 ? null : '+1 (202) 555-0199', EmailOptin: null, Username: null };
    return i % 4 === 0 ? [first, { ...who, Surname: 'Smith-Jones' }] : [first];
  });
}
