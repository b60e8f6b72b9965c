/**
 * Reads the settings of a tenant by the names that `tenants list` prints: of a line of a list, or of a request.
 */
import type { CustomerIdentifier } from '../../domain/tenant';
import { CUSTOMER_IDENTIFIERS, PRODUCT_IDENTIFIERS } from '../../domain/tenant';
import { isPresent } from '../../domain/values/text';
import { isObject } from '../../validation/values';
import { InvalidInput, OperatorError } from '../operator-error';
import type { TableRow } from '../../files/tables/read-table';
import type { TenantOptions } from '../tenants';
import type { TenantLine } from './create-tenants';

const customerIdentifier = (name: string, value: unknown): CustomerIdentifier =>
  toChoice(name, value, CUSTOMER_IDENTIFIERS);

/** The settings, and how each is read. */
const SETTINGS: Readonly<Record<string, (name: string, value: unknown) => TenantOptions>> = {
  tenantId: (name, value) => (isPresent(toText(name, value)) ? { id: toText(name, value) } : {}),
  organizationId: (name, value) => ({ organization: toText(name, value) }),
  displayName: (name, value) => ({ displayName: toTextOrNone(name, value) }),
  customerIdentifier: (name, value) => ({ customerIdentifier: customerIdentifier(name, value) }),
  productIdentifier: (name, value) => ({ productIdentifier: toChoice(name, value, PRODUCT_IDENTIFIERS) }),
  orderCustomer: (name, value) => ({ orderCustomer: customerIdentifier(name, value) }),
  defaultLanguage: (name, value) => ({ defaultLanguage: toTextOrNone(name, value) }),
  requiredFields: (name, value) => ({ required: toList(name, value) }),
  notifyTopic: (name, value) => ({ notifyTopic: toTextOrNone(name, value) }),
};

/** The options that an object of settings means. Blank and null: none. @throws InvalidInput, OperatorError */
export function toTenantOptions(values: unknown): TenantOptions {
  if (!isObject(values)) throw new OperatorError('The line must be an object.');
  const options = Object.entries(values).map(([name, value]) => {
    if (Object.hasOwn(SETTINGS, name)) return SETTINGS[name]?.(name, value);
    throw new InvalidInput(name, `is no setting; the settings are ${Object.keys(SETTINGS).join(', ')}`);
  });
  return Object.assign({}, ...options) as TenantOptions;
}

/** A row of a list of tenants as a line to create. */
export function toTenantLine(row: TableRow): TenantLine {
  if ('problem' in row) return row;
  try {
    return { line: row.line, options: toTenantOptions(row.values) };
  } catch (error) {
    if (error instanceof OperatorError) return { line: row.line, problem: error.message };
    throw error;
  }
}

function toText(name: string, value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new InvalidInput(name, 'must be a text');
}

function toTextOrNone(name: string, value: unknown): string | null {
  const text = toText(name, value);
  return isPresent(text) ? text : null;
}

/** One of the allowed values, in any case. */
function toChoice<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const text = toText(name, value);
  const choice = allowed.find((one) => one === text.trim().toLowerCase());
  if (!choice) throw new InvalidInput(name, `must be one of ${allowed.join(', ')}`, text);
  return choice;
}

/** A list of texts, or one text with commas between them. */
function toList(name: string, value: unknown): string[] {
  const isList = Array.isArray(value) && value.every((element) => typeof element === 'string');
  const texts = isList ? value : toText(name, value).split(',');
  return texts.filter(isPresent).map((text) => text.trim());
}
