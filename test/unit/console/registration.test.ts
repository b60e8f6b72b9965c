/** What a form of the console says of a transfer. */
import type { Transfer } from '../../../client/src/index';
import { EMPTY_FORM, formOf, toFolders, toOptions } from '../../../functions/console/app/pages/transfers/registration';

const daily: Transfer = {
  JobId: 'daily-transfer/T',
  Kind: 'daily',
  BucketName: 'acme-exports',
  DataFolderPaths: ['shop/', 'crm/'],
  Schedule: '5 3 * * *',
  TimeZone: 'Etc/UTC',
  NextRunAt: null,
  LastRun: null,
};
const hourly: Transfer = { ...daily, Kind: 'hourly', Schedule: '45 * * * *', DataFolderPaths: [] };

const live: Transfer = { ...daily, Kind: 'live' };

it('registers a transfer again as it is (R-254)', () => {
  expect(toOptions('daily', formOf(daily)!)).toEqual({
    BucketName: 'acme-exports',
    DataFolderPaths: ['shop/', 'crm/'],
    DailyJobStartingHourUTC: 3,
    DailyJobStartingMinuteUTC: 5,
  });
  expect(toOptions('hourly', formOf(hourly)!)).toEqual({
    BucketName: 'acme-exports',
    DataFolderPaths: null,
    HourlyJobStartingMinuteUTC: 45,
  });
  expect(toOptions('live', formOf(live)!)).toEqual({
    BucketName: 'acme-exports',
    DataFolderPaths: ['shop/', 'crm/'],
  });
});

it('registers what runs once with folders of its own', () => {
  expect(toOptions('historical', { ...EMPTY_FORM, bucket: ' acme-exports ', folders: ' shop/ \n\n' })).toEqual({
    BucketName: 'acme-exports',
    HistoricalDataFolderPaths: ['shop/'],
  });
});

it.each([
  ['its bucket is not known', { ...daily, BucketName: null }],
  ['its schedule is no time of a day', { ...daily, Schedule: '0 3 * * 1' }],
  ['its schedule is hourly', { ...daily, Schedule: '5 * * * *' }],
  ['its schedule is hourly, and it is live', { ...live, Schedule: '5 * * * *' }],
  ['its schedule is daily', { ...hourly, Schedule: '5 3 * * *' }],
])('has no form where %s: it was changed by hand (R-254)', (_, transfer) => {
  expect(formOf(transfer)).toBeUndefined();
});

it('takes one folder a line', () => {
  expect(toFolders('a/\n\n b/ \n')).toEqual(['a/', 'b/']);
  expect(toFolders(' \n')).toEqual([]);
});
