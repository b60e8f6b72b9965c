import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { rawUrl } from '../../shared/http/raw-request';
import { createGateway } from '../local/gateway';
import { close, listen } from '../local/ports';

/** A function that says who it is, and what it got. */
function echo(name: string): Server {
  return createServer((request, response) => {
    const { method = '' } = request;
    void text(request).then((body) => response.end(`${name}: ${method} ${rawUrl(request)} ${body}`));
  });
}

const functions = new Map(['customers', 'ingestion'].map((name) => [name, echo(name)]));
const gateways: Server[] = [];

async function open(fallback?: string): Promise<string> {
  const gateway = createGateway(functions, fallback);
  gateways.push(gateway);
  return `http://127.0.0.1:${await listen(gateway, { host: '127.0.0.1', port: 0, field: 'test' })}`;
}

afterAll(() => Promise.all(gateways.map(close)));

test.each(['/customers', '/customers/a%2Fb//c?d=%20e', '/customers?x=1'])(
  'hands %s to the function untouched, with its body',
  async (path) => {
    const response = await fetch((await open('ingestion')) + path, { method: 'POST', body: 'hello' });
    expect(await response.text()).toBe(`customers: POST ${path} hello`);
  },
);

test.each(['/', '/customersx/a', '/%63ustomers', '//customers', '/favicon.ico'])(
  'hands %s, which names no function, to the one that a deployment has answer it',
  async (path) => {
    const response = await fetch((await open('ingestion')) + path);
    expect(await response.text()).toBe(`ingestion: GET ${path} `);
    expect((await fetch((await open()) + path)).status).toBe(404);
  },
);
