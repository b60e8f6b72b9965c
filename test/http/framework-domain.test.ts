/** functions-framework runs a call in a `domain`, whose hooks are dear (shared/http/framework-domain). */
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import domain from 'node:domain';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { preventFrameworkDomains } from '../../shared/http/framework-domain';

/** What Node.js has as `create`, too: other tests of this process may have put something else there. */
const { createDomain } = domain as unknown as { createDomain: typeof domain.create };
beforeEach(() => (domain.create = createDomain));

/** What a function of this name answers. */
async function answerOf(name: string): Promise<{ readonly status: number; readonly text: string }> {
  const server = getTestServer(name).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { status, text } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
    );
    return { status, text };
  } finally {
    server.close();
  }
}

const domainOf = (): unknown => (process as { domain?: unknown }).domain ?? null;

http('tells-domain', async (_request, response) => {
  await turn();
  response.send(String(domainOf() !== null));
});

http('rejects', async () => {
  await turn();
  throw new Error('It rejects.');
});

it('is needed: the framework does run functions in a domain', async () => {
  expect((await answerOf('tells-domain')).text).toBe('true');
});

it('makes no domain, however often it is said', async () => {
  preventFrameworkDomains();
  preventFrameworkDomains();
  expect((await answerOf('tells-domain')).text).toBe('false');
});

it('leaves the framework what it does of a function that rejects', async () => {
  const error = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const before = await answerOf('rejects');
  preventFrameworkDomains();
  expect(await answerOf('rejects')).toEqual(before);
  expect(before.status).toBe(500);
  error.mockRestore();
});
