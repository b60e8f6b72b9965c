import { randomBytes } from 'node:crypto';

/**
 * Makes the project that is read from the environment next a new one on the emulators: for a query the Firestore
 * emulator looks through all documents of a project, so that in a shared one everybody waits for the documents of all
 * before.
 */
export function takeNewProject(): void {
  process.env.GOOGLE_CLOUD_PROJECT = `test-${randomBytes(6).toString('hex')}`;
}
