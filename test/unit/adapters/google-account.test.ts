import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleAccount } from '../../../shared/adapters/google-account';

const folder = mkdtempSync(join(tmpdir(), 'google-account-test-'));
const { GOOGLE_APPLICATION_CREDENTIALS: before } = process.env;
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env.GOOGLE_APPLICATION_CREDENTIALS;
  else process.env.GOOGLE_APPLICATION_CREDENTIALS = before;
});

it('names the service account of the application default credentials, without asking anybody (R-202)', async () => {
  const file = join(folder, 'key.json');
  const email = 'operator@some-project.iam.gserviceaccount.com';
  writeFileSync(file, JSON.stringify({ type: 'service_account', client_email: email, private_key: 'unused' }));
  process.env.GOOGLE_APPLICATION_CREDENTIALS = file;
  const account = new GoogleAccount('command line');
  expect([await account.name(), account.door]).toEqual([email, 'command line']);
});

it.each([
  ['are not there', () => join(folder, 'nothing.json')],
  [
    'cannot be read',
    () => {
      const file = join(folder, 'broken.json');
      writeFileSync(file, '{"type":');
      return file;
    },
  ],
])(
  'says that the address could not be looked up where the credentials %s: nobody waits for it (R-202)',
  async (_, fileOf) => {
    process.env.GOOGLE_APPLICATION_CREDENTIALS = fileOf();
    expect(await new GoogleAccount('command line').name()).toBe(
      'an account whose e-mail address could not be looked up',
    );
  },
);
