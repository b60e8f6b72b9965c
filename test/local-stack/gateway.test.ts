import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { rawUrl } from '../../shared/http/raw-request';
import { createGateway } from '../local/gateway';
import { close, listen } from '../local/ports';

let gateway: Server;
let baseUrl: string;

beforeAll(async () => {
  const echo = createServer((request, response) => {
    void text(request).then((body) => response.end(`${request.method ?? ''} ${rawUrl(request)} ${body}`));
  });
  gateway = createGateway(new Map([['customers', echo]]));
  baseUrl = `http://127.0.0.1:${await listen(gateway, { host: '127.0.0.1', port: 0, field: 'test' })}`;
});

afterAll(() => close(gateway));

test.each(['/customers', '/customers/a%2Fb//c?d=%20e', '/customers?x=1'])(
  'hands %s to the function untouched, with its body',
  async (path) => {
    const response = await fetch(baseUrl + path, { method: 'POST', body: 'hello' });
    expect(await response.text()).toBe(`POST ${path} hello`);
  },
);

test.each(['/', '/customersx/a', '/%63ustomers', '//customers', '/favicon.ico'])(
  'answers %s, which names no function, in the shape of the API',
  async (path) => {
    const response = await fetch(baseUrl + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ success: false, message: 'Not found.', data: {} });
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('X-RateLimit-Limit')).toBe('100');
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('100');
    expect(Number(response.headers.get('X-RateLimit-Reset')) % 60).toBe(0);
  },
);
