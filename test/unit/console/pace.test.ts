/** How fast a run is, and how long it takes. */
import type { RunFile } from '../../../client/src/index';
import type { Sample } from '../../../functions/console/app/format/pace';
import { paceOf, shareOf, withSample } from '../../../functions/console/app/format/pace';

const file = (fields: Partial<RunFile> & { readonly read?: number }): RunFile => ({
  Object: 'customers.ndjson',
  Generation: '1',
  Updated: '2026-03-01T09:30:00.000Z',
  Size: 1_000,
  Kind: 'customers',
  Format: 'ndjson',
  Status: 'finished',
  Reason: null,
  Error: null,
  ReadBytes: null,
  Rows: { Read: fields.read ?? 0, Stored: 0, Invalid: 0, Stale: 0, Deleted: 0 },
  ...fields,
});

const sample = (seconds: number, rows: number, share?: number): Sample => ({ atMs: seconds * 1_000, rows, share });

describe('the pace', () => {
  it('is what was gained between the first and the last sample (R-252)', () => {
    expect(paceOf([sample(0, 1_000, 0.25), sample(5, 4_000, 0.3), sample(10, 6_000, 0.5)])).toEqual({
      rowsPerSecond: 500,
      secondsLeft: 20,
    });
  });

  it.each([
    ['nothing', []],
    ['one sample', [sample(0, 5, 0.5)]],
    ['two samples of one moment', [sample(3, 5, 0.5), sample(3, 9, 0.6)]],
  ])('is not known of %s', (_, samples) => {
    expect(paceOf(samples)).toEqual({ rowsPerSecond: undefined, secondsLeft: undefined });
  });

  it.each([
    ['nothing is gained', sample(0, 5, 0.5), sample(10, 5, 0.5)],
    ['the share is not known', sample(0, 5), sample(10, 5)],
    ['more files were found', sample(0, 5, 0.5), sample(10, 5, 0.2)],
  ])('says no time left where %s', (_, first, last) => {
    expect(paceOf([first, last])).toEqual({ rowsPerSecond: 0, secondsLeft: undefined });
  });

  it('forgets what is older than half a minute', () => {
    const samples = [0, 10, 20, 30, 41].reduce<readonly Sample[]>((kept, at) => withSample(kept, sample(at, at)), []);
    expect(samples.map(({ atMs }) => atMs / 1_000)).toEqual([20, 30, 41]);
  });
});

describe('the share that is done', () => {
  it('counts bytes of files, without those that are not read (R-252)', () => {
    const files = [
      file({ Status: 'finished', Size: 3_000 }),
      file({ Status: 'failed', Size: 1_000 }),
      file({ Status: 'running', Size: 4_000, ReadBytes: 2_000 }),
      file({ Status: 'waiting', Size: 4_000 }),
      file({ Status: 'skipped', Size: 90_000 }),
    ];
    expect(shareOf({ Files: null }, files)).toBe(0.5);
  });

  it('tells by the rows how far a compressed file is, as those that are read have them', () => {
    const running = file({ Object: 'customers.csv.gz', Status: 'running', Size: 1_000, ReadBytes: 9_000, read: 50 });
    expect(shareOf({ Files: null }, [running])).toBeUndefined();
    expect(shareOf({ Files: null }, [running, file({ Size: 1_000, read: 100 })])).toBe(0.75);
  });

  it('is never more than all of a file', () => {
    expect(shareOf({ Files: null }, [file({ Status: 'running', Size: 10, ReadBytes: 10 })])).toBe(1);
    const grown = file({ Object: 'a.gz', Status: 'running', Size: 10, read: 500 });
    expect(shareOf({ Files: null }, [grown, file({ Size: 10, read: 10 })])).toBe(1);
  });

  it('counts files where they are too many to look at, and is not known before they are found', () => {
    const counts = { Found: 300, Finished: 90, Failed: 10, Skipped: 100 };
    expect(shareOf({ Files: counts }, undefined)).toBe(0.5);
    expect(shareOf({ Files: { ...counts, Found: 100 } }, undefined)).toBeUndefined();
    expect(shareOf({ Files: null }, undefined)).toBeUndefined();
    expect(shareOf({ Files: null }, [])).toBeUndefined();
  });
});
