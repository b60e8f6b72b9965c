/**
 * The HTTP front of the functions: the first segment of the path names the function, which gets the request as it came.
 */
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { rawUrl } from '../../shared/http/raw-request';

/** The servers of functions by name. */
export type FunctionServers = ReadonlyMap<string, Server>;

/**
 * A server that hands each request to the function that its path names. What no function has goes to the fallback, as
 * the load balancer of a deployment does (terraform/load-balancer.tf), and is 404 without one.
 */
export function createGateway(functions: FunctionServers, fallback?: string): Server {
  const rest = fallback === undefined ? undefined : functions.get(fallback);
  return createServer((request, response) => {
    const functionName = /^\/([^/?]+)/.exec(rawUrl(request))?.[1] ?? '';
    const server = functions.get(functionName) ?? rest;
    if (server) server.emit('request', request, response);
    else response.writeHead(404).end();
  });
}
