import type { RowCounts } from '../../../../../client/src/index';
import { toCount } from '../../format/numbers';
import { ROW_COUNTS } from '../../format/row-counts';
import type { Column } from '../../parts/table';
import { TEXTS } from '../../texts';

/** A column for each count of rows. @param rowsOf null: they could not be counted */
export function rowColumns<Item>(rowsOf: (item: Item) => RowCounts | null): readonly Column<Item>[] {
  return ROW_COUNTS.map((name) => ({
    title: TEXTS.rows[name],
    isNumber: true,
    cell: (item) => {
      const count = rowsOf(item)?.[name];
      if (count === undefined) return '–';
      return <span class={name === 'Invalid' && count > 0 ? 'bad' : undefined}>{toCount(count)}</span>;
    },
  }));
}
