/** What is changed in the settings of a tenant, and what that means in words. Pure. */
import { TEXTS } from '../../texts';
import type { Settings } from './tenant';

const NAMES: readonly (keyof Settings)[] = [
  'customerIdentifier',
  'productIdentifier',
  'orderCustomer',
  'defaultLanguage',
  'requiredFields',
  'displayName',
  'notifyTopic',
];

/** Those by which stored records are keyed, or name each other. */
const IDENTIFIERS: readonly (keyof Settings)[] = ['customerIdentifier', 'productIdentifier', 'orderCustomer'];

/** The settings alone. */
export function settingsOf(tenant: Settings): Partial<Settings> {
  return Object.fromEntries(NAMES.map((name) => [name, tenant[name]]));
}

/** The settings that differ, with their new values. The order of required fields means nothing. */
export function changesOf(before: Settings, after: Settings): Partial<Settings> {
  const isChanged = (name: keyof Settings) => comparable(before[name]) !== comparable(after[name]);
  return Object.fromEntries(NAMES.filter(isChanged).map((name) => [name, after[name]]));
}

/** Whether stored records have to be re-keyed. */
export function needsRekeying(changes: Partial<Settings>): boolean {
  return IDENTIFIERS.some((name) => name in changes);
}

/** What changes for what is stored and what is sent from now on, a sentence or two for each setting. */
export function meaningsOf(before: Settings, changes: Partial<Settings>): string[] {
  const { customerIdentifier, productIdentifier, orderCustomer, defaultLanguage, requiredFields } = changes;
  const { displayName, notifyTopic } = changes;
  const texts = TEXTS.settings.meanings;
  const added = requiredFields?.filter((field) => !before.requiredFields.includes(field)) ?? [];
  const dropped = before.requiredFields.filter((field) => requiredFields?.includes(field) === false);
  return [
    ...(customerIdentifier ? [texts.customerIdentifier[customerIdentifier]] : []),
    ...(productIdentifier ? [texts.productIdentifier[productIdentifier]] : []),
    ...(orderCustomer ? [texts.orderCustomer[orderCustomer]] : []),
    ...(defaultLanguage === undefined ? [] : [texts.defaultLanguage(defaultLanguage)]),
    ...(added.length > 0 ? [texts.required(added)] : []),
    ...(dropped.length > 0 ? [texts.notRequired(dropped)] : []),
    ...(displayName === undefined ? [] : [texts.displayName(displayName)]),
    ...(notifyTopic === undefined ? [] : [texts.notifyTopic(notifyTopic)]),
  ];
}

/** What re-keying does to stored records, by the identifiers that change. */
export function rekeyingOf({ customerIdentifier, productIdentifier, orderCustomer }: Partial<Settings>): string[] {
  const texts = TEXTS.settings.rekeying;
  return [
    ...(customerIdentifier ? [texts.customers[customerIdentifier]] : []),
    ...(productIdentifier ? [texts.products[productIdentifier]] : []),
    ...(orderCustomer ? [texts.orders[orderCustomer]] : []),
  ];
}

/** Records a second that one step after the other re-keys, roughly: by it a person decides when to begin. */
const REKEYED_PER_SECOND = 100;

/** Minutes that re-keying takes, roughly, at least one. */
export function minutesFor(records: number): number {
  return Math.max(1, Math.ceil(records / REKEYED_PER_SECOND / 60));
}

function comparable(value: Settings[keyof Settings]): string {
  return JSON.stringify(typeof value === 'object' && value !== null ? [...value].sort() : value);
}
