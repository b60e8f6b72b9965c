import type { RowCounts } from '../../../../../client/src/index';
import { ROW_COUNTS } from '../../format/row-counts';
import { Count } from '../../parts/count';
import type { Column } from '../../parts/table';
import { TEXTS } from '../../texts';

/** A column for each count of rows. @param rowsOf null: they could not be counted */
export function rowColumns<Item>(rowsOf: (item: Item) => RowCounts | null): readonly Column<Item>[] {
  return ROW_COUNTS.map((name) => ({
    title: TEXTS.rows[name],
    isNumber: true,
    cell: (item) => <Count count={rowsOf(item)?.[name]} isBad={name === 'Invalid'} />,
  }));
}
