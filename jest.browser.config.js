// The reference and the console in a browser (`npm run test:browser`), on a local stack of its own. Needs Chromium.
const { globalSetup: _setup, globalTeardown: _teardown, setupFiles: _files, ...ordinary } = require('./jest.config.js');

module.exports = { ...ordinary, testMatch: ['**/browser/*.browser.ts'], maxWorkers: 2 };
