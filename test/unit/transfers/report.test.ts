import { MAX_REPORT_BYTES, MAX_REPORTED_ROWS } from '../../../shared/limits/transfers';
import { buildSliceReport } from '../../../shared/transfers/runs/report';
import { NO_ROWS } from '../../../shared/transfers/runs/run';

const rows = (count: number, message: string) =>
  Array.from({ length: count }, (_, index) => ({ line: index + 1, messages: { Name: [message] } }));
const file = (invalid: number, more: object = {}) => ({ rows: { ...NO_ROWS, invalid }, ...more });

describe('the bad rows of a slice that are reported (R-25)', () => {
  it('are all of them, as long as the report has room', async () => {
    const { report, progress } = await buildSliceReport(rows(2, 'x'), file(0));
    expect(report).toEqual({
      firstLine: 1,
      rows: ['{"line":1,"messages":{"Name":["x"]}}', '{"line":2,"messages":{"Name":["x"]}}'],
    });
    expect(progress).toEqual({ reportedBytes: 72 });
  });

  it('are none of a slice without any', async () => {
    await expect(buildSliceReport([], file(7, { reportedBytes: 9 }))).resolves.toEqual({
      report: undefined,
      progress: { reportedBytes: 9 },
    });
  });

  it('end with the rows that a file may have, and the rest is counted', async () => {
    const { report, progress } = await buildSliceReport(rows(5, 'x'), file(MAX_REPORTED_ROWS - 3));
    expect(report?.rows).toHaveLength(3);
    expect(progress.unreported).toBe(2);
  });

  it('end with the bytes that a file may have; no later row comes, though it would fit', async () => {
    const long = await buildSliceReport(rows(3, 'x'.repeat(MAX_REPORT_BYTES / 2)), file(0));
    expect(long.report?.rows).toHaveLength(1);
    expect(long.progress.unreported).toBe(2);
    const next = await buildSliceReport(rows(4, 'x'), file(3, long.progress));
    expect(next).toEqual({ report: undefined, progress: { ...long.progress, unreported: 6 } });
  });
});
