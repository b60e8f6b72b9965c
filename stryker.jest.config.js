/** The tests that mutants are held against: those of the mutated folders, which need no emulator and take milliseconds. */
const { globalSetup: _, globalTeardown: __, ...base } = require('./jest.config');

const roots = ['domain', 'auth', 'validation'].map((folder) => `<rootDir>/test/unit/${folder}`);

module.exports = { ...base, roots, maxWorkers: 1 };
