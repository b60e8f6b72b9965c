/** What the console shows of the rows of runs and files. */
import { ROW_COUNTS } from '../../../functions/console/app/format/row-counts';
import { TEXTS } from '../../../functions/console/app/texts';
import { toRowsDto } from '../../../functions/ingestion/run-answers';
import { NO_ROWS } from '../../../shared/transfers/runs/run';

it('is every count that the API tells, each with a title, so that the columns add up', () => {
  expect([...ROW_COUNTS].sort()).toEqual(Object.keys(toRowsDto(NO_ROWS)).sort());
  const titles = ROW_COUNTS.map((name) => TEXTS.rows[name]);
  expect(titles).toEqual(['Rows', 'Stored', 'Deleted', 'Stale', 'Bad rows']);
});
