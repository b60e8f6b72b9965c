// All tests but the slow ones (`npm test`).
const { testRegex } = require('./jest.system.config.js');

module.exports = { ...require('./jest.config.js'), testPathIgnorePatterns: testRegex };
