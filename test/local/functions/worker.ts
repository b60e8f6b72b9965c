/**
 * The process of one version of the functions, which are bundled with this file (`functions-bundle.ts`) and have
 * registered before it runs. It is a worker of node:cluster: the stack has the ports, and each version shares them.
 */
import type { Server, ServerResponse } from 'node:http';
import { storeLast } from '../../../shared/runtime';
import { serveFunctions } from './served-functions';
import type { FromWorker, ToWorker } from './worker-messages';

/** How soon a connection is closed whose last request is answered, at most. */
const CLOSE_IDLE_EVERY_MS = 50;

const servers: Server[] = [];

/**
 * Each connection ends with its next answer, so that whoever sends one request after another has none open when the
 * next version is served: a request on a connection that is just being closed would be refused.
 */
let closesConnections = false;

// A terminal sends its signals to all processes. The stack decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (message: ToWorker) => {
  if (message === 'end') void end();
  else if (message === 'closeConnections') closesConnections = true;
  else void serve(message.serve);
});
tell('loaded');

async function serve(ports: Parameters<typeof serveFunctions>[0]): Promise<void> {
  try {
    await serveFunctions(ports, servers);
    for (const server of servers) server.prependListener('request', (_, response) => announceClose(response));
    tell('serving');
  } catch (error) {
    tell({ failed: (error as Error).message });
  }
}

function announceClose(response: ServerResponse): void {
  if (closesConnections) response.shouldKeepAlive = false;
}

/** New requests go to another version. What has begun is answered. */
async function end(): Promise<void> {
  const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, CLOSE_IDLE_EVERY_MS);
  await closed;
  await storeLast();
  process.exit(0);
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
