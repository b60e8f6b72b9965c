import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawUrl } from '../../../shared/http/raw-request';

/** An HTTP server that hands every request on to another one after a while. */
export interface HeldBackHttp {
  readonly address: string;
  stop(): void;
}

/** @param target `http://host:port`. @param holdMs how long the next request is held back */
export async function holdBackHttp(target: string, holdMs: () => number): Promise<HeldBackHttp> {
  const server = createServer((request, response) => {
    void sleep(holdMs()).then(() => {
      const { method, headers } = request;
      const handedOn = sendRequest(new URL(rawUrl(request), target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      handedOn.on('error', (error) => response.destroy(error));
      response.on('close', () => handedOn.destroy());
      request.pipe(handedOn);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
