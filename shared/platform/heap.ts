import { setFlagsFromString } from 'node:v8';
import { MAX_OLD_SPACE_MEBIBYTES, MAX_SEMI_SPACE_MEBIBYTES } from '../limits/platform';

/**
 * Sets how far the heap grows beyond the live objects before V8 collects all of it, in per cent
 * (FILES_HEAP_GROWTH_PERCENT, BATCHES_HEAP_GROWTH_PERCENT). To be called once, when the process starts.
 */
export function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** `NODE_OPTIONS` of a function that takes requests or deletions (terraform/functions.tf). */
export const BOUNDED_HEAP_OPTIONS = `--max-old-space-size=${MAX_OLD_SPACE_MEBIBYTES}`;

/**
 * `NODE_OPTIONS` of a function that reads files for minutes. V8 reads the size of its young generation only when it
 * starts.
 */
export const STEADY_HEAP_OPTIONS = `--max-semi-space-size=${MAX_SEMI_SPACE_MEBIBYTES} ${BOUNDED_HEAP_OPTIONS}`;
