import type { RowCounts } from '../../../../client/src/index';

/** The rows of a run or file in the order of columns: what was read, and what became of it, which adds up to it. */
export const ROW_COUNTS = ['Read', 'Stored', 'Deleted', 'Stale', 'Invalid'] as const satisfies (keyof RowCounts)[];
