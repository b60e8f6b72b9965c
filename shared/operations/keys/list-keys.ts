/** Lists of keys: of an organization, or of all for an operator. */
import { fromKeyDocument } from '../../auth/tenant-documents';
import type { Page } from '../../documents/document-store';
import { documentsAfter } from '../../documents/pages';
import { API_KEYS, idOf } from '../../documents/paths';
import { isOwn } from '../../domain/key-authority';
import { LIST_PAGE_DOCUMENTS } from '../../limits/records';
import { requireOrganization } from '../inputs';
import type { KeyKeeper } from '../operator';
import { InvalidInput, NotAllowed } from '../operator-error';
import type { ShownKey } from './shown-key';
import { findKey, toShownKey } from './shown-key';

export interface KeyListOptions {
  /** Absent: the own one; an operator's are all. */
  readonly organization?: string | undefined;
  /** The public name of a key of this list: only those behind it. */
  readonly after?: string | undefined;
  /** Keys that are read at once; absent: LIST_PAGE_DOCUMENTS. */
  readonly atOnce?: number;
}

/** The hint of what is said about an organization whose name may be misspelt. */
export const TENANTS_SHOW = 'tenants list shows the organization of each tenant.';

/**
 * Keys, invalid ones too, in an order that stays. Whoever has signed in sees those of the own organization, without the
 * permission that changes them. Gives a notice when an organization has none.
 * @throws OperatorError
 */
export async function* listKeys(options: KeyListOptions, keeper: KeyKeeper): AsyncGenerator<ShownKey> {
  const { after, atOnce = LIST_PAGE_DOCUMENTS } = options;
  const { store, deadline } = keeper;
  const organizationId = requireReadable(options.organization, keeper);
  const from = after === undefined ? undefined : await requirePosition(after, organizationId, keeper);
  const list = (page: Page) =>
    organizationId === undefined
      ? store.list(API_KEYS, page, deadline())
      : store.findWhere(API_KEYS, 'organizationId', organizationId, page, deadline());
  let isEmpty = from === undefined;
  for await (const { path, data } of documentsAfter(from, atOnce, list)) {
    isEmpty = false;
    yield toShownKey(fromKeyDocument(idOf(path), data));
  }
  if (isEmpty && organizationId !== undefined) {
    keeper.notice(`The organization ${organizationId} has no keys.`, TENANTS_SHOW);
  }
}

/**
 * The organization whose keys may be seen.
 * @param organization absent: the own one
 * @returns undefined: an operator's are all
 * @throws NotAllowed for another one than the own
 */
export function requireReadable(organization: string | undefined, { authority }: KeyKeeper): string | undefined {
  if (organization === undefined) return authority === 'operator' ? undefined : authority.organizationId;
  const organizationId = requireOrganization(organization);
  if (isOwn(authority, organizationId)) return organizationId;
  throw new NotAllowed('Only the keys of the own organization are shown.');
}

/** The path of a key, which nobody sees: its end is a hash. @throws InvalidInput for a key of another list */
async function requirePosition(keyId: string, organizationId: string | undefined, keeper: KeyKeeper): Promise<string> {
  const found = await findKey(keyId, keeper);
  const isOfList = found && (organizationId === undefined || found.key.organizationId === organizationId);
  if (isOfList) return found.document.path;
  throw new InvalidInput('after', 'must be a key of this list', keyId);
}
