/** Stands between a client and the service, and lets requests go wrong as networks and front ends do. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { rawUrl } from '../../../shared/http/raw-request';
import { systemClock } from '../../../shared/platform/clock';
import { conformanceProblems } from '../../support/conformance/conformance';
import { exchange } from '../../support/http-exchange';

/** `cutBefore`: the service never sees the request; `cutAfter`: its answer is lost; `refusedAfter`: a gateway's 504. */
export const HTTP_FAULTS = ['cutBefore', 'cutAfter', '429', '500', '503', 'refusedAfter', 'slow'] as const;
export type HttpFault = (typeof HTTP_FAULTS)[number];

const SLOW_MS = 200;

export interface FaultyHttp {
  readonly baseUrl: string;
  readonly requests: number;
  /** Whatever is not as in `openapi.json`, of what the client sent or the service answered. */
  readonly problems: readonly string[];
  /** What goes wrong with the next request; undefined: nothing. */
  faultOf: () => HttpFault | undefined;
  stop(): Promise<void>;
}

/** @param portOf the port of a function of the service */
export async function startFaultyHttp(portOf: (functionName: string) => number): Promise<FaultyHttp> {
  const problems: string[] = [];
  const proxy = {
    baseUrl: '',
    requests: 0,
    problems,
    faultOf: (): HttpFault | undefined => undefined,
    stop: () => stop(server),
  };
  const server = createServer((request, response) => {
    proxy.requests += 1;
    handle(request, response, proxy.faultOf()).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse, fault: HttpFault | undefined) {
    const body = await buffer(request);
    if (fault === 'slow') await systemClock.sleep(SLOW_MS);
    if (fault === 'cutBefore') return void request.socket.destroy();
    if (fault === '429' || fault === '500' || fault === '503') {
      const headers = fault === '500' ? {} : { 'Retry-After': '1' };
      return void response.writeHead(Number(fault), headers).end('<html>Not now.</html>');
    }
    const { method = '', headers: sentHeaders } = request;
    const url = rawUrl(request); // the service's own servers, in the same process, take it from every request
    const functionName = url.split(/[/?]/)[1] ?? '';
    const sent = { method, path: url, headers: sentHeaders, ...(body.length > 0 && { body }) };
    const received = await exchange({ port: portOf(functionName), ...sent });
    const { status, headers, text } = received;
    const exchanged = { functionName, method, path: url, sentHeaders, body, status, headers, text };
    problems.push(...conformanceProblems({ ...exchanged, body: body.length > 0 ? body : undefined }));
    if (fault === 'cutAfter') return void request.socket.destroy();
    if (fault === 'refusedAfter') return void response.writeHead(504).end();
    response.writeHead(status, headers).end(text);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
