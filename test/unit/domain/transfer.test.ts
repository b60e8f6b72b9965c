import * as fc from 'fast-check';
import type { TransferOptionsDto } from '../../../shared/domain/dto/transfer-options';
import { parseTenantId } from '../../../shared/domain/tenant';
import {
  fromSchedulerName, historicalJobId, isRecurring, oneTimeJobId, oneTimePart, parseJobId, plannedStart, recurringJobId, tenantOfJob, toSchedule, toSchedulerName, toTrigger, unusedOptions,
} from '../../../shared/domain/transfer'; // prettier-ignore
import { TENANT_ID } from '../support/tenant';

const options = (fields: Partial<TransferOptionsDto> = {}): TransferOptionsDto => ({
  TenantId: TENANT_ID,
  BucketName: 'acme-data',
  ...fields,
});

const tenantIds = fc.uuid().map((guid) => parseTenantId(guid)!);
const jobs = fc.oneof(
  fc.record({ kind: fc.constantFrom('daily' as const, 'hourly' as const), tenantId: tenantIds }).map((job) => ({
    ...job,
    jobId: recurringJobId(job.kind, job.tenantId),
  })),
  fc.record({ kind: fc.constantFrom('historical', 'preview'), tenantId: tenantIds, unique: fc.stringMatching(/^[A-Za-z0-9]{1,64}$/) }).map(
    ({ kind, tenantId, unique }) => ({ kind, tenantId, jobId: oneTimeJobId(kind, tenantId, unique) }),
  ),
); // prettier-ignore

describe('job ids', () => {
  it('are named as the specification says (Spec §4.6, D-40)', () => {
    expect(recurringJobId('daily', TENANT_ID)).toBe(`daily-transfer/${TENANT_ID}`);
    expect(recurringJobId('hourly', TENANT_ID)).toBe(`hourly-transfer/${TENANT_ID}`);
    expect(historicalJobId(TENANT_ID, 'a1B2')).toBe(`historical-transfer/${TENANT_ID}/a1B2`);
    expect(oneTimeJobId('preview', TENANT_ID, 'a1B2')).toBe(`preview-transfer/${TENANT_ID}/a1B2`);
  });

  it('are read back with their kind and tenant, in any case of what is in front (D-40, D-46)', () => {
    fc.assert(
      fc.property(jobs, ({ jobId, kind, tenantId }) => {
        expect(parseJobId(jobId)).toStrictEqual({ jobId, kind, tenantId });
        const shouted = jobId.replace(tenantId, tenantId.toUpperCase());
        expect(parseJobId(shouted)).toStrictEqual({ jobId, kind, tenantId });
        const front = `${kind}-transfer`;
        for (const other of [front.toUpperCase(), `${front[0]!.toUpperCase()}${front.slice(1)}`])
          expect(parseJobId(shouted.replace(front, other))).toStrictEqual({ jobId, kind, tenantId });
      }),
    );
  });

  it.each([
    '', ' ', 'daily-transfer', 'daily-transfer/', `daily-transfer/${TENANT_ID}/`, `daily-transfer/${TENANT_ID}/1`,
    `weekly-transfer/${TENANT_ID}`, `daily-transfer/${TENANT_ID} `, ` daily-transfer/${TENANT_ID}`,
    `daily-transfer/${TENANT_ID}\n`, `daily-transfer/${'-'.repeat(36)}`, `daily-transfer/${TENANT_ID.slice(1)}g`,
    `historical-transfer/${TENANT_ID}`, `preview-transfer/${TENANT_ID}`, `historical-transfer/${TENANT_ID}/`, `historical-transfer/${TENANT_ID}/a/b`,
    `historical-transfer/${TENANT_ID}/a_b`, `historical-transfer/${TENANT_ID}/../x`, `historical-transfer/${TENANT_ID}/${'a'.repeat(65)}`,
    `daily-transfer_${TENANT_ID}`, `projects/p/locations/l/jobs/daily-transfer/${TENANT_ID}`, 'constructor/transfer',
  ])('cannot be %j, which matches nothing (D-39, D-40)', (text) => {
    expect(parseJobId(text)).toBeUndefined();
  }); // prettier-ignore
});

describe('the unique part of a job id', () => {
  it('is that of a one-time job; a recurring one has none (D-40)', () => {
    expect(oneTimePart(oneTimeJobId('preview', TENANT_ID, 'a1B2'))).toBe('a1B2');
    expect(oneTimePart(historicalJobId(TENANT_ID, 'c3'))).toBe('c3');
    expect(oneTimePart(recurringJobId('daily', TENANT_ID))).toBeUndefined();
  });
});

describe('unusedOptions', () => {
  const all = options({
    HistoricalDataFolderPaths: [],
    DataFolderPaths: [],
    DailyJobStartingHourUTC: 0,
    DailyJobStartingMinuteUTC: 1,
    HourlyJobStartingMinuteUTC: 2,
  });
  const ofDaily = ['DailyJobStartingHourUTC', 'DailyJobStartingMinuteUTC'];
  const ofRecurring = [...ofDaily, 'DataFolderPaths', 'HourlyJobStartingMinuteUTC'];

  it.each([
    ['historical', ofRecurring],
    ['preview', ofRecurring],
    ['daily', ['HistoricalDataFolderPaths', 'HourlyJobStartingMinuteUTC']],
    ['hourly', [...ofDaily, 'HistoricalDataFolderPaths']],
  ] as const)('names what a %s transfer has no use for, sorted (Spec §4.6)', (kind, names) => {
    expect(unusedOptions(kind, all)).toStrictEqual(names);
    const reversed = Object.fromEntries(Object.entries(all).reverse()) as unknown as TransferOptionsDto;
    expect(unusedOptions(kind, reversed)).toStrictEqual(names);
  });

  it('names no option without a value, and none that no transfer knows, which is told apart', () => {
    const sent = { ...options({ DataFolderPaths: null, HourlyJobStartingMinuteUTC: null }), Minute: 1 };
    expect(unusedOptions('historical', sent)).toStrictEqual([]);
  });
});

describe('scheduler names', () => {
  it('have only what Cloud Scheduler allows, at most 500 characters (D-40)', () => {
    fc.assert(
      fc.property(jobs, ({ jobId }) => {
        expect(toSchedulerName(jobId)).toMatch(/^[A-Za-z0-9_-]{1,500}$/);
      }),
    );
  });

  it('lead back to their job id, and differ where job ids differ (D-40)', () => {
    fc.assert(
      fc.property(jobs, jobs, ({ jobId }, { jobId: other }) => {
        expect(fromSchedulerName(toSchedulerName(jobId))).toBe(jobId);
        expect(toSchedulerName(jobId) === toSchedulerName(other)).toBe(jobId === other);
      }),
    );
  });

  it.each(['', 'nightly-backup', 'daily-transfer_x', `daily-transfer_${TENANT_ID}_x`, `daily-transfer__${TENANT_ID}`, `Daily-transfer_${TENANT_ID}`, `daily-transfer-${TENANT_ID}`])(
    'of foreign jobs lead to no job id: %j (D-40)',
    (name) => {
      expect(fromSchedulerName(name)).toBeUndefined();
    },
  ); // prettier-ignore
});

describe('toSchedule', () => {
  it.each([
    ['daily', {}, '0 0 * * *'],
    ['daily', { DailyJobStartingHourUTC: null, DailyJobStartingMinuteUTC: null }, '0 0 * * *'],
    ['daily', { DailyJobStartingHourUTC: 23 }, '0 23 * * *'],
    ['daily', { DailyJobStartingMinuteUTC: 59 }, '59 0 * * *'],
    [
      'daily',
      { DailyJobStartingHourUTC: 4, DailyJobStartingMinuteUTC: 30, HourlyJobStartingMinuteUTC: 7 },
      '30 4 * * *',
    ],
    ['hourly', {}, '0 * * * *'],
    ['hourly', { HourlyJobStartingMinuteUTC: null }, '0 * * * *'],
    ['hourly', { HourlyJobStartingMinuteUTC: 59 }, '59 * * * *'],
    [
      'hourly',
      { HourlyJobStartingMinuteUTC: 5, DailyJobStartingMinuteUTC: 9, DailyJobStartingHourUTC: 3 },
      '5 * * * *',
    ],
  ] as const)('is for %s and %j the cron %s; omitted fields are 0 (Spec §2.7, D-38)', (kind, fields, expected) => {
    expect(toSchedule(kind, options(fields))).toBe(expected);
  });
});

describe('toTrigger', () => {
  const folders = options({ HistoricalDataFolderPaths: ['old/', 'old2/'], DataFolderPaths: ['new/'] });

  it.each([
    ['historical', ['old/', 'old2/']],
    ['preview', ['old/', 'old2/']],
    ['daily', ['new/']],
    ['hourly', ['new/']],
  ] as const)('of a %s transfer reads its own folders (Spec §4.6)', (kind, folderPaths) => {
    const jobId = isRecurring(kind) ? recurringJobId(kind, TENANT_ID) : oneTimeJobId(kind, TENANT_ID, 'u');
    expect(toTrigger(kind, TENANT_ID, jobId, folders)).toStrictEqual({
      jobId,
      kind,
      tenantId: TENANT_ID,
      bucketName: 'acme-data',
      folderPaths,
    });
  });

  it.each([{}, { DataFolderPaths: null }, { DataFolderPaths: [] }])(
    'reads the whole bucket for %j (D-38)',
    (fields) => {
      const trigger = toTrigger('daily', TENANT_ID, recurringJobId('daily', TENANT_ID), options(fields));
      expect(trigger.folderPaths).toStrictEqual([]);
    },
  );
});

describe('the moment when a run begins', () => {
  const tenantOf = (index: number) => parseTenantId(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`)!;
  const fullHour = new Date('2026-03-01T00:00:02.345Z');

  it.each(['daily', 'hourly'] as const)(
    'has a minute that only its tenant tells, from the first to the last of the spread: %s (R-372)',
    (kind) => {
      const minuteOf = (index: number, at = fullHour) => plannedStart({ kind, tenantId: tenantOf(index) }, at, 5)!;
      const counts = new Map<string, number>();
      for (let index = 0; index < 5_000; index += 1) {
        const minute = minuteOf(index).toISOString();
        counts.set(minute, (counts.get(minute) ?? 0) + 1);
      }
      const minutes = [1, 2, 3, 4, 5].map((minute) => `2026-03-01T00:0${minute}:00.000Z`);
      expect([...counts.keys()].sort()).toEqual(minutes);
      expect(Math.min(...counts.values())).toBeGreaterThan(900);
      expect(minuteOf(7, new Date('2026-03-01T05:00:59Z')).getUTCMinutes()).toBe(minuteOf(7).getUTCMinutes());
    },
  );

  it.each([
    ['not at the full hour', { kind: 'daily' }, new Date('2026-03-01T00:01:00Z'), 5],
    ['where nothing is spread', { kind: 'hourly' }, fullHour, 0],
    ['started by hand', { kind: 'daily', runId: 'run' }, fullHour, 5],
    ['of uploads', { kind: 'live' }, fullHour, 5],
    ['that is historical', { kind: 'historical' }, fullHour, 5],
    ['that is a preview', { kind: 'preview' }, fullHour, 5],
  ] as const)('is at once for a run %s (R-372)', (_, trigger, at, spreadMinutes) => {
    expect(plannedStart({ ...trigger, tenantId: tenantOf(1) }, at, spreadMinutes)).toBeUndefined();
  });

  it('of a live transfer that looks for missed files is a minute of the day that only its tenant tells (R-380)', () => {
    const scheduleOf = (TenantId: string) => toSchedule('live', options({ TenantId }));
    const schedules = Array.from({ length: 2_000 }, (_, index) => scheduleOf(tenantOf(index)));
    const times = schedules.map((schedule) => /^(\d+) (\d+) \* \* \*$/.exec(schedule)!.slice(1).map(Number));
    expect(new Set(times.map(([minute]) => minute))).toEqual(new Set(Array.from({ length: 60 }, (_, n) => n)));
    expect(new Set(times.map(([, hour]) => hour))).toEqual(new Set(Array.from({ length: 24 }, (_, n) => n)));
    expect(scheduleOf(TENANT_ID.toUpperCase())).toBe(scheduleOf(TENANT_ID));
  });
});

it('the tenant of a job is in its id', () => {
  fc.assert(fc.property(jobs, ({ jobId, tenantId }) => expect(tenantOfJob(jobId)).toBe(tenantId)));
});
