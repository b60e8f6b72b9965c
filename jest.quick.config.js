// All tests but those of `npm run test:system` (`npm test`).
const everything = require('./jest.config.js');
const { roots } = require('./jest.system.config.js');

module.exports = { ...everything, testPathIgnorePatterns: roots.map((root) => `${root}/`) };
