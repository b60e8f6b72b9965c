/**
 * The tests that mutants are held against: those of the mutated folders, which need no emulator and take milliseconds.
 */
const { globalSetup: _, globalTeardown: __, ...base } = require('../../jest.config');

module.exports = {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/mutants'],
  testMatch: ['<rootDir>/test/mutants/all-tests.cjs'],
  testEnvironment: require.resolve('./environment.cjs'), // Stryker puts its own around it
  setupFiles: ['<rootDir>/test/mutants/few-cases.cjs'],
  maxWorkers: 1,
};
