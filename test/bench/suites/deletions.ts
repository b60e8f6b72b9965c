/**
 * Deletions beside everything else: what they hold up, what they cost, and which documents they make hot. What is timed
 * and what is counted through proxies are runs of their own; the parts are in `deletions/`.
 */
import { backlogBars, backlogTable, backlogUpsertTable, countBacklog, measureBacklog } from '../deletions/backlog';
import { besideBars, besideTable, countBeside, measureBeside } from '../deletions/beside-deletions';
import type { DeletionCost } from '../deletions/deletion-costs';
import { deletionRoutes, measureDeletionCost } from '../deletions/deletion-costs';
import { commitTable, filesBars, filesTable, measureFilesAtOnce } from '../deletions/files-at-once';
import type { CountedLoad, DocumentSort, WrittenDocument } from '../deletions/hot-documents';
import { hottestFirst, writtenDocuments } from '../deletions/hot-documents';
import { loneTable, measureLone } from '../deletions/lone-deletions';
import { burstBars, burstTable, measureBursts } from '../deletions/many-callers';
import { priceOf } from '../list-prices';
import { costTable, MILLION } from '../route-costs';
import type { Bar, Suite, SuiteOptions, Table } from '../suite';

/** Documents of a table of the hottest. */
const HOTTEST = 10;
/** Of each load; the rest is cooler, and there are very many. */
const KEPT = 200;
/** What Firestore takes of one document for long. */
const WRITES_PER_SECOND = 1;
/** Per deletion, its requests and counters included. */
const MOST = { reads: 8, writes: 4, deletes: 3, cpuMs: 5 };
/** US dollars for a million deletions: by requests of their own, and by the route of batches. */
const MOST_DOLLARS = { single: 7, batch: 4 };

interface Part {
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  /** What was written meanwhile. */
  readonly loads: readonly CountedLoad[];
  readonly samples: unknown;
}

/** In the order in which they run. */
const PARTS: Readonly<Record<string, (options: SuiteOptions) => Promise<Part>>> = {
  'beside deletions': async (options) => {
    const samples = await measureBeside(options);
    return {
      tables: [besideTable(samples)],
      bars: besideBars(samples),
      loads: await countBeside(options),
      samples,
    };
  },
  'many at once': async (options) => {
    const samples = await measureBursts(options);
    return { tables: [burstTable(samples)], bars: burstBars(samples), loads: [], samples };
  },
  costs: async (options) => {
    const { quick, progress } = options;
    const measured: DeletionCost[] = [];
    for (const route of deletionRoutes(quick)) {
      progress(`deletions: cost of ${route.name}`);
      measured.push(await measureDeletionCost(route));
    }
    const costs = measured.map(({ cost }) => cost);
    const loads = measured.map(({ load }) => load);
    const lone = await measureLone(options);
    const tables = [costTable(costs), loneTable(lone)];
    return { tables, bars: measured.flatMap(costBars), loads, samples: { costs, lone } };
  },
  'a backlog': async (options) => {
    const samples = await measureBacklog(options);
    return {
      tables: [backlogTable(samples), backlogUpsertTable(samples)],
      bars: backlogBars(samples),
      loads: [await countBacklog(options)],
      samples,
    };
  },
  'files at once': async (options) => {
    const { samples, loads } = await measureFilesAtOnce(options);
    return { tables: [filesTable(samples), commitTable(samples)], bars: filesBars(samples), loads, samples };
  },
};

export const measureDeletions: Suite = async (options) => {
  const parts: Part[] = [];
  const written: WrittenDocument[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    const part = await measure(options).catch((error: unknown) => notMeasured(name, error, options));
    parts.push(part);
    written.push(...part.loads.flatMap((load) => writtenDocuments(load).slice(0, KEPT)));
  }
  const hottest = hottestFirst(written);
  return {
    suite: 'deletions',
    tables: [
      ...parts.flatMap(({ tables }) => tables),
      hotTable('The ten hottest documents, under all of these loads', hottest),
      hotTable(
        'The ten hottest documents but for rate counters and the progress of runs and files',
        hottest.filter(({ sort }) => sort !== 'rate counter' && !isProgress(sort)),
      ),
    ],
    bars: [...parts.flatMap(({ bars }) => bars), ...hotBars(hottest)],
    notes: [
      'Whatever is compared alternates within the run. Ratios are medians of the quotients of rounds or pairs. What is ' +
        'timed calls the emulators directly. Costs, commits and the writes of documents are counted through proxies in ' +
        'runs of their own, with the same upserts at most every 1.2 s, so that the sender does not make records hot.',
      'Writes a second: those after the first one, over the time between it and the last one, at least ten seconds or ' +
        'the whole load, and never less than a second. A removal is a write. The requests of a key count in a document of the key and the minute.',
      'Costs as in the suite of that name. Instances are one of each function; the one of transfer-runner reads all ten ' +
        'files, where the platform has three.',
    ],
    samples: { parts: parts.map(({ samples }) => samples), written: hottest },
  };
};

/** A part that failed does not take the others with it, and is a bar that was missed. */
function notMeasured(name: string, error: unknown, { progress }: SuiteOptions): Part {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  progress(`deletions: ${name} could not be measured: ${text}`);
  const bar: Bar = { name: `${name}: could be measured`, value: 0, limit: 1, must: 'reach' };
  return { tables: [], bars: [bar], loads: [], samples: { error: text } };
}

function isProgress(sort: DocumentSort): boolean {
  return sort === 'progress of a run or file';
}

function hotTable(title: string, documents: readonly WrittenDocument[]): Table {
  return {
    title,
    columns: ['document', 'what it is', 'under', 'writes', 'writes/s'],
    rows: documents
      .slice(0, HOTTEST)
      .map(({ path, sort, load, writes, writesPerSecond }) => [`\`${path}\``, sort, load, writes, writesPerSecond]),
  };
}

/** Apart, so that a miss of the counters does not hide another one. */
function hotBars(written: readonly WrittenDocument[]): Bar[] {
  const bar = (name: string, isMeant: (sort: DocumentSort) => boolean): Bar => ({
    name: `writes/s of the hottest ${name}`,
    value: Math.max(0, ...written.filter(({ sort }) => isMeant(sort)).map(({ writesPerSecond }) => writesPerSecond)),
    limit: WRITES_PER_SECOND,
    must: 'stay at or below',
  });
  return [
    bar('rate counter', (sort) => sort === 'rate counter'),
    bar('other document but progress', (sort) => sort !== 'rate counter' && !isProgress(sort)),
  ];
}

function costBars({ cost: { route, consumption }, isBatch, repeats }: DeletionCost): Bar[] {
  const must = 'stay at or below';
  const price: Bar = {
    name: `${route}: $ a million`,
    value: priceOf(consumption),
    limit: isBatch ? MOST_DOLLARS.batch : MOST_DOLLARS.single,
    must,
  };
  const overdue: Bar = { name: `${route}: answers of 503`, value: repeats, limit: 0, must };
  if (isBatch) return [price, overdue];
  const { reads, refused, writes, deletes, cpuSeconds } = consumption;
  return [
    { name: `${route}: reads, refused writes among them`, value: (reads + refused) / MILLION, limit: MOST.reads, must },
    { name: `${route}: writes`, value: writes / MILLION, limit: MOST.writes, must },
    { name: `${route}: removals`, value: deletes / MILLION, limit: MOST.deletes, must },
    { name: `${route}: CPU ms`, value: (cpuSeconds * 1000) / MILLION, limit: MOST.cpuMs, must },
    price,
    overdue,
  ];
}
