import type { TransferOptionsDto } from '../../../shared/domain/dto/transfer-options';
import { transferOptionsSchema } from '../../../shared/domain/dto/transfer-options';
import { compileObjectValidator } from '../../../shared/validation/object';
import { errorsOf, failureOf } from '../support/errors-of';
import { TENANT_ID } from '../support/tenant';

const validate = compileObjectValidator<TransferOptionsDto>(transferOptionsSchema);
const VALID = { TenantId: TENANT_ID, BucketName: 'acme-data' };
const errors = (fields: object) => errorsOf(() => validate({ ...VALID, ...fields }));

describe('transfer options', () => {
  it.each([null, undefined, [], [VALID], 'text', 1, true])('must be an object, not %j (D-32)', (body) => {
    expect(errorsOf(() => validate(body))).toStrictEqual({ '': ['The request body must be a JSON object.'] });
  });

  it('fail with an error that names its kind in a log, and no value (Spec §7.2)', () => {
    expect(() => validate({ ...VALID, BucketName: 'Acme' })).toThrow(
      expect.objectContaining({
        name: 'ValidationFailed',
        message: 'One or more validation errors occurred.',
      }) as Error,
    );
  });

  it.each([
    {},
    { TenantId: TENANT_ID.toUpperCase() },
    { HistoricalDataFolderPaths: null, DataFolderPaths: null, HourlyJobStartingMinuteUTC: null },
    { DailyJobStartingHourUTC: null, DailyJobStartingMinuteUTC: null },
    { HistoricalDataFolderPaths: [], DataFolderPaths: ['a/', 'ö/😀'] },
    { HourlyJobStartingMinuteUTC: 0, DailyJobStartingHourUTC: 0, DailyJobStartingMinuteUTC: 0 },
    { HourlyJobStartingMinuteUTC: 59, DailyJobStartingHourUTC: 23, DailyJobStartingMinuteUTC: 59 },
    { DataFolderPaths: Array.from({ length: 100 }, () => 'x'.repeat(1024)), Unknown: { a: 1 } },
  ])('are accepted as they are: %.100j (Spec §2.7, D-38, D-46)', (fields) => {
    const body = { ...VALID, ...fields };
    expect(validate(body).dto).toBe(body);
  });

  it('name their required fields when these are missing, null or blank (Spec §2.7, D-12, D-37)', () => {
    const missing = {
      TenantId: ['The TenantId field is required.'],
      BucketName: ['The BucketName field is required.'],
    };
    expect(errorsOf(() => validate({}))).toStrictEqual(missing);
    for (const value of [null, '', ' \u3000'])
      expect(errors({ TenantId: value, BucketName: value })).toStrictEqual(missing);
  });

  it.each<[string, unknown, string]>([
    ['TenantId', 'acme', 'The field TenantId must be a GUID.'],
    ['TenantId', ` ${TENANT_ID}`, 'The field TenantId must be a GUID.'],
    ['TenantId', 7, 'The field TenantId must be a string.'],
    ['BucketName', 'Acme', 'The field BucketName must be a valid Cloud Storage bucket name.'],
    ['BucketName', 'gs://acme', 'The field BucketName must be a valid Cloud Storage bucket name.'],
    ['BucketName', {}, 'The field BucketName must be a string.'],
    ['DataFolderPaths', 'a/', 'The field DataFolderPaths must be an array.'],
    ['HistoricalDataFolderPaths', {}, 'The field HistoricalDataFolderPaths must be an array.'],
    ['HourlyJobStartingMinuteUTC', 60, 'The field HourlyJobStartingMinuteUTC must be between 0 and 59.'],
    ['HourlyJobStartingMinuteUTC', -1, 'The field HourlyJobStartingMinuteUTC must be between 0 and 59.'],
    ['HourlyJobStartingMinuteUTC', 2 ** 40, 'The field HourlyJobStartingMinuteUTC must be between 0 and 59.'],
    ['HourlyJobStartingMinuteUTC', '5', 'The field HourlyJobStartingMinuteUTC must be an integer.'],
    ['HourlyJobStartingMinuteUTC', 0.5, 'The field HourlyJobStartingMinuteUTC must be an integer.'],
    ['DailyJobStartingHourUTC', 24, 'The field DailyJobStartingHourUTC must be between 0 and 23.'],
    ['DailyJobStartingHourUTC', true, 'The field DailyJobStartingHourUTC must be an integer.'],
    ['DailyJobStartingMinuteUTC', 60, 'The field DailyJobStartingMinuteUTC must be between 0 and 59.'],
  ])('say at the path %s what is wrong with %j (D-15, D-37, D-57)', (field, value, message) => {
    expect(errors({ [field]: value })).toStrictEqual({ [field]: [message] });
  });

  it('say which folder path is wrong, and that there are too many (D-15, D-37)', () => {
    expect(errors({ DataFolderPaths: ['a/', 1, null, '\ud800', 'x'.repeat(1025)] })).toStrictEqual({
      'DataFolderPaths[1]': ['The field DataFolderPaths must be a string.'],
      'DataFolderPaths[2]': ['The field DataFolderPaths must be a string.'],
      'DataFolderPaths[3]': ['The field DataFolderPaths must be well-formed Unicode text.'],
      'DataFolderPaths[4]': ['The field DataFolderPaths must be a string with a maximum length of 1024.'],
    });
    const blank = 'leave the field out to read the whole bucket, or name a folder.';
    expect(errors({ DataFolderPaths: ['a/', ' '] })).toStrictEqual({
      'DataFolderPaths[1]': [`The field DataFolderPaths must not have a blank path: ${blank}`],
    });
    expect(errors({ DataFolderPaths: Array.from({ length: 101 }, () => 'a/') })).toStrictEqual({
      DataFolderPaths: ['The field DataFolderPaths must be an array with a maximum length of 100.'],
    });
  });

  it('name the fields that are not known, at most 20 (D-21)', () => {
    expect(validate(VALID).ignoredFields).toStrictEqual([]);
    expect(validate({ ...VALID, DataFolderPath: ['a/'], tenantId: 1 }).ignoredFields).toStrictEqual([
      'DataFolderPath',
      'tenantId',
    ]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`Unknown${index}`, index]));
    expect(validate({ ...VALID, ...many }).ignoredFields).toHaveLength(20);
  });

  it('list every violation at once (D-22)', () => {
    expect(Object.keys(errors({ TenantId: 'x', BucketName: 'X', DailyJobStartingHourUTC: 24 }))).toHaveLength(3);
  });
});

it('says how many violations it does not list, also of those that it does not look at (D-22)', () => {
  const blanks = Array.from({ length: 100 }, () => ' ');
  const body = {
    TenantId: 'x',
    BucketName: '!',
    HistoricalDataFolderPaths: blanks,
    DataFolderPaths: blanks,
    HourlyJobStartingMinuteUTC: 99,
    DailyJobStartingHourUTC: 99,
    DailyJobStartingMinuteUTC: 99,
  };
  const { errors, details } = failureOf(() => validate(body));
  expect(Object.values(errors).flat()).toHaveLength(100);
  expect(details).toEqual({ omittedErrors: 105 });
});
