/** The local stack's configuration file: what is wrong with it is said in one sentence that names the field. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../shared/config';
import { DEFAULT_EMULATOR_CONFIG, readEmulatorConfig, toLocalConfig } from '../../shared/emulator-config';

const folder = mkdtempSync(join(tmpdir(), 'emulator-config-test-'));
const file = join(folder, 'emulator.config.json');
afterAll(() => rmSync(folder, { recursive: true }));

function read(content: unknown) {
  writeFileSync(file, JSON.stringify(content));
  return readEmulatorConfig(file);
}

it('takes what the file gives, the defaults for the rest, and the root as relative to the file', () => {
  const { storage, ...others } = DEFAULT_EMULATOR_CONFIG;
  const given = { projectId: 'other-project', gateway: { port: 9080 }, pubsub: {}, storage: { root: 'buckets' } };
  expect(read(given)).toEqual({
    ...others,
    projectId: 'other-project',
    gateway: { port: 9080 },
    storage: { ...storage, root: join(folder, 'buckets') },
  });
});

it.each([
  ['a list', [], 'the file must be an object.'],
  ['a section that is none', { pubsub: 8086 }, 'pubsub must be an object.'],
  [
    'an unknown field',
    { project: 'x' },
    'the file has no field "project"; it may have projectId, host, gateway, firestore, pubsub, storage, scheduler.',
  ],
  ['a misspelt field', { storage: { Root: 'x' } }, 'storage has no field "Root"; it may have port, root.'],
  ['a field of another section', { gateway: { root: 'x' } }, 'gateway has no field "root"; it may have port.'],
  ['a port that is none', { scheduler: { port: '1' } }, 'scheduler.port must be a port number from 0 to 65535'],
  ['a blank root', { storage: { root: ' ' } }, 'storage.root must be a non-empty string.'],
  ['an IPv6 address', { host: '::1' }, 'host must be a name or an IPv4 address.'],
])('refuses %s', (_, content, message) => {
  expect(() => read(content)).toThrow(`${file}: ${message}`);
});

it.each(['BAD ID', 'Upper-case', 'short', 'a'.repeat(31), '1-digit-first', 'hyphen-last-', 'under_score', 'ends-so\n'])(
  'refuses the project id %j',
  (projectId) => {
    const message = `${file}: projectId must have 6 to 30 lower-case letters, digits and hyphens, with a letter first`;
    expect(() => read({ projectId })).toThrow(message);
  },
);

it.each(['sixsix', 'demo-ingestion', `a${'b'.repeat(29)}`])('takes the project id %j', (projectId) => {
  expect(read({ projectId })).toMatchObject({ projectId });
});

it('has the operator use the database, the topics and the bucket that the functions use, as the environment says', () => {
  const before = { ...process.env };
  const { emulators: _, ...byDefault } = toLocalConfig(DEFAULT_EMULATOR_CONFIG);
  expect(byDefault).toMatchObject({ databaseId: '(default)', reportsBucket: 'demo-ingestion-transfer-reports' });
  Object.assign(process.env, { FIRESTORE_DATABASE: 'restored', REPORTS_BUCKET: 'reports', DELETIONS_TOPIC: 'gone' });
  try {
    const { emulators, ...others } = toLocalConfig(DEFAULT_EMULATOR_CONFIG);
    const { emulators: __, ...ofFunctions } = readConfig({ ...process.env, GOOGLE_CLOUD_PROJECT: 'demo-ingestion' });
    expect(others).toEqual(ofFunctions);
    expect(others).toMatchObject({ databaseId: 'restored', reportsBucket: 'reports', topics: { deletions: 'gone' } });
    expect(emulators).toMatchObject({ firestore: '127.0.0.1:8085', storage: 'http://127.0.0.1:8087' });
  } finally {
    process.env = before;
  }
});
