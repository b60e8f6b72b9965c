// The tests of whole functions and stacks, and of promises under faults (`npm run test:system`).
const everything = require('./jest.config.js');

module.exports = { ...everything, roots: ['faults', 'artifacts', 'e2e'].map((folder) => `<rootDir>/test/${folder}`) };
