/** One address for the functions of a service, whose requests go wrong as those over a bad network do. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { rawUrl } from '../../../shared/http/raw-request';
import type { FunctionName, TestService } from '../../support/test-service';
import { HTTP_FUNCTIONS } from '../../support/test-service';

/** `lost`: the service has answered, and the connection breaks before the caller knows. */
export type GatewayFault = 'reset' | 'lost' | 429 | 500 | 503;

export interface FaultyGateway {
  readonly url: string;
  /** `METHOD /path` of all requests, in the order in which they came. */
  readonly requests: string[];
  /** What goes wrong with a request; `index`: how many came before it. */
  faultOf: (index: number) => GatewayFault | undefined;
  stop(): Promise<void>;
}

export async function startGateway(service: Pick<TestService, 'portOf'>): Promise<FaultyGateway> {
  const server = createServer((incoming, outgoing) => {
    const index = gateway.requests.push(`${incoming.method ?? ''} ${rawUrl(incoming)}`) - 1;
    void answer(incoming, outgoing, gateway.faultOf(index)).catch(() => outgoing.destroy());
  });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse, fault: GatewayFault | undefined) => {
    const body = await buffer(incoming);
    if (fault === 'reset') return void outgoing.destroy();
    if (typeof fault === 'number') return void outgoing.writeHead(fault, { 'retry-after': '0' }).end();
    const answered = await forward(incoming, body, service.portOf(functionOf(rawUrl(incoming))));
    if (fault === 'lost') return void outgoing.destroy();
    outgoing.writeHead(answered.status, answered.headers).end(answered.body);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway: FaultyGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    faultOf: () => undefined,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return gateway;
}

function functionOf(path: string): FunctionName {
  return HTTP_FUNCTIONS.find((name) => path.startsWith(`/${name}`)) ?? 'customers';
}

function forward(incoming: IncomingMessage, body: Buffer, port: number) {
  const { method, headers } = incoming;
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    const out = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: rawUrl(incoming),
        headers: { ...headers, 'content-length': body.length },
      },
      (response) => {
        void buffer(response).then((answered) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered });
        }, reject);
      },
    );
    out.on('error', reject);
    out.end(body);
  });
}
