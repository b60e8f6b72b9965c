import { createServer } from 'node:net';
import { once } from 'node:events';
import { requireFreePort } from '../local/ports';

const HOST = '127.0.0.1';

async function takenPort() {
  const server = createServer();
  await once(server.listen(0, HOST), 'listening');
  const { port } = server.address() as { port: number };
  return { server, request: { host: HOST, port, field: 'firestore.port' } };
}

it('refuses a port that is taken, at once or after the time that it may be', async () => {
  const { server, request } = await takenPort();
  await expect(requireFreePort(request)).rejects.toThrow(`Port ${request.port} (firestore.port) is taken`);
  await expect(requireFreePort({ ...request, waitMs: 50 })).rejects.toThrow('is taken');
  server.close();
});

it('takes a port that becomes free meanwhile', async () => {
  const { server, request } = await takenPort();
  const free = requireFreePort({ ...request, waitMs: 60_000 });
  setTimeout(() => server.close(), 100);
  expect(await free).toBe(request.port);
});

it('names no free port twice, because a server may not listen on the first one yet', async () => {
  const ports = new Set<number>();
  for (let count = 0; count < 500; count += 1) ports.add(await requireFreePort({ host: HOST, port: 0, field: 'any' }));
  expect(ports.size).toBe(500);
});
