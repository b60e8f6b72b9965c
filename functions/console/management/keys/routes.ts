import type { CallerRoute } from '../../../../shared/endpoint/route';
import type { KeeperOf } from '../authority';
import { createKeyRoute, revokeKeyRoute, rotateKeyRoute } from './change-keys';
import { keyListRoute, keyRequestsRoute } from './list-keys';

/** What can be done with keys: the specification's panel of tenants (Spec §5.2). */
export function keyRoutes(keeperOf: KeeperOf): readonly CallerRoute<never>[] {
  return [
    keyListRoute(keeperOf),
    keyRequestsRoute(keeperOf),
    createKeyRoute(keeperOf),
    rotateKeyRoute(keeperOf),
    revokeKeyRoute(keeperOf),
  ];
}
