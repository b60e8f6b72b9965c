// One run for everything: pure tests need nothing, the others use the emulators that the global set-up starts on free ports.
module.exports = {
  testEnvironment: '<rootDir>/test/support/node-environment.ts',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },
  setupFiles: ['<rootDir>/test/support/own-project.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Only ends what hangs: a slow machine is no failure.
  testTimeout: (process.env.FAULTS_TIER === 'full' ? 45 : 5) * 60_000,
  maxWorkers: 2,
  // A worker keeps what it has loaded: over 200 files its heap grew to 1.3 GB, and collecting it slowed down the others.
  workerIdleMemoryLimit: '600MB',
  // Looking up a global is slow in modules that jest loads: reading 240,000 numbers of an Avro file took four times as
  // long. They get these as parameters. Those that packages declare themselves, such as Buffer, cannot be among them.
  sandboxInjectedGlobals: [
    'Array',
    'BigInt',
    'Date',
    'JSON',
    'Map',
    'Math',
    'Number',
    'Object',
    'Promise',
    'Set',
    'String',
    'Symbol',
    'Uint8Array',
  ],
};
