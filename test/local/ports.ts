import { randomInt } from 'node:crypto';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { systemClock } from '../../shared/platform/clock';
import { StackError } from './stack-error';

/**
 * Below the ports that operating systems give to outgoing connections, so that none of those takes the port meanwhile.
 */
const FREE_PORTS = { from: 20_000, to: 32_000 };
const FREE_PORT_ATTEMPTS = 50;

/** The free ports that this process has named. None is named twice: the server of the first may not listen yet. */
const namedPorts = new Set<number>();

/** Where a server listens, and the field of the configuration that says so. */
export interface PortRequest {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** For the error message, such as `firestore.port`. */
  readonly field: string;
  /** How long it may still be taken; absent: it must be free now. */
  readonly waitMs?: number;
}

/**
 * The requested port, or a free one for 0, for a server that another process will open.
 * @throws StackError when the requested port is taken or the host is not an address of this machine.
 */
export async function requireFreePort(request: PortRequest): Promise<number> {
  if (request.port !== 0) {
    const { host, port, waitMs = 0 } = request;
    const until = systemClock.nowMs() + waitMs;
    for (;;) {
      const reason = await tryToListen(host, port);
      if (!reason) return port;
      if (reason.code !== 'EADDRINUSE' || systemClock.nowMs() >= until) throw portError(request, reason);
      await systemClock.sleep(20);
    }
  }
  let reason: NodeJS.ErrnoException | undefined;
  for (let attempt = 0; attempt < FREE_PORT_ATTEMPTS; attempt++) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
    if (namedPorts.has(port)) continue;
    namedPorts.add(port);
    reason = await tryToListen(request.host, port);
    if (!reason) return port;
  }
  throw portError(request, reason);
}

/**
 * Opens an HTTP server on the requested port and returns the real one.
 * @throws StackError as `requireFreePort`.
 */
export function listen(server: Server, request: PortRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (reason) => reject(portError(request, reason)));
    server.listen(request.port, request.host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : request.port);
    });
  });
}

/** Closes a server and its open connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The sentence for a port that another process has. */
export function portTakenError({ port, field }: PortRequest): StackError {
  return new StackError(
    `Port ${port} (${field}) is taken: end the process that uses it, or set another port in the emulator configuration (0: any free port).`,
  );
}

function portError(request: PortRequest, reason: NodeJS.ErrnoException | undefined): StackError {
  if (reason?.code === 'EADDRINUSE' && request.port !== 0) return portTakenError(request);
  const { host, port, field } = request;
  return new StackError(
    `No server can listen on ${host}:${port} (${field}): ${reason?.message ?? 'no port is free'}. Set another host or port in the emulator configuration.`,
  );
}

/** Why nobody can listen there, or undefined if it works. */
function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}
