import type { Server } from 'node:http';
import { storeLast } from '../../../shared/runtime';
import { close } from '../ports';
import type { Functions } from './served-functions';
import { LOCAL_FUNCTIONS, serveFunctions } from './served-functions';

/** Loads the functions into this process, as they are now. The environment must be set before. */
export async function loadFunctions(): Promise<Functions> {
  // They register themselves under their folder's name.
  await Promise.all(LOCAL_FUNCTIONS.map((name) => import(`../../../functions/${name}/index`)));
  const servers: Server[] = [];
  return {
    serve: (ports) => serveFunctions(ports, servers),
    storeLast,
    stop: async () => {
      await Promise.all(servers.splice(0).map(close));
    },
  };
}
