/** Runs and replays whose own bookkeeping can grow faster than what they read. */
import { MeteredTransfers } from './metered-transfers';
import { order, times } from './records';
import type { Input } from './upsert-inputs';

/** What a run writes down about a file, whatever is in it. */
const WORDS_ABOUT_A_FILE = 3_000;

const replayOfLines: Input = {
  name: 'a replay of many lines',
  size: 2_000,
  prepare: async (lines) => {
    const transfers = await MeteredTransfers.open();
    const text = (name: string) => times(lines, (index) => `{"CustomerId":"c${index}","Name":${name}}\n`).join('');
    transfers.put('customers.ndjson', Buffer.from(text('1')));
    const runId = transfers.begin();
    await transfers.deliver();
    const mended = Buffer.from(text('"Ada"'));
    transfers.put('customers.ndjson', mended);
    return transfers.prepare(['succeeded'], mended.length + WORDS_ABOUT_A_FILE, () => transfers.replay(runId));
  },
};

const rowBesideDeletions: Input = {
  name: 'a row of many items beside many remembered deletions of items',
  size: 125,
  prepare: async (deletions) => {
    const transfers = await MeteredTransfers.open();
    transfers.put('orders.ndjson', Buffer.from(JSON.stringify(order('x', 1))));
    await transfers.run();
    for (const number of times(deletions, (each) => each)) {
      await transfers.delete({ type: 'orderItem', orderId: 'x', productId: `gone${number}`, sku: null });
    }
    await transfers.run();
    const row = Buffer.from(JSON.stringify(order('x', 20 * deletions)));
    transfers.put('orders.ndjson', row);
    return transfers.prepare(['succeeded'], row.length + (await transfers.storedBytes()));
  },
};

/** Workers that end a run of many small files at the same time: each looks whether it is the last. */
const runOfManyFiles = (workers: number): Input => ({
  name: `a run of many files, ${workers} at once`,
  size: 40,
  prepare: async (files) => {
    const transfers = await MeteredTransfers.open();
    for (const number of times(files, (each) => each)) {
      transfers.put(`customers-${number}.ndjson`, Buffer.from(`{"CustomerId":"c${number}"}\n`));
    }
    return transfers.prepare(['succeeded'], files * WORDS_ABOUT_A_FILE, () => transfers.run(workers));
  },
});

export const RUN_INPUTS: readonly Input[] = [
  replayOfLines,
  rowBesideDeletions,
  ...[1, 2, 4, 8].map((workers) => runOfManyFiles(workers)),
];
