import { PERMISSIONS } from '../../../../shared/domain/api-key';
import type { CallerRoute } from '../../../../shared/endpoint/route';
import { MAX_KEY_BODY_BYTES } from '../../../../shared/limits/console';
import type { KeyOptions, RotationOptions } from '../../../../shared/operations/keys';
import { createKey, revokeKey, rotateKey } from '../../../../shared/operations/keys';
import type { KeyKeeper } from '../../../../shared/operations/operator';
import { InvalidInput } from '../../../../shared/operations/operator-error';
import type { KeeperOf } from '../authority';
import { BodyFields } from '../body-fields';
import { managementRoute } from '../management-route';

/** The organization is absent: the own one. */
type NewKeyInput = Omit<KeyOptions, 'organization'> & { readonly organization: string | undefined };

/** The route that creates a key. Its answer alone has the key itself; a repeat creates another one. */
export function createKeyRoute(keeperOf: KeeperOf): CallerRoute<never> {
  return managementRoute<NewKeyInput>({
    operationId: 'createKey',
    method: 'POST',
    path: '/keys',
    maxBodyBytes: MAX_KEY_BODY_BYTES,
    successMessage: 'Key created.',
    failureMessage: 'Failed to create the key.',
    tenantFrom: 'caller',
    read: async (request) => {
      const fields = new BodyFields(await request.body('object'), NEW_KEY_FIELDS);
      return {
        organization: fields.text('organization'),
        name: fields.text('name'),
        permissions: fields.words('permissions', PERMISSIONS),
        limit: fields.number('limit'),
        expires: fields.time('expires'),
      };
    },
    run: async (input, caller, call) => {
      const keeper = await keeperOf(caller, call);
      const notices: string[] = [];
      const options = { ...input, organization: input.organization ?? ownOrganization(keeper) };
      const key = await createKey(options, { ...keeper, notice: (message) => notices.push(message) });
      return { data: { key, notices } };
    },
  });
}

interface Rotation {
  readonly keyId: string;
  readonly options: RotationOptions;
}

/** The route that gives a key a successor. Its answer alone has the successor itself; a repeat makes another one. */
export function rotateKeyRoute(keeperOf: KeeperOf): CallerRoute<never> {
  return managementRoute<Rotation>({
    operationId: 'rotateKey',
    method: 'POST',
    path: '/keys/:keyId/rotate',
    maxBodyBytes: MAX_KEY_BODY_BYTES,
    successMessage: 'Key rotated.',
    failureMessage: 'Failed to rotate the key.',
    tenantFrom: 'caller',
    read: async (request) => {
      const fields = new BodyFields(await request.body('object'), ROTATION_FIELDS);
      const options = { until: fields.time('until'), expires: fields.time('expires') };
      return { keyId: request.param('keyId'), options };
    },
    run: async ({ keyId, options }, caller, call) => {
      const { replaces, ...key } = await rotateKey(keyId, options, await keeperOf(caller, call));
      return { data: { key, replaces } };
    },
  });
}

/** The route that revokes a key. A repeat changes nothing. */
export function revokeKeyRoute(keeperOf: KeeperOf): CallerRoute<never> {
  return managementRoute<string>({
    operationId: 'revokeKey',
    method: 'POST',
    path: '/keys/:keyId/revoke',
    successMessage: 'Key revoked.',
    failureMessage: 'Failed to revoke the key.',
    tenantFrom: 'caller',
    read: (request) => request.param('keyId'),
    run: async (keyId, caller, call) => ({ data: { key: await revokeKey(keyId, await keeperOf(caller, call)) } }),
  });
}

const NEW_KEY_FIELDS = ['organization', 'name', 'permissions', 'limit', 'expires'] as const;
const ROTATION_FIELDS = ['until', 'expires'] as const;

/** @throws InvalidInput for an operator, who has none */
function ownOrganization({ authority }: KeyKeeper): string {
  if (authority === 'operator') throw new InvalidInput('organization', 'must be given');
  return authority.organizationId;
}
