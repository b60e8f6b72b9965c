import type { Emulators } from '../local/emulators';
import { startEmulators } from '../local/emulators';

declare global {
  /** Handed from the set-up to the teardown, which jest loads separately. */
  var testEmulators: Emulators | undefined;
}

/** Starts both emulators once on free ports for all tests, so that tests run beside a running stack. */
export default async function setUp(): Promise<void> {
  const emulators = await startEmulators({ host: '127.0.0.1', firestore: { port: 0 }, pubsub: { port: 0 } });
  globalThis.testEmulators = emulators;
  await emulators.ready;
  Object.assign(process.env, {
    GOOGLE_CLOUD_PROJECT: 'test-ingestion',
    FIRESTORE_EMULATOR_HOST: `127.0.0.1:${emulators.firestorePort}`,
    PUBSUB_EMULATOR_HOST: `127.0.0.1:${emulators.pubsubPort}`,
    METADATA_SERVER_DETECTION: 'none',
  });
}
