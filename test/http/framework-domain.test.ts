/** functions-framework runs a call in a `domain`, whose hooks are dear (shared/http/framework-domain). */
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { leaveFrameworkDomain } from '../../shared/http/framework-domain';

/** Whether what a function of this name begins, after an await, is inside a domain. */
async function isInDomain(name: string): Promise<string> {
  const server = getTestServer(name).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).text();
  } finally {
    server.close();
  }
}

const domainOf = (): unknown => (process as { domain?: unknown }).domain ?? null;

http('stays-in-domain', async (_request, response) => {
  await turn();
  response.send(String(domainOf() !== null));
});

http('leaves-domain', async (_request, response) => {
  leaveFrameworkDomain();
  leaveFrameworkDomain();
  await turn();
  response.send(String(domainOf() !== null));
});

it('is needed: the framework does run functions in a domain', async () => {
  expect(await isInDomain('stays-in-domain')).toBe('true');
});

it('leaves it for all that the call begins', async () => {
  expect(await isInDomain('leaves-domain')).toBe('false');
});
