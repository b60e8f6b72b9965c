/** What a smoke test calls its own. A later one finds by these names what an earlier one has left. */
import type { Config } from '../../shared/config';
import type { Tenant } from '../../shared/domain/tenant';
import type { Operator } from '../../shared/operations/operator';
import { organizationOf } from '../demo/chapters/create-tenants';
import type { TenantName } from '../demo/fields';

/** With what the names of all smoke tests begin. */
export const SMOKE = 'smoke-';

const TENANTS: readonly TenantName[] = ['aurora', 'borealis'];

/** `smoke-20261126t141655z-a1b2c3` */
const NAME = /^smoke-(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)z-[0-9a-f]{6}/;

/** The name of a smoke test that begins now. */
export function newName({ clock, random }: Pick<Operator, 'clock' | 'random'>): string {
  const time = new Date(clock.nowMs()).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${SMOKE}${time.toLowerCase()}-${random.bytes(3).toString('hex')}`;
}

/** The smoke test that has made a tenant, and when it began; undefined: the tenant is none of a smoke test. */
export function makerOf(
  tenant: Pick<Tenant, 'organizationId' | 'displayName'>,
): { readonly name: string; readonly beganMs: number } | undefined {
  const { organizationId, displayName } = tenant;
  const name = NAME.exec(organizationId)?.[0];
  if (name === undefined || displayName !== organizationId) return undefined;
  if (!organizationsOf(name).includes(organizationId)) return undefined;
  return { name, beganMs: Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z')) };
}

/** The organizations of a smoke test, one for each of its tenants. */
export function organizationsOf(name: string): string[] {
  return TENANTS.map((tenant) => organizationOf(tenant, { name }));
}

/** The bucket of a smoke test: a name that no other project has. */
export function bucketNameOf(name: string, { projectId }: Pick<Config, 'projectId'>): string {
  return `${projectId}-${name}`;
}
