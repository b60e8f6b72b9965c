import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rawUrl } from '../../../../shared/http/raw-request';

const run = promisify(execFile);

/**
 * With Google's own library and a stand-in for the metadata server, which gives a function the token of its account. In
 * a process of its own: the library loads ES modules, which jest does not run.
 */
describe('tokenCredentials', () => {
  let server: Server;
  const answers: number[] = [];
  /** Without the credentials of a person. Google's library and gcloud may leave files there. */
  const home = mkdtempSync(join(tmpdir(), 'token-test-'));

  beforeAll(async () => {
    server = createServer((request, response) => {
      response.setHeader('metadata-flavor', 'Google');
      if (!rawUrl(request).includes('/token')) {
        response.end('p');
        return;
      }
      response.statusCode = answers.length === 0 ? 403 : 200;
      answers.push(response.statusCode);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: 'the-token', expires_in: 3600, token_type: 'Bearer' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('fail a call while there is no token, give it to the next, and ask for it once', async () => {
    const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', join(__dirname, 'token-worker.ts')], {
      env: {
        PATH: process.env.PATH,
        GCE_METADATA_HOST: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        METADATA_SERVER_DETECTION: 'assume-present',
        HOME: home,
      },
    });
    const sent = JSON.parse(stdout) as string[];
    if (!sent.includes('Bearer the-token')) throw new Error(stderr);
    expect(sent[0]).toBe('failed');
    expect(sent.slice(-2)).toEqual(['Bearer the-token', 'Bearer the-token']);
    expect(answers[0]).toBe(403);
    expect(answers.at(-1)).toBe(200);
    // Once a call had the token, nobody asked for it again.
    expect(answers.length).toBeLessThanOrEqual(sent.length - 1);
  });
});
