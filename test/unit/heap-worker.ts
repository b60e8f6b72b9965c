/** Prints how often the whole heap is looked through while this process makes garbage; its argument is the growth. */
import { GCProfiler } from 'node:v8';
import { setHeapGrowth } from '../../shared/platform/heap';

const ALIVE = 200_000;
const MADE = 20 * ALIVE;

setHeapGrowth(Number(process.argv[2]));
const profiler = new GCProfiler();
profiler.start();
/** What is old enough to have left the young generation becomes garbage. */
const alive: number[][] = [];
for (let made = 0; made < MADE; made += 1) alive[made % ALIVE] = Array.from({ length: 8 }, () => made);
const { statistics } = profiler.stop();
process.stdout.write(String(statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact').length));
