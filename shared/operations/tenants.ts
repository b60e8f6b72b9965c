/** Operators' use cases about tenants. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditedState } from '../audit/entry';
import { commitAct } from '../audit/audit-log';
import { fromTenantDocument, toTenantDocument } from '../auth/tenant-documents';
import { changeWrite, keyedWrite } from '../workspace/customer-keys';
import type { StoredDocument } from '../documents/document-store';
import { pagesOf } from '../documents/pages';
import { deletionFlagPath, idOf, tenantPath, TENANTS } from '../documents/paths';
import type { CustomerIdentifier, ProductIdentifier, Tenant, TenantId, TenantSettings } from '../domain/tenant';
import { DEFAULT_SETTINGS, parseTenantId, REQUIRABLE_FIELDS } from '../domain/tenant';
import { canonicalLanguage } from '../domain/values/language';
import { isTopicName } from '../domain/values/topic-name';
import { retryConflicts } from '../workspace/retry-conflicts';
import { requireName, requireOrganization } from './inputs';
import type { KeyKeeper, Operator } from './operator';
import { InvalidInput, OperatorError } from './operator-error';
import { renameWrites } from './tenants/names';

/** What an operator chooses for a tenant, see `TenantSettings`. An absent field keeps its value or gets the default. */
export interface TenantOptions {
  /** A GUID; a new tenant without one gets a random one. An update ignores it. */
  readonly id?: string;
  readonly organization?: string;
  readonly customerIdentifier?: CustomerIdentifier;
  readonly productIdentifier?: ProductIdentifier;
  readonly orderCustomer?: CustomerIdentifier;
  /** A tag in any case; null: none. */
  readonly defaultLanguage?: string | null;
  /** Mandatory customer fields. */
  readonly required?: readonly string[];
  /** `projects/P/topics/T`; null: none. */
  readonly notifyTopic?: string | null;
  /** Null: none. */
  readonly displayName?: string | null;
}

/** A tenant that was to be created. */
export interface CreatedTenant {
  readonly tenant: Tenant;
  /** False: it was there already, and is as it was to be. */
  readonly isNew: boolean;
}

/**
 * Creates a tenant. A repeat with the same options succeeds and changes nothing: the answer to the first call may have
 * been lost. @throws OperatorError when the id is taken or an option is invalid
 */
export async function createTenant(
  options: TenantOptions & { organization: string },
  operator: Operator,
): Promise<Tenant> {
  return (await ensureTenant(options, operator)).tenant;
}

/** As `createTenant`, and says whether it was there before. @throws OperatorError */
export async function ensureTenant(
  options: TenantOptions & { organization: string },
  operator: Operator,
): Promise<CreatedTenant> {
  const tenantId = options.id === undefined ? newGuid(operator) : requireGuid(options.id);
  const tenant = { ...DEFAULT_SETTINGS, tenantId, ...toSettings(options, operator) } as Tenant;
  const outcome = await commitAct(
    operator,
    { action: 'tenants.create', tenantId, organizationId: tenant.organizationId, after: toAudited(tenant, SETTINGS) },
    [
      { set: tenantPath(tenantId), data: toTenantDocument(tenant), when: 'absent' },
      keyedWrite(tenant, undefined, operator.random),
      ...renameWrites(undefined, tenant),
    ],
    operator.deadline(),
  );
  if (outcome !== 'conflict') return { tenant, isNew: true };
  const stored = await requireTenant(tenantId, operator);
  if (changedSettings(stored, tenant).length === 0) return { tenant: stored, isNew: false };
  throw new OperatorError(`Tenant ${tenantId} exists already; change it with tenants update.`);
}

type Setting = keyof TenantSettings | 'organizationId';
const SETTINGS = ['organizationId', ...Object.keys(DEFAULT_SETTINGS)] as readonly Setting[];

function changedSettings(before: Tenant, after: Tenant): Setting[] {
  return SETTINGS.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** The settings as the audit log has them: of a display name, a free text, only that there is one. */
function toAudited(tenant: Tenant, names: readonly Setting[]): AuditedState {
  const { displayName } = tenant;
  const shown = { ...tenant, displayName: displayName === null ? null : '(not kept)' };
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

/** The settings by which stored records are keyed, or name each other. */
const IDENTIFIERS = ['customerIdentifier', 'productIdentifier', 'orderCustomer'] as const;

/** Whether records that were stored by one of these settings have to be re-keyed for the other one. */
export function areIdentifiersDifferent(a: TenantSettings, b: TenantSettings): boolean {
  return IDENTIFIERS.some((name) => a[name] !== b[name]);
}

/**
 * Changes the given settings and returns the tenant. After another identifier the stored records have to be re-keyed
 * (`rekeyTenant`). @throws OperatorError
 */
export async function updateTenant(guid: string, options: TenantOptions, operator: Operator): Promise<Tenant> {
  return changeTenant(guid, toSettings(options, operator), operator);
}

type ChangedSettings = Partial<TenantSettings & Pick<Tenant, 'organizationId'>>;

/** As `updateTenant`, with settings that were looked at, for whoever may change them. @throws OperatorError */
export async function changeTenant(guid: string, changed: ChangedSettings, keeper: KeyKeeper): Promise<Tenant> {
  const { store, random } = keeper;
  const deadline = keeper.deadline();
  const attempt = async (): Promise<readonly string[]> => {
    const document = await requireTenantDocument(guid, keeper);
    const tenant = fromTenantDocument(idOf(document.path), document.data);
    const { tenantId, organizationId } = tenant;
    const updated = { ...tenant, ...changed };
    const names = changedSettings(tenant, updated);
    if (names.length === 0) return [];
    // The write names only the changed fields: two updates at once must not undo each other.
    const data = Object.fromEntries(names.map((name) => [name, updated[name]]));
    const write = { set: document.path, data, fields: names, when: document.version };
    const needsRekey = areIdentifiersDifferent(tenant, updated);
    const flag = needsRekey ? await store.get(deletionFlagPath(tenantId, 'customers'), deadline) : undefined;
    const writes = [
      ...(needsRekey ? [changeWrite(tenant, flag, random)] : []),
      ...renameWrites(tenant, updated),
      write,
    ];
    const states = { before: toAudited(tenant, names), after: toAudited(updated, names) };
    const act = { action: 'tenants.update', tenantId, organizationId, ...states } as const;
    return (await commitAct(keeper, act, writes, deadline)) === 'conflict' ? [guid] : [];
  };
  await retryConflicts([guid], attempt, deadline, keeper);
  return requireTenant(guid, keeper);
}

/** Reads a tenant. @throws OperatorError when there is no such tenant, or it is being erased */
export async function requireTenant(guid: string, operator: Pick<Operator, 'store' | 'deadline'>): Promise<Tenant> {
  const { path, data } = await requireTenantDocument(guid, operator);
  return fromTenantDocument(idOf(path), data);
}

/** As `requireTenant`, as it is stored. @throws OperatorError */
export async function requireTenantDocument(
  guid: string,
  operator: Pick<Operator, 'store' | 'deadline'>,
): Promise<StoredDocument> {
  const tenantId = requireGuid(guid);
  const document = await operator.store.get(tenantPath(tenantId), operator.deadline());
  if (!document) throw new OperatorError(`Tenant ${tenantId} does not exist.`, { hint: 'tenants list shows all.' });
  if (fromTenantDocument(tenantId, document.data).erasingSince === undefined) return document;
  const hint = `tenants erase ${tenantId} --yes goes on with that.`;
  throw new OperatorError(`Tenant ${tenantId} is being erased.`, { hint });
}

/** All tenants in the order of their ids, including those that are being erased. */
export async function listTenants(operator: Operator): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for await (const page of pagesOf(operator.store, TENANTS, operator.deadline)) {
    tenants.push(...page.map(({ path, data }) => fromTenantDocument(idOf(path), data)));
  }
  return tenants;
}

function toSettings(options: TenantOptions, operator: Pick<Operator, 'config'>): ChangedSettings {
  const { organization, notifyTopic, displayName } = options;
  return {
    ...(organization !== undefined && { organizationId: requireOrganization(organization) }),
    ...toConfiguration(options),
    ...(notifyTopic !== undefined && { notifyTopic: requireTopic(notifyTopic, operator) }),
    ...(displayName !== undefined && {
      displayName: displayName === null ? null : requireName('displayName', displayName),
    }),
  };
}

/** The settings of Spec §2.1 among the options. @throws InvalidInput */
export function toConfiguration(options: TenantOptions): ChangedSettings {
  const { customerIdentifier, productIdentifier, orderCustomer, defaultLanguage, required } = options;
  return {
    ...(customerIdentifier !== undefined && { customerIdentifier }),
    ...(productIdentifier !== undefined && { productIdentifier }),
    ...(orderCustomer !== undefined && { orderCustomer }),
    ...(defaultLanguage !== undefined && { defaultLanguage: requireLanguage(defaultLanguage) }),
    ...(required !== undefined && { requiredFields: requireCustomerFields(required) }),
  };
}

function requireLanguage(tag: string | null): string | null {
  if (tag === null) return null;
  const language = canonicalLanguage(tag);
  if (!language) throw new InvalidInput('defaultLanguage', 'must be a tag such as en, zh-Hant or pt-BR', tag);
  return language;
}

/** The service's own topics are refused: their consumers would take notifications for messages of their own. */
function requireTopic(text: string | null, { config: { projectId, topics } }: Pick<Operator, 'config'>): string | null {
  const name = text === null ? null : text.trim();
  if (name !== null && !isTopicName(name)) {
    const complaint =
      'must be the full name of a topic, projects/PROJECT/topics/TOPIC, by the id of its project, of 6 to 30 characters';
    throw new InvalidInput('notifyTopic', complaint, name);
  }
  if (Object.values(topics).some((own) => name === `projects/${projectId}/topics/${own}`)) {
    throw new InvalidInput('notifyTopic', "must not be a topic of the service's own", name ?? '');
  }
  return name;
}

function requireCustomerFields(fields: readonly string[]): string[] {
  const unknown = fields.filter((field) => !REQUIRABLE_FIELDS.includes(field));
  if (unknown.length > 0) {
    const complaint = `names no customer field: ${unknown.join(', ')}. The fields are ${REQUIRABLE_FIELDS.join(', ')}`;
    throw new InvalidInput('required', complaint);
  }
  return [...new Set(fields)];
}

/** A tenant's id from a GUID in any case, with or without blanks around it. @throws OperatorError */
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
