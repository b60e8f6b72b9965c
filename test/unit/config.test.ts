import { readConfig } from '../../shared/config';

const locationsWith = (env: NodeJS.ProcessEnv) => readConfig({ GOOGLE_CLOUD_PROJECT: 'p', ...env }).schedulerLocations;

it.each([
  [undefined, ['europe-west1']],
  ['europe-west3', ['europe-west3']],
  ['europe-west3,europe-west1', ['europe-west3', 'europe-west1']],
  [' europe-west3 , europe-west1,europe-west3', ['europe-west3', 'europe-west1']],
])('SCHEDULER_LOCATIONS of %p are the regions %j, each once (R-320)', (text, regions) => {
  expect(locationsWith(text === undefined ? {} : { SCHEDULER_LOCATIONS: text })).toEqual(regions);
});

it.each(['', ' ', ',', 'europe-west1,', 'europe-west1,,europe-west3'])(
  'SCHEDULER_LOCATIONS of %j are refused: a region would be missing (R-320)',
  (text) => {
    expect(() => locationsWith({ SCHEDULER_LOCATIONS: text })).toThrow(
      `SCHEDULER_LOCATIONS must be regions with commas between them; it is "${text}".`,
    );
  },
);

it('the former SCHEDULER_LOCATION alone is refused, because its jobs would be overlooked (R-324)', () => {
  expect(() => locationsWith({ SCHEDULER_LOCATION: 'europe-west3' })).toThrow(
    'SCHEDULER_LOCATION has a new name: set SCHEDULER_LOCATIONS to "europe-west3".',
  );
  expect(locationsWith({ SCHEDULER_LOCATION: 'a', SCHEDULER_LOCATIONS: 'b' })).toEqual(['b']);
});

it.each(['0', '-1', '1.5', '101', 'many'])('TRANSFER_TENANT_CONCURRENCY of %p is refused (R-370)', (text) => {
  const env = { GOOGLE_CLOUD_PROJECT: 'p', TRANSFER_TENANT_CONCURRENCY: text };
  expect(() => readConfig(env)).toThrow(
    `TRANSFER_TENANT_CONCURRENCY must be a whole number from 1 to 100; it is "${text}".`,
  );
});

it('as many units of a tenant are under way as TRANSFER_TENANT_CONCURRENCY says (R-370)', () => {
  const concurrencyWith = (env: NodeJS.ProcessEnv) =>
    readConfig({ GOOGLE_CLOUD_PROJECT: 'p', ...env }).transfers.tenantConcurrency;
  expect([concurrencyWith({}), concurrencyWith({ TRANSFER_TENANT_CONCURRENCY: '3' })]).toEqual([8, 3]);
});

const spreadWith = (env: NodeJS.ProcessEnv) =>
  readConfig({ GOOGLE_CLOUD_PROJECT: 'p', ...env }).transfers.startSpreadMinutes;

it('the runs of a full hour are spread over 5 minutes, and on emulators begin at once (R-374)', () => {
  expect(spreadWith({})).toBe(5);
  expect(spreadWith({ PUBSUB_EMULATOR_HOST: '127.0.0.1:8086' })).toBe(0);
  expect(spreadWith({ PUBSUB_EMULATOR_HOST: '127.0.0.1:8086', TRANSFER_START_SPREAD_MINUTES: '2' })).toBe(2);
  expect(spreadWith({ TRANSFER_START_SPREAD_MINUTES: '0' })).toBe(0);
});

it.each(['', ' ', 'five', '-1', '60', '1.5'])('TRANSFER_START_SPREAD_MINUTES of %j is refused (R-374)', (text) => {
  expect(() => spreadWith({ TRANSFER_START_SPREAD_MINUTES: text })).toThrow(
    `TRANSFER_START_SPREAD_MINUTES must be a whole number from 0 to 59; it is "${text}".`,
  );
});
