/** Finds tenants by the beginning of their id or display name, or by their organization. */
import { fromTenantDocument } from '../../auth/tenant-documents';
import { idOf, tenantPath, TENANTS, TENANT_NAMES } from '../../documents/paths';
import { MAX_NAME_LENGTH } from '../../domain/limits';
import type { Tenant } from '../../domain/tenant';
import { isPresent } from '../../domain/values/text';
import { MAX_FOUND_TENANTS } from '../../limits/tenants';
import { InvalidInput } from '../operator-error';
import type { Operator } from '../operator';
import { nameEntriesFrom } from './names';

/**
 * The tenants whose id or display name begins with a text, in any case, and those of the organization with this name:
 * first those by their ids, then by their names, then the others. It looks through no other tenant. MAX_FOUND_TENANTS
 * at most; a notice says when there are more. @throws InvalidInput
 */
export async function findTenants(search: string, operator: Operator): Promise<Tenant[]> {
  if (!isPresent(search) || search.length > MAX_NAME_LENGTH || !search.isWellFormed()) {
    throw new InvalidInput('search', `must be a text of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const searches = [idsFrom(search, operator), idsByName(search, operator), idsOf(search, operator)];
  const found = [...new Set((await Promise.all(searches)).flat())];
  if (found.length > MAX_FOUND_TENANTS) {
    operator.notice(`More than ${MAX_FOUND_TENANTS} tenants; the first are shown. Search for a longer text.`);
  }
  const paths = found.slice(0, MAX_FOUND_TENANTS).map(tenantPath);
  const stored = new Map((await operator.store.getAll(paths, operator.deadline())).map((one) => [one.path, one]));
  return paths.flatMap((path) => {
    const document = stored.get(path);
    return document ? [fromTenantDocument(idOf(path), document.data)] : []; // erased meanwhile
  });
}

/** The ids that begin with a text; one more than are shown tells that there are more. */
async function idsFrom(search: string, { store, deadline }: Operator): Promise<string[]> {
  const beginning = tenantPath(search.trim().toLowerCase());
  if (!/^tenants\/[0-9a-f-]{1,36}$/.test(beginning)) return [];
  const whole = await store.get(beginning, deadline()); // the ids after a text are others
  const page = { limit: MAX_FOUND_TENANTS + 1, after: beginning };
  const later = await store.listRefs(TENANTS, page, deadline());
  return [...(whole ? [whole] : []), ...later].map(({ path }) => path).filter((path) => path.startsWith(beginning)).map(idOf); // prettier-ignore
}

async function idsByName(search: string, { store, deadline }: Operator): Promise<string[]> {
  const beginning = nameEntriesFrom(search);
  const page = { limit: MAX_FOUND_TENANTS + 1, after: beginning };
  const entries = await store.list(TENANT_NAMES, page, deadline());
  return entries.filter(({ path }) => path.startsWith(beginning)).map(({ data }) => data.tenantId as string);
}

/** The ids of the tenants of an organization. */
async function idsOf(organization: string, { store, deadline }: Operator): Promise<string[]> {
  const page = { limit: MAX_FOUND_TENANTS + 1 };
  const found = await store.findWhere(TENANTS, 'organizationId', organization.trim(), page, deadline());
  return found.map(({ path }) => idOf(path));
}
