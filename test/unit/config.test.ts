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
