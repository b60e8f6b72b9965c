/** What the fields of customers and of their deletions mean. */
import { customerSchema } from '../../../shared/domain/dto/customer';
import { customerDeletionSchema } from '../../../shared/domain/dto/deletion';
import { createCustomer } from '../../../shared/domain/records/customer';
import type { Tenant } from '../../../shared/domain/tenant';
import { DEFAULT_SETTINGS } from '../../../shared/domain/tenant';
import { DELETION_ACCEPTED_AT, RECORD_TIMES } from '../../../shared/endpoint/description/records';
import type { FieldTexts } from '../../../shared/endpoint/description/request-schema';
import { constantDefaults, requestSchema, shownSchema } from '../../../shared/endpoint/description/request-schema';
import { answerSchema } from '../../../shared/endpoint/description/schema';

const TEXTS: FieldTexts<typeof customerSchema> = {
  CustomerId: "The caller's own id of the customer. This or `Email` must have a value.",
  Email: 'The e-mail address. This or `CustomerId` must have a value.',
  Name: 'The first name.',
  Surname: 'The last name.',
  Phone: 'The telephone number. SMS campaigns need it.',
  Language: 'The language of the customer. A tenant may make it mandatory.',
  Username: "The user name in the caller's system.",
  EmailOptin: 'Consent to marketing by e-mail.',
  SmsOptin: 'Consent to marketing by SMS.',
  WhatsappOptin: 'Consent to messages by WhatsApp.',
  AppPushOptin: 'Consent to app push messages.',
  GdprOptin:
    'Consent under the GDPR. Without it data is stored, and marketing is restricted. A tenant may make it mandatory.',
  IsExcluded: 'Excludes the customer from all campaigns.',
};

const created = createCustomer({}, DEFAULT_SETTINGS as Tenant);

export const customer = requestSchema(
  'Customer',
  customerSchema,
  'A customer as it is sent. It is found by the identifier that the tenant has chosen, `Email` or `CustomerId`; the other ' +
    'one does not find it. Further fields are ignored.',
  TEXTS,
  { ...constantDefaults(created), Language: "that of the tenant's settings" },
);

export const customerDeletion = requestSchema(
  'CustomerDeletion',
  customerDeletionSchema,
  'The identifiers of customers to delete. Of two, the one that the tenant has chosen is tried first, and the other one ' +
    'only if that finds nothing.',
  {
    CustomerId: "The caller's own id of the customer. This or `Email` must have a value.",
    Email: 'The e-mail address. This or `CustomerId` must have a value.',
  },
  undefined,
  'isAbsent',
);

const storedCustomer = shownSchema(
  'StoredCustomer',
  customerSchema,
  'A customer as it is stored. Fields without a value are absent. A consent that is absent counts as false.',
  TEXTS,
  [],
  { more: RECORD_TIMES },
);

export const customerDeleted = answerSchema<{
  readonly customerId: string | null;
  readonly email: string | null;
  readonly deletedAt: string;
}>('CustomerDeleted', 'The identifiers as they were accepted, and when.', {
  customerId: { type: ['string', 'null'], description: 'Null: it was not sent.' },
  email: { type: ['string', 'null'], description: 'Null: it was not sent.' },
  deletedAt: { type: 'string', format: 'date-time', description: 'When the deletion was accepted, in UTC.' },
});

export const foundCustomers = answerSchema<{
  readonly records: readonly object[];
  readonly hasMore?: true;
  readonly deletionAcceptedAt?: string;
}>(
  'FoundCustomers',
  'The customers that match all identifiers given.',
  {
    records: { type: 'array', items: storedCustomer, description: 'Empty: nobody matches.' },
    hasMore: { type: 'boolean', const: true, description: 'More customers match, which are not shown; absent: none.' },
    deletionAcceptedAt: DELETION_ACCEPTED_AT,
  },
  { hasMore: true, deletionAcceptedAt: true },
);
