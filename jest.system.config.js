// The slow tests (`npm run test:system`): whole functions and stacks, promises under faults, kills, workers side by side.
const { testMatch: _everything, ...ordinary } = require('./jest.config.js');

const SLOW = ['/test/(artifacts|e2e|faults)/', '/test/transfers/(crash|side-by-side)'];

module.exports = { ...ordinary, testRegex: SLOW.map((path) => `${path}.*\\.test\\.ts$`) };
