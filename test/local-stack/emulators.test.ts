import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findEmulatorJar, findJava, FIRESTORE_EMULATOR, PUBSUB_EMULATOR } from '../local/emulator-jars';
import { startEmulators } from '../local/emulators';
import { close, listen } from '../local/ports';
import { StackError } from '../local/stack-error';
import { startStorageStandIn } from '../local/storage-stand-in';

const HOST = '127.0.0.1';

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'emulators-')));
});

afterAll(() => rm(folder, { recursive: true }));

async function putFile(path: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '');
  return file;
}

describe('a taken port', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer();
    port = await listen(server, { host: HOST, port: 0, field: 'test' });
  });

  afterAll(() => close(server));

  test('of an emulator is one sentence with the port, the field and the remedy', async () => {
    const starting = startEmulators({ host: HOST, firestore: { port: 0 }, pubsub: { port } });
    await expect(starting).rejects.toThrow(
      new StackError(
        `Port ${port} (pubsub.port) is taken: end the process that uses it, or set another port in the emulator configuration (0: any free port).`,
      ),
    );
  });

  test('of a stand-in is the same sentence', async () => {
    const starting = startStorageStandIn({ host: HOST, port, root: join(folder, 'buckets') });
    await expect(starting).rejects.toThrow(`Port ${port} (storage.port) is taken`);
  });
});

test('stopping leaves no emulator that answers, and can be repeated', async () => {
  const emulators = await startEmulators({ host: HOST, firestore: { port: 0 }, pubsub: { port: 0 } });
  await emulators.ready;
  await emulators.stop();
  await emulators.stop();
  for (const port of [emulators.firestorePort, emulators.pubsubPort]) {
    await expect(fetch(`http://${HOST}:${port}/`)).rejects.toThrow();
  }
});

describe('finding the jars', () => {
  test('the variable comes first, and one that names no file is reported by its name', async () => {
    const jar = await putFile('own.jar');
    expect(findEmulatorJar(FIRESTORE_EMULATOR, { FIRESTORE_EMULATOR_JAR: jar })).toBe(jar);
    const find = () => findEmulatorJar(PUBSUB_EMULATOR, { PUBSUB_EMULATOR_JAR: '/no/such.jar' });
    expect(find).toThrow('PUBSUB_EMULATOR_JAR names /no/such.jar, which does not exist');
  });

  test('the newest version of the Google Cloud SDK is taken', async () => {
    await putFile('sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.9-all.jar');
    const newest = await putFile('sdk/platform/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.20-all.jar');
    expect(findEmulatorJar(PUBSUB_EMULATOR, { CLOUDSDK_ROOT_DIR: join(folder, 'sdk') })).toBe(newest);
  });

  test('the SDK is found by a link to gcloud on PATH', async () => {
    const jar = await putFile('linked/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar');
    const gcloud = await putFile('linked/bin/gcloud');
    await mkdir(join(folder, 'path'));
    await symlink(gcloud, join(folder, 'path/gcloud'));
    expect(findEmulatorJar(FIRESTORE_EMULATOR, { PATH: join(folder, 'path') })).toBe(jar);
  });
});

test('a missing Java is one sentence that says what to install', () => {
  expect(() => findJava({ PATH: folder })).toThrow(/^Java was not found.*install Java 17 or newer/);
});
