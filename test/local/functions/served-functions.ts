/** The functions of the service in one process, each in the server that functions-framework gives it. */
import { getTestServer } from '@google-cloud/functions-framework/testing';
import type { Server } from 'node:http';
import { createGateway } from '../gateway';
import { listen } from '../ports';
import { EVENT_FUNCTIONS } from '../pubsub-topology';

/** The functions of the public API, and its reference. */
const HTTP_FUNCTIONS: readonly string[] = ['customers', 'products', 'orders', 'ingestion', 'usage', 'console', 'docs'];

export const LOCAL_FUNCTIONS: readonly string[] = [...HTTP_FUNCTIONS, ...EVENT_FUNCTIONS];

/** Where functions are reached. */
export interface FunctionPorts {
  readonly host: string;
  /** The base URL of the API. */
  readonly gateway: number;
  /** Where Pub/Sub pushes to. */
  readonly events: number;
}

/** The functions of a stack, loaded. */
export interface Functions {
  /** Resolves when they can be called. @throws StackError when a port is taken */
  serve(ports: FunctionPorts): Promise<void>;
  /** Stores what they have counted and not stored yet, before they are ended. */
  storeLast(): Promise<void>;
  /** Ends them; safe to repeat. */
  stop(): Promise<void>;
}

/**
 * Opens both ports for the functions that have registered in this process.
 * @param servers gets each server when it is open
 * @throws StackError when a port is taken
 */
export async function serveFunctions({ host, gateway, events }: FunctionPorts, servers: Server[]): Promise<void> {
  const open = async (server: Server, port: number, field: string) => {
    await listen(server, { host, port, field });
    servers.push(server);
  };
  await open(createGateway(serversOf(EVENT_FUNCTIONS)), events, 'event server');
  await open(createGateway(serversOf(HTTP_FUNCTIONS), 'ingestion'), gateway, 'gateway.port');
}

function serversOf(names: readonly string[]): ReadonlyMap<string, Server> {
  return new Map(names.map((name) => [name, getTestServer(name)]));
}
