// The slow tests (`npm run test:system`): whole functions, stacks and transfers, upserts and deletions on the emulators,
// promises under faults, the simulation, very many at once, and what installs packages or kills processes.
const { testMatch: _everything, ...ordinary } = require('./jest.config.js');

const SLOW = [
  '/test/(artifacts|e2e|emulator|faults|simulation|transfers)/',
  '/test/client/(package|command/resume)',
  '/test/(http/large-batches|unit/(deletions/lookups-by-key|records/rows-of-a-slice|transfers/regional-scheduler))',
];

module.exports = { ...ordinary, testRegex: SLOW.map((path) => `${path}.*\\.test\\.ts$`) };
