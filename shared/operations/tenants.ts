/** The operator's commands about tenants. */
import { isDeepStrictEqual } from 'node:util';
import { fromTenantDocument, toTenantDocument } from '../auth/tenant-documents';
import { pagesOf } from '../documents/pages';
import { idOf, tenantPath, TENANTS } from '../documents/paths';
import { canonicalLanguage } from '../domain/values/language';
import type { Tenant, TenantId, TenantSettings } from '../domain/tenant';
import {
  CUSTOMER_IDENTIFIERS,
  DEFAULT_SETTINGS,
  parseTenantId,
  PRODUCT_IDENTIFIERS,
  REQUIRABLE_FIELDS,
} from '../domain/tenant';
import { isPresent } from '../domain/values/text';
import type { Operator } from './operator';
import { OperatorError } from './operator-error';
import { requireOneOf, requireOrganization } from './inputs';

/** The options as the command line has them, all texts. */
export interface TenantOptions {
  readonly id?: string;
  readonly organization?: string;
  readonly customerIdentifier?: string;
  readonly productIdentifier?: string;
  readonly orderCustomer?: string;
  readonly defaultLanguage?: string;
  readonly required?: string;
}

/**
 * Creates a tenant. Repeating it with the same options does nothing: the answer to a first try may have been lost.
 * @throws OperatorError when the id is taken or an option is wrong.
 */
export async function createTenant(
  options: TenantOptions & { organization: string },
  operator: Operator,
): Promise<Tenant> {
  const tenantId = options.id === undefined ? newGuid(operator) : requireGuid(options.id);
  const tenant = { ...DEFAULT_SETTINGS, tenantId, ...parseOptions(options) } as Tenant;
  const path = tenantPath(tenantId);
  const outcome = await operator.store.commit(
    [{ set: path, data: toTenantDocument(tenant), when: 'absent' }],
    operator.deadline(),
  );
  if (outcome === 'conflict') {
    const stored = await requireTenant(tenantId, operator);
    if (isDeepStrictEqual(stored, tenant)) return tenant;
    throw new OperatorError(`Tenant ${tenantId} exists already; change it with tenants update.`);
  }
  return tenant;
}

/** Changes the settings that are given. @throws OperatorError */
export async function updateTenant(guid: string, options: TenantOptions, operator: Operator): Promise<Tenant> {
  const changed = parseOptions(options);
  const { tenantId } = await requireTenant(guid, operator);
  // Only what is given: two updates at once must not undo each other.
  const write = { set: tenantPath(tenantId), data: changed, fields: Object.keys(changed), when: 'present' } as const;
  if (write.fields.length > 0) await operator.store.commit([write], operator.deadline());
  return requireTenant(guid, operator);
}

/** @throws OperatorError when there is no such tenant, or it is being erased. */
export async function requireTenant(guid: string, operator: Operator): Promise<Tenant> {
  const tenantId = requireGuid(guid);
  const document = await operator.store.get(tenantPath(tenantId), operator.deadline());
  if (!document) throw new OperatorError(`Tenant ${tenantId} does not exist; tenants list shows all.`);
  const tenant = fromTenantDocument(tenantId, document.data);
  if (tenant.erasingSince === undefined) return tenant;
  throw new OperatorError(`Tenant ${tenantId} is being erased; tenants erase ${tenantId} --yes goes on with that.`);
}

/** All tenants, also those that are being erased, in the order of their ids. */
export async function listTenants(operator: Operator): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for await (const page of pagesOf(operator.store, TENANTS, operator.deadline)) {
    tenants.push(...page.map(({ path, data }) => fromTenantDocument(idOf(path), data)));
  }
  return tenants;
}

function parseOptions(options: TenantOptions): Partial<TenantSettings & Pick<Tenant, 'organizationId'>> {
  const settings: { -readonly [K in keyof TenantSettings]?: TenantSettings[K] } & { organizationId?: string } = {};
  if (options.organization !== undefined) settings.organizationId = requireOrganization(options.organization);
  if (options.customerIdentifier !== undefined) {
    settings.customerIdentifier = requireOneOf(
      '--customer-identifier',
      options.customerIdentifier,
      CUSTOMER_IDENTIFIERS,
    );
  }
  if (options.productIdentifier !== undefined) {
    settings.productIdentifier = requireOneOf('--product-identifier', options.productIdentifier, PRODUCT_IDENTIFIERS);
  }
  if (options.orderCustomer !== undefined) {
    settings.orderCustomer = requireOneOf('--order-customer', options.orderCustomer, CUSTOMER_IDENTIFIERS);
  }
  if (options.defaultLanguage !== undefined) settings.defaultLanguage = parseLanguage(options.defaultLanguage);
  if (options.required !== undefined) settings.requiredFields = parseRequired(options.required);
  return settings;
}

function parseLanguage(text: string): string | null {
  if (!isPresent(text)) return null;
  const language = canonicalLanguage(text);
  if (!language)
    throw new OperatorError(`--default-language must be a tag such as en, zh-Hant or pt-BR; it is "${text}".`);
  return language;
}

function parseRequired(text: string): string[] {
  const fields = text
    .split(',')
    .map((field) => field.trim())
    .filter(isPresent);
  const unknown = fields.filter((field) => !REQUIRABLE_FIELDS.includes(field));
  if (unknown.length > 0) {
    throw new OperatorError(
      `--required names no customer field: ${unknown.join(', ')}. The fields are ${REQUIRABLE_FIELDS.join(', ')}.`,
    );
  }
  return [...new Set(fields)];
}

/** @throws OperatorError */
export function requireGuid(text: string): TenantId {
  const tenantId = parseTenantId(text.trim());
  if (!tenantId) throw new OperatorError(`"${text}" is no tenant id; it must be a GUID.`);
  return tenantId;
}

/** A random (version 4) GUID. */
function newGuid({ random }: Operator): TenantId {
  const bytes = random.bytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return requireGuid(bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
}
