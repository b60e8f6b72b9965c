import type { TestEmulatorsHolder } from './global-setup';

/** Stops what the set-up has started. */
export default async function tearDown(): Promise<void> {
  await (globalThis as TestEmulatorsHolder).testEmulators?.stop();
}
