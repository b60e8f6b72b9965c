import type { Emulators } from '../local/emulators';
import { startEmulators } from '../local/emulators';

/** How the set-up hands the emulators to the teardown: jest loads the two separately, in one process. */
export interface TestEmulatorsHolder {
  testEmulators?: Emulators;
}

/** Starts both emulators once on free ports for all tests, so that tests run beside a running stack. */
export default async function setUp(): Promise<void> {
  const { FAULTS_TIER, FAULTS_LOAD_MINUTES } = process.env;
  const isFullTier = FAULTS_TIER === 'full';
  const emulators = await startEmulators({
    host: '127.0.0.1',
    firestore: { port: 0 },
    pubsub: { port: 0 },
    compileWell: true,
    // Half an hour of load fills 3 GB: the Firestore emulator needs more with each write, also of what it has already.
    haveMuchMemory: isFullTier || FAULTS_LOAD_MINUTES !== undefined,
  });
  (globalThis as TestEmulatorsHolder).testEmulators = emulators;
  await emulators.ready;
  Object.assign(process.env, {
    FIRESTORE_EMULATOR_HOST: `127.0.0.1:${emulators.firestorePort}`,
    PUBSUB_EMULATOR_HOST: `127.0.0.1:${emulators.pubsubPort}`,
    METADATA_SERVER_DETECTION: 'none',
  });
}
