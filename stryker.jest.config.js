/**
 * The tests that mutants are held against: those of the mutated folders, which need no emulator and take milliseconds.
 * Each mutant loads every test file that imports its own, so tests of other folders would cost more than they find.
 */
const { globalSetup: _, globalTeardown: __, ...base } = require('./jest.config');

// `shared` has no tests: Jest follows imports only through its roots, and so finds the tests that a mutant is related to.
const roots = [
  'shared',
  'test/support',
  'test/unit/support',
  'test/unit/domain',
  'test/unit/auth',
  'test/unit/validation',
];

module.exports = {
  ...base,
  testEnvironment: 'node', // Stryker puts its own around it, and loads no TypeScript
  roots: roots.map((folder) => `<rootDir>/${folder}`),
  setupFiles: ['<rootDir>/stryker.fast-check.js'],
  maxWorkers: 1,
};
