/**
 * Deletions beside everything else: what they hold up, what they cost, and which documents they make hot. What is timed
 * and what is counted through proxies are runs of their own; the parts are in `deletions/`.
 */
import { backlogBars, backlogTable, backlogUpsertTable, countBacklog, measureBacklog } from '../deletions/backlog';
import { besideBars, besideTable, countBeside, measureBeside } from '../deletions/beside-deletions';
import type { DeletionCost } from '../deletions/deletion-costs';
import { deletionRoutes, measureDeletionCost } from '../deletions/deletion-costs';
import { commitTable, filesBars, filesTable, measureFilesAtOnce } from '../deletions/files-at-once';
import type { DocumentSort, WrittenDocument } from '../deletions/hot-documents';
import { hottestFirst, writtenDocuments } from '../deletions/hot-documents';
import { burstBars, burstTable, measureBursts } from '../deletions/many-callers';
import { priceOf } from '../list-prices';
import { costTable, MILLION } from '../route-costs';
import type { Bar, Suite, Table } from '../suite';

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

export const measureDeletions: Suite = async (options) => {
  const beside = await measureBeside(options);
  const bursts = await measureBursts(options);
  const costs: DeletionCost[] = [];
  for (const route of deletionRoutes(options.quick)) {
    options.progress(`deletions: cost of ${route.name}`);
    costs.push(await measureDeletionCost(route));
  }
  const backlog = await measureBacklog(options);
  const files = await measureFilesAtOnce(options);
  const loads = [
    ...(await countBeside(options)),
    ...costs.map(({ load }) => load),
    await countBacklog(options),
    ...files.loads,
  ];
  const written = hottestFirst(loads.flatMap((load) => writtenDocuments(load).slice(0, KEPT)));
  return {
    suite: 'deletions',
    tables: [
      besideTable(beside),
      burstTable(bursts),
      costTable(costs.map(({ cost }) => cost)),
      backlogTable(backlog),
      backlogUpsertTable(backlog),
      filesTable(files.samples),
      commitTable(files.samples),
      hotTable('The ten hottest documents, under all of these loads', written),
      hotTable(
        'The ten hottest documents but for rate counters and the progress of runs and files',
        written.filter(({ sort }) => sort !== 'rate counter' && !isProgress(sort)),
      ),
    ],
    bars: [
      ...besideBars(beside),
      ...burstBars(bursts),
      ...costs.flatMap(costBars),
      ...backlogBars(backlog),
      ...filesBars(files.samples),
      ...hotBars(written),
    ],
    notes: [
      'Whatever is compared alternates within the run. Ratios are medians of the quotients of rounds or pairs. What is ' +
        'timed calls the emulators directly. Costs, commits and the writes of documents are counted through proxies in ' +
        'runs of their own, with the same upserts at most every 1.2 s, so that the sender does not make records hot.',
      'Writes a second: over the time between the first write of a document and its last one, at least ten seconds or ' +
        'the whole load. A removal is a write. Each request of a key counts in a document of the key and the minute.',
      'Costs as in the suite of that name, with the instance time of the consumer: how long one call of it at least was ' +
        'under way. Instances are one of each function; the one of transfer-runner reads all ten files, where the ' +
        'platform has three.',
    ],
    samples: { beside, bursts, costs: costs.map(({ cost }) => cost), backlog, files: files.samples, written },
  };
};

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

function costBars({ cost: { route, consumption }, isBatch }: DeletionCost): Bar[] {
  const must = 'stay at or below';
  const price: Bar = {
    name: `${route}: $ a million`,
    value: priceOf(consumption),
    limit: isBatch ? MOST_DOLLARS.batch : MOST_DOLLARS.single,
    must,
  };
  if (isBatch) return [price];
  const { reads, refused, writes, deletes, cpuSeconds } = consumption;
  return [
    { name: `${route}: reads, refused writes among them`, value: (reads + refused) / MILLION, limit: MOST.reads, must },
    { name: `${route}: writes`, value: writes / MILLION, limit: MOST.writes, must },
    { name: `${route}: removals`, value: deletes / MILLION, limit: MOST.deletes, must },
    { name: `${route}: CPU ms`, value: (cpuSeconds * 1000) / MILLION, limit: MOST.cpuMs, must },
    price,
  ];
}
