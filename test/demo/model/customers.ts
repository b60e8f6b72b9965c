/** What is expected to be stored of customers (Spec §2.2, D-01, D-02, D-12, D-13, D-43). */
import type { Fields } from '../fields';
import { textOf } from '../fields';
import { idKey, mergeFields } from './merge';
import type { Settings } from './settings';
import { expectedLanguage } from './spellings';

const FLAGS = ['EmailOptin', 'SmsOptin', 'WhatsappOptin', 'AppPushOptin', 'GdprOptin', 'IsExcluded'];
const FIELDS = ['CustomerId', 'Email', 'Name', 'Surname', 'Phone', 'Language', 'Username', ...FLAGS];

export class ExpectedCustomers {
  private readonly stored = new Map<string, Fields>();
  private readonly defaults: Fields;

  constructor(private readonly settings: Settings) {
    this.defaults = { Language: settings.defaultLanguage, ...Object.fromEntries(FLAGS.map((flag) => [flag, false])) };
  }

  records(): ReadonlyMap<string, Fields> {
    return this.stored;
  }

  /** The e-mail first under the priority `email`, the customer id first under `customerid`. */
  keyOf = (customer: Fields): string => {
    const keys = [emailKey(customer), customerIdKey(customer)];
    if (this.settings.customerIdentifier === 'customerid') keys.reverse();
    const [first, second] = keys;
    return first ?? `only ${second ?? 'nothing'}`;
  };

  upsert(sent: Fields): void {
    const key = this.keyOf(sent);
    this.stored.set(
      key,
      mergeFields(this.stored.get(key) ?? this.defaults, sent, FIELDS, { defaults: this.defaults, toStored }),
    );
  }

  /** By the priority identifier; by the other one only if that finds nobody. */
  remove(address: Fields): void {
    const tries = [emailKey, customerIdKey];
    if (this.settings.customerIdentifier === 'customerid') tries.reverse();
    for (const keyOf of tries) {
      const found = [...this.stored].filter(
        ([, record]) => keyOf(address) !== undefined && keyOf(record) === keyOf(address),
      );
      for (const [key] of found) this.stored.delete(key);
      if (found.length > 0) return;
    }
  }
}

function toStored(field: string, value: unknown): unknown {
  if (field === 'Language') return expectedLanguage(String(value));
  const isBlankIdentifier = (field === 'Email' || field === 'CustomerId') && String(value).trim() === '';
  return isBlankIdentifier ? undefined : value;
}

function emailKey(customer: Fields): string | undefined {
  const email = textOf(customer, 'Email');
  return email && `Email ${email.trim().toLowerCase()}`;
}

function customerIdKey(customer: Fields): string | undefined {
  const id = textOf(customer, 'CustomerId');
  return id && `CustomerId ${idKey(id)}`;
}
