// The slow tests (`npm run test:system`): whole functions, stacks and transfers, upserts and deletions on the emulators,
// promises under faults, the simulation, and what installs packages or kills processes.
const { testMatch: _everything, ...ordinary } = require('./jest.config.js');

const SLOW = [
  '/test/(artifacts|e2e|emulator|faults|simulation|transfers)/',
  '/test/client/(package|command/resume)',
  '/test/unit/records/rows-of-a-slice',
];

module.exports = { ...ordinary, testRegex: SLOW.map((path) => `${path}.*\\.test\\.ts$`) };
