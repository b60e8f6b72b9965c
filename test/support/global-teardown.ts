/** Stops what the set-up has started. */
export default async function tearDown(): Promise<void> {
  await globalThis.testEmulators?.stop();
}
