/** Creates the tenants of a list. */
import { createHash } from 'node:crypto';
import type { Operator } from '../operator';
import { OperatorError } from '../operator-error';
import type { TenantOptions } from '../tenants';
import { ensureTenant } from '../tenants';

/** A line of the list: a tenant, or why it is none. */
export type TenantLine = { readonly line: number } & (
  { readonly options: TenantOptions } | { readonly problem: string }
);

/** What became of a line. */
export interface LineAnswer {
  readonly line: number;
  /** `present`: it was there already, as the line says. */
  readonly outcome: 'created' | 'present' | 'refused';
  readonly tenantId: string | null;
  /** Why it is refused; null: it is not. */
  readonly reason: string | null;
}

/**
 * Creates the tenants of a list, one after the other, and yields an answer for each, as `createLine` does.
 * @throws OperatorError at the end, when lines were refused
 */
export async function* createTenants(lines: AsyncIterable<TenantLine>, operator: Operator): AsyncGenerator<LineAnswer> {
  let refused = 0;
  let total = 0;
  for await (const line of lines) {
    const answer = await createLine(line, operator);
    if (answer.outcome === 'refused') refused += 1;
    total += 1;
    yield answer;
  }
  if (refused > 0)
    throw new OperatorError(`Lines refused: ${refused} of ${total}. Mend them, and run the command again.`);
}

/**
 * Creates the tenant of a line, or says why not. A line without an id gets one that follows from its organization and
 * display name, so that a repeat of the list finds what it has created.
 */
export async function createLine(line: TenantLine, operator: Operator): Promise<LineAnswer> {
  try {
    if ('problem' in line) throw new OperatorError(line.problem);
    const { tenant, isNew } = await ensureTenant(withId(line.options), operator);
    return { line: line.line, outcome: isNew ? 'created' : 'present', tenantId: tenant.tenantId, reason: null };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { line: line.line, outcome: 'refused', tenantId: null, reason: error.message };
  }
}

function withId(options: TenantOptions): TenantOptions & { organization: string } {
  const { id, organization, displayName } = options;
  if (organization === undefined) throw new OperatorError('organizationId is missing.');
  if (id !== undefined) return { ...options, organization };
  if (!displayName) throw new OperatorError('tenantId or displayName is needed, so that a repeat finds the tenant.');
  return { ...options, organization, id: idFor(organization.trim(), displayName.trim()) };
}

/** A GUID (version 8) that is always the same. */
function idFor(organization: string, displayName: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([organization, displayName]))
    .digest('hex');
  const digits = `${hash.slice(0, 12)}8${hash.slice(13, 16)}8${hash.slice(17, 32)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
