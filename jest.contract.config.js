// The contract of the store alone, on the database that the environment names (`npm run test:contract`): no emulator is started.
const { globalSetup: _setup, globalTeardown: _teardown, setupFiles: _files, ...ordinary } = require('./jest.config.js');

module.exports = { ...ordinary, testMatch: ['**/contract/document-store.test.ts'] };
