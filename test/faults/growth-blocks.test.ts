/**
 * Promise: nothing that a caller sends, and no file of a tenant, holds the event loop for more than 50 ms beyond the
 * one parse of its bytes, so that the requests of others are answered meanwhile.
 */
import { turnsOf } from './growth/cost';
import { PUSH_INPUTS } from './growth/push-inputs';
import { ROUTE_INPUTS } from './growth/route-inputs';
import { machineFactor } from './growth/machine';
import {
  WORST_CUSTOMERS,
  WORST_DELETIONS,
  WORST_GZIP,
  WORST_ORDERS,
  WORST_PRODUCTS,
  WORST_READS,
} from './growth/worst-batches';
import type { TurnTimes } from './growth/turn-meter';
import { WORST_FILES } from './growth/worst-files';
import { ofTier, report } from './tier';

/** The rule, in the processor's milliseconds, on a machine as fast as that on which it was set. */
const RULE_MS = 50;
/**
 * Above the rule for what the machine does beside: other caches, a clock in steps, at best one CPU for itself. What is
 * wrong takes far more: each input of the small tier took 70 to 6,000 ms before it was mended.
 */
const MARGIN = ofTier(2.5, 1.5);
/** The same by the clock and with the collection of garbage: nobody waits longer than that, in milliseconds. */
const LONGEST_DELAY_MS = 250;
/** The best of some runs counts; a run within the bound is the last. */
const RUNS = 5;

/** The inputs that block longest when something is wrong, and soon done otherwise. */
const SHARPEST: ReadonlySet<string> = new Set([
  'POST customers: one long text of emoji',
  'POST customers: blanks of gzip',
  'POST customers: an element of 980,000 distinct unknown fields',
  'POST orders: 500 times a stored order of 9,000 items, without items',
  'POST orders: one order in 500 elements of 300 new items',
  'POST orders: 500 orders of 180 items with all fields',
  'POST products: 200 products of 800 variants',
  'POST products: 200 times a stored product of 18,000 variants',
  'POST products: by Sku, 200 elements of one stored product of 8,000 variants',
  'POST products: behind 1,000 deletions of variants of one product of 18,000 (R-53)',
  'POST orders: behind 1,000 deletions of items that an order of 9,000 does not hold (R-53)',
  'GET orders: an order of 6,000 items with all fields',
  'GET products: a product of 18,000 variants behind 1,000 deletions of some (R-69)',
  'POST products: by Sku, one product of 8,750 new variants',
  'file customers.csv: newlines',
  'file customers.csv: a row of commas',
  'file customers.csv: a row of doubled quotation marks',
  'file customers.csv: a header row of semicolons that cannot be read',
  'file orders.csv: one group of many rows',
  'file orders.ndjson: rows of one stored order of 18,000 items',
]);

const ALL = [
  ...WORST_CUSTOMERS,
  ...WORST_GZIP,
  ...WORST_ORDERS,
  ...WORST_PRODUCTS,
  ...WORST_DELETIONS,
  ...WORST_READS,
  ...WORST_FILES,
  ...[...ROUTE_INPUTS, ...PUSH_INPUTS].map((input) => ({ ...input, size: 4 * input.size })),
];
const INPUTS = ofTier(
  ALL.filter(({ name }) => SHARPEST.has(name)),
  ALL,
);

it('knows its sharpest inputs', () => {
  expect(ALL.filter(({ name }) => SHARPEST.has(name))).toHaveLength(SHARPEST.size);
});

it.each(INPUTS)('$name', async ({ name, size, prepare }) => {
  const factor = machineFactor();
  const mostMs = MARGIN * RULE_MS * factor;
  const mostDelayMs = LONGEST_DELAY_MS * factor;
  const isWithin = (turns: TurnTimes) => turns.blockMs <= mostMs && turns.delayMs <= mostDelayMs;
  const turns = await turnsOf(prepare, size, RUNS, isWithin);
  const [block, delay, all] = [turns.blockMs, turns.delayMs, turns.cpuMs].map(Math.round);
  const numbers = `block ${block} ms of at most ${Math.round(mostMs)}, delay ${delay} ms, ${all} ms in all`;
  report(`nothing blocks: ${name}`, 1, isWithin(turns) ? 0 : 1, numbers);
  expect(turns.blockMs).toBeLessThanOrEqual(mostMs);
  expect(turns.delayMs).toBeLessThanOrEqual(mostDelayMs);
});
