/** What `openapi.json` says of the routes of customers. */
import { toShownWarnings } from '../../../shared/domain/warnings/warning';
import { MAX_READ_CUSTOMERS } from '../../../shared/limits/records';
import { describeDeletions, describeUpsert } from '../../../shared/endpoint/description/batches';
import type { FunctionDescription, ParameterDescription, Rule } from '../../../shared/endpoint/description/operation';
import { EXAMPLE_TIME } from '../../../shared/endpoint/description/operation';
import { SINGLE_DELETE_PROBLEMS, SINGLE_DELETE_RULES } from '../../../shared/endpoint/description/records';
import type { CustomersOperation } from '../../../shared/endpoint/operation-id';
import { idRequired } from '../../../shared/http/problems';
import { customerIdentifierRule } from '../../../shared/validation/customer-batch';
import { requiredMessage } from '../../../shared/validation/messages';
import type { CUSTOMER_PARAMETERS } from '../customer-identifiers';
import { CUSTOMER_IDENTIFIER } from '../customer-identifiers';
import { customer, customerDeleted, customerDeletion, foundCustomers } from './schemas';

const noIdentifier = idRequired(CUSTOMER_IDENTIFIER);

const IDENTIFIER_RULE: Rule = {
  rule: 'Each element has a value for `CustomerId` or `Email`: null, empty and blank count as missing.',
  message: customerIdentifierRule({}) ?? '',
};

const ONE_PARAMETER_RULE: Rule = {
  rule: 'One of `customerId` and `email` has a value: empty and blank count as missing.',
  message: noIdentifier.message,
};

const identifiers: Readonly<Record<(typeof CUSTOMER_PARAMETERS)[number], ParameterDescription>> = {
  customerId: {
    schema: { type: 'string' },
    allowEmptyValue: true,
    description: "The caller's own id of the customer.",
  },
  email: {
    schema: { type: 'string' },
    allowEmptyValue: true,
    description: 'The e-mail address, in any case. A `+` is itself here, encoded or not.',
  },
};

export const customersDescription: FunctionDescription<CustomersOperation> = {
  tag: { name: 'Customers', description: 'People, and their consents to marketing by each channel.' },
  bodies: [customer, customerDeletion],
  operations: {
    upsertCustomers: describeUpsert({
      summary: 'Create or update customers',
      description: 'Stores customers: those that are there are updated field by field, the others are created.',
      rules: [
        IDENTIFIER_RULE,
        {
          rule: 'Fields that the tenant has made mandatory, such as `Language` and `GdprOptin`, have a value.',
          message: requiredMessage('Language'),
        },
      ],
      examples: {
        create: {
          summary: 'A new customer with a consent',
          body: [{ Email: 'bob@example.com', Name: 'Bob', Language: 'en', EmailOptin: true }],
          data: { count: 1, created: 1, updated: 0, processedAt: EXAMPLE_TIME },
        },
        withdraw: {
          summary: 'A consent is withdrawn; all other fields stay',
          body: [{ Email: 'ada@example.com', EmailOptin: false }],
          data: { count: 1, created: 0, updated: 1, processedAt: EXAMPLE_TIME },
        },
        skipInvalid: {
          summary: 'An invalid element is left out',
          parameters: { onInvalid: 'skip' },
          body: [{ Email: 'ada@example.com' }, { Name: 'Bob' }],
          data: {
            count: 1,
            created: 0,
            updated: 1,
            processedAt: EXAMPLE_TIME,
            rejectedCount: 1,
            rejected: [{ index: 1, errors: { '': ['At least one of CustomerId, Email must have a value.'] } }],
          },
        },
        check: {
          summary: 'A check, which stores nothing and tells a misspelt field',
          parameters: { validateOnly: 'true' },
          body: [{ Email: 'ada@example.com', EmailOptIn: true }],
          message: 'Customers valid.',
          data: {
            count: 1,
            wouldCreate: 0,
            wouldUpdate: 1,
            ignoredFields: ['EmailOptIn'],
            warnings: toShownWarnings({
              fieldCase: { count: 1, examples: [{ index: 0, field: 'EmailOptIn', expected: 'EmailOptin' }] },
            }),
          },
        },
      },
    }),
    deleteCustomer: {
      summary: 'Delete a customer',
      description:
        'Deletes all customers that the identifier matches. Of two identifiers, the one that the tenant has chosen is tried ' +
        'first, and the other one only if that finds nothing. Success means that the deletion is durable, whether or not ' +
        'anything matches. A repeat is safe, but tries the other identifier where the first one finds nothing any more.',
      parameters: identifiers,
      data: [customerDeleted],
      problems: [noIdentifier, ...SINGLE_DELETE_PROBLEMS],
      rules: [ONE_PARAMETER_RULE, ...SINGLE_DELETE_RULES],
      examples: {
        byEmail: {
          summary: 'By e-mail',
          parameters: { email: 'ada@example.com' },
          data: { customerId: null, email: 'ada@example.com', deletedAt: EXAMPLE_TIME },
        },
        byBoth: {
          summary: 'By both identifiers',
          parameters: { customerId: 'C-1', email: 'ada@example.com' },
          data: { customerId: 'C-1', email: 'ada@example.com', deletedAt: EXAMPLE_TIME },
        },
      },
    },
    deleteCustomers: describeDeletions({
      summary: 'Delete many customers',
      description: 'Deletes customers.',
      rules: [IDENTIFIER_RULE],
      examples: {
        two: {
          summary: 'Two customers',
          body: [{ Email: 'ada@example.com' }, { CustomerId: 'C-2' }],
          data: { count: 2, deletedAt: EXAMPLE_TIME },
        },
        check: {
          summary: 'A check, which deletes nothing',
          parameters: { validateOnly: 'true' },
          body: [{ Email: 'ada@example.com' }],
          message: 'Customers valid.',
          data: { count: 1 },
        },
      },
    }),
    findCustomers: {
      summary: 'Read customers back',
      description:
        `Shows the customers that match all identifiers given, at most ${MAX_READ_CUSTOMERS}. What an accepted deletion ` +
        'means is not shown, whether or not it is applied yet. It changes nothing.',
      parameters: identifiers,
      data: [foundCustomers],
      problems: [noIdentifier],
      rules: [ONE_PARAMETER_RULE],
      examples: {
        found: {
          summary: 'By e-mail',
          parameters: { email: 'ada@example.com' },
          data: {
            records: [
              {
                CustomerId: 'C-1',
                Email: 'ada@example.com',
                Name: 'Ada',
                EmailOptin: true,
                SmsOptin: false,
                WhatsappOptin: false,
                AppPushOptin: false,
                GdprOptin: true,
                IsExcluded: false,
                updatedAt: EXAMPLE_TIME,
                asOf: EXAMPLE_TIME,
              },
            ],
          },
        },
        nobody: {
          summary: 'Nobody matches',
          parameters: { customerId: 'C-404' },
          data: { records: [] },
        },
      },
    },
  },
};
