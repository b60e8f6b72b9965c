/**
 * The HTTP front of the functions: the first segment of the path names the function, which gets the request as it came.
 * All functions run in this process, each in the server that functions-framework gives it.
 */
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { systemClock } from '../../shared/clock';
import { systemRandom } from '../../shared/random';
import { rawUrl } from '../../shared/http/raw-request';

/** The servers of functions by name. */
export type FunctionServers = ReadonlyMap<string, Server>;

/** Loads functions that register themselves under their folder's name; the environment must be set before. */
export async function loadFunctions(names: readonly string[]): Promise<FunctionServers> {
  await Promise.all(names.map((name) => import(`../../functions/${name}/index`)));
  return new Map(names.map((name) => [name, getTestServer(name)]));
}

/** A server that hands each request to the function that its path names, and answers 404 for any other path. */
export function createGateway(functions: FunctionServers): Server {
  return createServer((request, response) => {
    const functionName = /^\/([^/?]+)/.exec(rawUrl(request))?.[1] ?? '';
    const server = functions.get(functionName);
    if (server) server.emit('request', request, response);
    else sendNotFound(response);
  });
}

/** In the shape and with the headers that every answer of the API has; nobody is known here, so nothing is counted. */
function sendNotFound(response: ServerResponse): void {
  const nextMinute = (Math.floor(systemClock.nowMs() / 60_000) + 1) * 60;
  response
    .writeHead(404, {
      'Content-Type': 'application/json',
      'X-Trace-Id': systemRandom.bytes(16).toString('hex'),
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '100',
      'X-RateLimit-Reset': String(nextMinute),
    })
    .end(JSON.stringify({ success: false, message: 'Not found.', data: {} }));
}
