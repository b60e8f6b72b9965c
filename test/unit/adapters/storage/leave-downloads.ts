/** Leaves downloads of several sizes at several places: an error that nobody handles would end the process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { download } from '../../../../shared/adapters/storage/download';
import { withIdleTimeout } from '../../../../shared/adapters/storage/idle-timeout';
import { systemClock } from '../../../../shared/platform/clock';

async function leaveDownloads(url: URL): Promise<void> {
  let left = 0;
  for (const size of [10, 5_000, 60_000, 70_000, 140_000, 500_000, 3_000_000])
    for (const waitMs of [0, 30])
      for (const reads of [1, 2, 3]) {
        const leaving = new AbortController();
        const sized = new URL(`/${size}`, url);
        const bytes = download({ url: sized, headers: {}, offset: 0 }, systemClock, leaving.signal);
        const pieces = withIdleTimeout(bytes, 30_000, systemClock);
        for (let read = 0; read < reads; read += 1) await pieces.next();
        await wait(waitMs);
        await pieces.return(undefined);
        leaving.abort();
        await wait(5);
        left += 1;
      }
  process.stdout.write(`left ${left} downloads\n`);
}

const server = createServer(({ url = '' }, response) => {
  const size = Number(url.slice(1));
  response.writeHead(200, { 'content-length': size });
  response.end(Buffer.alloc(size));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  void leaveDownloads(new URL(`http://127.0.0.1:${port}`)).then(() => {
    server.closeAllConnections();
    server.close();
  });
});
