import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOperatorConsole } from '../../functions/admin/console/operator-console';
import type { Operator } from '../../shared/operations/operator';
import { CONSOLE } from './console-files';
import type { ShownSession } from './console-visitor';
import { cookieOf } from './console-visitor';
import type { Received } from './http-exchange';
import { exchange } from './http-exchange';
import { operatorOn } from './memory-operator';
import type { TestService } from './test-service';

/** A browser with the operators' console of a `TestService` open. */
export class OperatorVisitor {
  private headers: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  /** Starts the console, and opens its printed address. @param toOperator gives it more than the store */
  static async opened(
    service: TestService,
    toOperator: (operator: ReturnType<typeof operatorOn>) => Operator = (operator) => operator,
  ): Promise<OperatorVisitor> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const operator = toOperator(operatorOn(service.store, service));
    const { handle, openPath } = createOperatorConsole(Object.assign({ ...CONSOLE, operator }, service), port);
    server.on('request', (request, response) => void handle(request, response));
    const visitor = new OperatorVisitor(server, port);
    const cookie = cookieOf(await visitor.request('GET', openPath)) ?? '';
    visitor.headers = { cookie };
    const { json } = await visitor.request('GET', '/console/session');
    const { csrfToken } = (json as { data: ShownSession }).data;
    visitor.headers = { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' };
    return visitor;
  }

  /** Sends what the page would send. @param headers take the place of the page's */
  request(
    method: string,
    path: string,
    {
      json,
      headers: given = {},
    }: { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Received> {
    const host = `127.0.0.1:${this.port}`;
    const headers = { host, 'content-type': 'application/json', ...this.headers, ...given };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    return exchange({ port: this.port, method, path, headers, ...body });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
