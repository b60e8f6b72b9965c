/**
 * Gives each test file a project of its own on the emulators: the Firestore emulator looks through all documents of a
 * project for a query, so that in a shared one every file would wait for the documents of all files before it.
 */
import { randomBytes } from 'node:crypto';

process.env.GOOGLE_CLOUD_PROJECT = `test-${randomBytes(6).toString('hex')}`;
