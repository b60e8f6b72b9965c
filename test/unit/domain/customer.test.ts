import * as fc from 'fast-check';
import type { CustomerRecord } from '../../../shared/domain/records/customer';
import {
  applyPatch, CONSENTS, createCustomer, hasConsent, mergeCustomers, toCustomerChanges, withoutConsents,
} from '../../../shared/domain/records/customer'; // prettier-ignore
import type { UpsertCustomerDto } from '../../../shared/domain/dto/customer';
import { customerSchema } from '../../../shared/domain/dto/customer';
import type { RecordId } from '../../../shared/domain/identity';
import { customerRecordId } from '../../../shared/domain/identity';
import type { Tenant } from '../../../shared/domain/tenant';
import { customers } from '../support/dtos';
import { aTenant } from '../support/tenant';

const tenant = aTenant({ defaultLanguage: 'tr' });

/** Upserts a batch into records by the rules of the domain alone. */
function upsert(records: ReadonlyMap<RecordId, CustomerRecord>, batch: UpsertCustomerDto[], of: Tenant = tenant) {
  const after = new Map(records);
  for (const { id, patch } of toCustomerChanges(batch, of)) {
    const stored = after.get(id);
    after.set(id, stored ? applyPatch(stored, patch) : createCustomer(patch, of));
  }
  return after;
}

/** The only record after some upserts, one batch each. */
function recordAfter(...elements: UpsertCustomerDto[]): CustomerRecord {
  const records = elements.reduce((before, element) => upsert(before, [element]), new Map<RecordId, CustomerRecord>());
  expect(records.size).toBe(1);
  return [...records.values()][0]!;
}

/** Sent without a value: a cleared field, or a blank identifier (D-12, R-01). */
const isBlank = (sent: unknown) => sent === null || (typeof sent === 'string' && sent.trim() === '');

const tenants = fc.record({
  customerIdentifier: fc.constantFrom('email' as const, 'customerid' as const),
  defaultLanguage: fc.constantFrom(null, 'tr'),
}).map(aTenant); // prettier-ignore
const batches = fc.array(customers, { maxLength: 12 });

describe('a customer that is created', () => {
  it('has every default stored with it (Spec §2.2, D-13)', () => {
    expect(recordAfter({ Email: 'a@x.io' })).toStrictEqual({
      Email: 'a@x.io',
      Language: 'tr',
      EmailOptin: false,
      SmsOptin: false,
      WhatsappOptin: false,
      AppPushOptin: false,
      GdprOptin: false,
      IsExcluded: false,
    });
  });

  it('has no language when none is sent and the tenant has no default (D-16)', () => {
    const records = upsert(new Map(), [{ Email: 'a@x.io', Language: null }], aTenant());
    expect([...records.values()][0]?.Language).toBeUndefined();
  });

  it('keeps identifiers as they were sent, while they match trimmed and without case (D-01)', () => {
    expect(recordAfter({ Email: ' A@X.io ', CustomerId: ' 7 ' })).toMatchObject({
      Email: ' A@X.io ',
      CustomerId: ' 7 ',
    });
    expect(recordAfter({ Email: ' A@X.io ' }, { Email: 'a@x.IO' })).toMatchObject({ Email: 'a@x.IO' });
  });

  it.each([
    ['ZH-hant-tw', 'zh-Hant-TW'],
    [' EN ', 'en'],
  ])('stores the language %j in canonical case (D-16)', (sent, stored) => {
    expect(recordAfter({ Email: 'a@x.io', Language: sent }).Language).toBe(stored);
  });

  it.each(['', ' \u3000', null])('has no identifier that is %j (Spec §2.2 rule 1, R-01)', (missing) => {
    expect(recordAfter({ Email: missing, CustomerId: '1' }).Email).toBeUndefined();
    expect(recordAfter({ Email: 'a@x.io', CustomerId: missing }).CustomerId).toBeUndefined();
  });

  it('has no unknown field, whatever its name (D-21)', () => {
    const element = JSON.parse(
      '{"Email":"a@x.io","emailoptin":true,"__proto__":{"GdprOptin":true},"constructor":1,"revision":"x"}',
    ) as UpsertCustomerDto;
    expect(recordAfter(element)).toStrictEqual(recordAfter({ Email: 'a@x.io' }));
  });
});

describe('a customer that is updated', () => {
  const full = {
    Email: 'a@x.io', CustomerId: '1', Name: 'Ada', Language: 'en', EmailOptin: true, GdprOptin: true, IsExcluded: true,
  }; // prettier-ignore

  it('keeps a consent, a language and an exclusion that the update does not mention (D-12, D-13)', () => {
    expect(recordAfter(full, { Email: 'a@x.io', Name: 'Eve' })).toStrictEqual({ ...recordAfter(full), Name: 'Eve' });
  });

  it.each(['EmailOptin', 'SmsOptin', 'WhatsappOptin', 'AppPushOptin', 'GdprOptin', 'IsExcluded'] as const)(
    'sets %s to false for null, and to what is sent otherwise (D-12)',
    (flag) => {
      expect(recordAfter({ Email: 'a@x.io', [flag]: true }, { Email: 'a@x.io', [flag]: null })[flag]).toBe(false);
      expect(recordAfter({ Email: 'a@x.io', [flag]: true }, { Email: 'a@x.io', [flag]: false })[flag]).toBe(false);
      expect(recordAfter({ Email: 'a@x.io' }, { Email: 'a@x.io', [flag]: true })[flag]).toBe(true);
    },
  );

  it('falls back to the tenant’s language for null (D-12)', () => {
    expect(recordAfter(full, { Email: 'a@x.io', Language: null }).Language).toBe('tr');
  });

  it('loses an optional field for null (D-12)', () => {
    const after = recordAfter(full, { Email: 'a@x.io', Name: null, CustomerId: null });
    expect(after.Name).toBeUndefined();
    expect(after.CustomerId).toBeUndefined();
  });

  it('stores an empty text of a field that identifies nobody (D-12)', () => {
    expect(recordAfter(full, { Email: 'a@x.io', Name: '' }).Name).toBe('');
  });

  it('keeps each field that is not mentioned (D-12)', () => {
    fc.assert(
      fc.property(customers, customers, tenants, (first, second, of) => {
        const id = customerRecordId(first, of.customerIdentifier);
        const before = upsert(new Map(), [first], of).get(id)!;
        const after = applyPatch(before, toCustomerChanges([second], of)[0]!.patch);
        for (const field of Object.keys(customerSchema.properties) as (keyof CustomerRecord)[]) {
          if (second[field] === undefined) expect(after[field]).toBe(before[field]);
          const isCleared = field in after && after[field] === undefined;
          if (isCleared) expect([first[field], second[field]].some((sent) => isBlank(sent))).toBe(true);
        }
      }),
    );
  });
});

describe('a batch of customers', () => {
  it('is one change a customer; later elements win field by field (D-07)', () => {
    const changes = toCustomerChanges(
      [
        { Email: 'a@x.io', Name: 'Ada', GdprOptin: true },
        { Email: 'b@x.io' },
        { Email: 'A@x.io', Name: null, Phone: '1' },
      ],
      tenant,
    );
    expect(changes).toStrictEqual([
      {
        id: customerRecordId({ Email: 'a@x.io' }, 'email'),
        patch: { Email: 'A@x.io', Name: undefined, GdprOptin: true, Phone: '1' },
      },
      { id: customerRecordId({ Email: 'b@x.io' }, 'email'), patch: { Email: 'b@x.io' } },
    ]);
  });

  it('keeps a customer known by e-mail apart from one with the same CustomerId and no e-mail (D-02)', () => {
    const batch = [{ Email: 'a@x.io', CustomerId: '1' }, { CustomerId: '1' }, { CustomerId: ' 1' }];
    expect(toCustomerChanges(batch, tenant)).toHaveLength(2);
  });

  it('equals its elements applied one by one, in the order in which customers first appear (D-07)', () => {
    fc.assert(
      fc.property(batches, batches, tenants, (earlier, batch, of) => {
        const stored = upsert(new Map(), earlier, of);
        const oneByOne = batch.reduce((records, element) => upsert(records, [element], of), stored);
        expect([...upsert(stored, batch, of)]).toStrictEqual([...oneByOne]);
      }),
    );
  });

  it('changes nothing more when it is repeated (D-02)', () => {
    fc.assert(
      fc.property(batches, tenants, (batch, of) => {
        const once = upsert(new Map(), batch, of);
        expect([...upsert(once, batch, of)]).toStrictEqual([...once]);
      }),
    );
  });

  it('touches no record that it does not address', () => {
    fc.assert(
      fc.property(batches, batches, tenants, (earlier, batch, of) => {
        const before = upsert(new Map(), earlier, of);
        const after = upsert(before, batch, of);
        const addressed = new Set(batch.map((element) => customerRecordId(element, of.customerIdentifier)));
        for (const [id, record] of before) if (!addressed.has(id)) expect(after.get(id)).toBe(record);
        expect(after.size).toBe(new Set([...before.keys(), ...addressed]).size);
      }),
    );
  });
});

describe('a customer whose consents are withdrawn', () => {
  const none = createCustomer({ Email: 'a@x.io' }, tenant);

  it.each(CONSENTS)('loses %s, and keeps everything else, an exclusion, too', (consent) => {
    const given = { ...none, Name: 'Ann', IsExcluded: true, [consent]: true };
    expect([hasConsent(given), hasConsent(withoutConsents(given))]).toEqual([true, false]);
    expect(withoutConsents(given)).toStrictEqual({ ...none, Name: 'Ann', IsExcluded: true });
  });

  it('has none to lose where none was given: an exclusion is no consent', () => {
    expect(hasConsent({ ...none, IsExcluded: true })).toBe(false);
  });
});

describe('two records of one customer (D-09)', () => {
  const CONSENTS = ['EmailOptin', 'SmsOptin', 'WhatsappOptin', 'AppPushOptin', 'GdprOptin'] as const;
  const records = customers.map((dto) => recordAfter(dto));

  it('have a consent only if both have it, are excluded if one is, and otherwise say what the younger one says', () => {
    fc.assert(
      fc.property(records, records, (older, younger) => {
        const { customer, consentsWithdrawn } = mergeCustomers(older, younger);
        for (const consent of CONSENTS) expect(customer[consent]).toBe(older[consent] && younger[consent]);
        expect(customer.IsExcluded).toBe(older.IsExcluded || younger.IsExcluded);
        expect(consentsWithdrawn).toBe(CONSENTS.filter((consent) => younger[consent] && !older[consent]).length);
        for (const field of ['CustomerId', 'Email', 'Name', 'Surname', 'Phone', 'Language', 'Username'] as const) {
          expect(customer[field]).toBe(field in younger ? younger[field] : older[field]);
        }
      }),
    );
  });

  it('have no consent that one of them does not know yet, because it was introduced later (D-09)', () => {
    const { AppPushOptin: _unknown, ...before } = recordAfter({ Email: 'a@x.io', AppPushOptin: true });
    const given = recordAfter({ Email: 'a@x.io', AppPushOptin: true });
    for (const [older, younger] of [
      [before, given],
      [given, before],
    ] as [CustomerRecord, CustomerRecord][]) {
      expect(mergeCustomers(older, younger)).toMatchObject({ customer: { AppPushOptin: false }, consentsWithdrawn: 1 });
    }
  });

  it('become the same whichever of three meet first', () => {
    const merge = (older: CustomerRecord, younger: CustomerRecord) => mergeCustomers(older, younger).customer;
    fc.assert(
      fc.property(records, records, records, (first, second, third) => {
        expect(merge(merge(first, second), third)).toEqual(merge(first, merge(second, third)));
      }),
    );
  });

  it('lack a field that the younger one cleared, and have one that it never had', () => {
    const older = recordAfter({ Email: 'a@x.io', Phone: '1', Name: 'Ann' });
    const younger = recordAfter({ Email: 'b@x.io', Phone: '2' }, { Email: 'b@x.io', Phone: null });
    expect(mergeCustomers(older, younger).customer).toMatchObject({ Phone: undefined, Name: 'Ann' });
  });
});
