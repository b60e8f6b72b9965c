import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTransferScheduler } from '../../../../shared/adapters/scheduler/cloud-scheduler';
import { readProjectConfig } from '../../../../shared/config';
import { recurringJobId } from '../../../../shared/domain/transfer';
import { systemClock } from '../../../../shared/platform/clock';
import { TENANT_ID } from '../../support/tenant';

const before = process.env.GOOGLE_APPLICATION_CREDENTIALS;
const folder = mkdtempSync(join(tmpdir(), 'credentials-test-'));
afterAll(() => {
  if (before === undefined) delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
  else process.env.GOOGLE_APPLICATION_CREDENTIALS = before;
  rmSync(folder, { recursive: true });
});

it('a failure to find credentials at the start of an instance does not stay until its end', async () => {
  const file = join(folder, 'account.json');
  process.env.GOOGLE_APPLICATION_CREDENTIALS = file;
  const scheduler = connectTransferScheduler(readProjectConfig('p'), systemClock);
  const remove = () => scheduler.remove(recurringJobId('daily', TENANT_ID));
  await expect(remove()).rejects.toThrow(file); // it is not there
  writeFileSync(file, '{}');
  await expect(remove()).rejects.toThrow('client_email'); // it was looked for again
});
