/** What simulations have come to, as tables: one column for each number of tenants. */
import { LIST_PRICES } from '../bench/list-prices';
import { tableOf } from '../bench/report';
import type { Table } from '../bench/suite';
import { cpusAtMost } from './model/deployment';
import { PUBLISHED } from './figures/published';
import { hoursToRegister, jobsOfRegions, KINDS_OF_JOBS } from './model/jobs';
import type { TransferProbes } from './model/probe-transfers';
import type { Resource } from './model/resources';
import { ceilingTenants, saturation } from './model/resources';
import type { Night } from './model/transfers';
import type { Outcome, SimulationResult } from './simulation';

type Cell = string | number;
type Row = readonly [name: string, value: (result: SimulationResult) => Cell];

/** The tables, each with the name that says where in docs/scale.md it is. */
export function tablesOf(results: readonly SimulationResult[]): ReadonlyMap<string, Table> {
  return new Map([
    ['load', table(results, LOAD)],
    ['default', saturationTable(results)],
    ['changes', table(results, CHANGES)],
    ['raised', sharesTable(results, 'raised')],
    ['spread', comparisonOf(results)],
    ['bill', table(results, billRows(results))],
  ]);
}

/** The nights of two ways of beginning runs and handing out files, side by side. */
function comparisonOf(results: readonly SimulationResult[]): Table {
  const columns = ['', ...results.flatMap(({ workload }) => [thousands(workload.tenants), 'at once'])];
  const rows = NIGHT.map(([name, value]) => [
    name,
    ...results.flatMap(({ raised, otherNight }) => [value(raised.night), value(otherNight)]),
  ]);
  return { title: '', columns, rows };
}

/** A page with these tables in their places. @throws Error when a place is missing */
export function withTables(page: string, tables: ReadonlyMap<string, Table>): string {
  return [...tables].reduce((text, [name, content]) => {
    const place = new RegExp(`(<!-- simulated: ${name} -->\\n)[^]*?(<!-- simulated end -->)`);
    if (!place.test(text)) throw new Error(`The page has no place for the table ${name}.`);
    return text.replace(place, (_, start: string, end: string) => `${start}\n${tableOf(content)}\n\n${end}`);
  }, page);
}

const perSecond = (value: number) => thousands(Math.round(value));
const duration = (ms: number) => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
};

const LOAD: readonly Row[] = [
  ['records a day', ({ workload }) => thousands(workload.total)],
  ['records a day of the largest tenant', ({ workload }) => thousands(Math.round(workload.largest))],
  ['requests a day over HTTP', ({ day }) => thousands(Math.round(day.requests))],
  ['runs of transfers a day', ({ day }) => thousands(day.runs)],
  ['files a day', ({ day }) => thousands(day.files)],
  ['rows a second in the worst minute of the night', ({ raised }) => perSecond(raised.night.rows.peakASecond())],
  ['an answer over HTTP at the peak, p50', ({ peak }) => duration(peak.answers.percentile(0.5))],
  ['the same, p99', ({ peak }) => duration(peak.answers.percentile(0.99))],
  ['full first, by default', ({ byDefault }) => firstFull(byDefault)],
  ['the same, of what refuses or delays work', ({ byDefault }) => firstFull(byDefault, 'slower')],
  ['full first, with what is changed', ({ raised }) => firstFull(raised)],
  ['the same, of what refuses or delays work', ({ raised }) => firstFull(raised, 'slower')],
];

const CHANGES: readonly Row[] = [
  ['`scheduler_locations`, regions', ({ raised }) => raised.deployment.regions],
  [
    'jobs in the emptiest and in the fullest of them',
    ({ raised, workload }) => extremes(jobsOfRegions(workload.tenants, raised.deployment.regions)),
  ],
  [
    'hours that registering all jobs takes at least',
    ({ raised, workload }) => round(hoursToRegister(workload.tenants, raised.deployment.regions)),
  ],
  ['`functions.transfer-runner.max_instances`', instancesOf('transfer-runner')],
  ['`functions.customers.max_instances`', instancesOf('customers')],
  ['`functions.orders.max_instances`', instancesOf('orders')],
  ['`functions.products.max_instances`', instancesOf('products')],
  ['quota `CpuAllocPerProjectRegion` at least, in CPUs', ({ raised }) => cpusAtMost(raised.deployment.functions)],
  [
    'runs of midnight take at least, by the published writes a second of documents whose ids grow',
    ({ workload, probes }) => duration(leastOfMidnight(workload.tenants, probes.transfers)),
  ],
  ['longest wait of a message of transfers', ({ raised }) => duration(raised.night.waits.max)],
  ['from when a run is due to its end, p50', ({ raised }) => duration(raised.night.lateness.percentile(0.5))],
  ['the same, p99', ({ raised }) => duration(raised.night.lateness.percentile(0.99))],
];

const NIGHT: readonly (readonly [name: string, value: (night: Night) => Cell])[] = [
  ['writes of runs a second, worst minute', ({ runWrites }) => perSecond(runWrites.peakASecond())],
  ['rows a second, worst minute', ({ rows }) => perSecond(rows.peakASecond())],
  ['messages that wait at once', ({ mostWaiting }) => thousands(mostWaiting)],
  ['longest wait of a message', ({ waits }) => duration(waits.max)],
  ['from when a run is due to its end, p50', ({ lateness }) => duration(lateness.percentile(0.5))],
  ['the same, p99', ({ lateness }) => duration(lateness.percentile(0.99))],
];

/** Milliseconds in which Firestore writes the documents of all runs of midnight, if it takes what is published. */
function leastOfMidnight(tenants: number, { trigger, begin, filePlan, file }: TransferProbes): number {
  const ofRun = trigger.work.runWrites + begin.work.runWrites + filePlan.work.runWrites + file.work.runWrites;
  return (1_000 * KINDS_OF_JOBS.length * tenants * ofRun) / PUBLISHED.sequentialWritesASecond.value;
}

function extremes(values: readonly number[]): string {
  return `${thousands(Math.min(...values))} to ${thousands(Math.max(...values))}`;
}

function instancesOf(name: keyof SimulationResult['raised']['deployment']['functions']) {
  return ({ raised }: SimulationResult) => raised.deployment.functions[name].maxInstances;
}

function billRows(results: readonly SimulationResult[]): Row[] {
  const names = results[0]?.bill.map(({ name }) => name) ?? [];
  const dollars = (value: number) => `$${thousands(Math.round(value))}`;
  return [
    ...names.map((name): Row => [name, ({ bill }) => dollars(bill.find((line) => line.name === name)?.dollars ?? 0)]),
    ['**a month**, list prices of ' + LIST_PRICES.date, ({ bill }) => `**${dollars(sumOf(bill))}**`],
    ['for a million records', ({ bill, workload }) => `$${((sumOf(bill) / workload.total / 30) * 1e6).toFixed(2)}`],
  ];
}

function sumOf(bill: SimulationResult['bill']): number {
  return bill.reduce((sum, { dollars }) => sum + dollars, 0);
}

function firstFull({ resources }: Outcome, without?: Resource['beyond']): string {
  const [first] = resources.filter(({ beyond }) => beyond !== without);
  return first ? `${first.name}: ${share(first)}` : '';
}

/** What may saturate, the most saturated one of the last column first, with what that means. */
function saturationTable(results: readonly SimulationResult[]): Table {
  const { columns, rows } = sharesTable(results, 'byDefault');
  const last = results.at(-1)!;
  const meanings = last.byDefault.resources.map((resource) => {
    const ceiling = ceilingTenants(resource, last.workload.tenants);
    const isLink = resource.source.startsWith('https:');
    return [
      resource.beyond,
      ceiling === null ? '' : thousands(Number(ceiling.toPrecision(2))),
      resource.remedy,
      isLink ? `[published](${resource.source})` : resource.source,
    ];
  });
  return {
    title: '',
    columns: [...columns, 'beyond it', 'full at so many tenants', 'what helps', 'capacity from'],
    rows: rows.map((row, index) => [...row, ...meanings[index]!]),
  };
}

/** How much of each resource is used. */
function sharesTable(results: readonly SimulationResult[], which: 'byDefault' | 'raised'): Table {
  const names = results.at(-1)?.[which].resources.map(({ name }) => name) ?? [];
  const shareIn = (result: SimulationResult, name: string) =>
    share(result[which].resources.find((resource) => resource.name === name)!);
  const rows = names.map((name): Row => [name, (result) => shareIn(result, name)]);
  return table(results, rows);
}

function table(results: readonly SimulationResult[], rows: readonly Row[]): Table {
  const columns = ['tenants', ...results.map(({ workload }) => thousands(workload.tenants))];
  return {
    title: '',
    columns,
    rows: rows.map(([name, value]) => [name, ...results.map((result) => String(value(result)))]),
  };
}

function share(resource: Resource): string {
  const percent = 100 * saturation(resource);
  const text = percent < 1 ? 'below 1 %' : `${thousands(Math.round(percent))} %`;
  return percent >= 100 ? `**${text}**` : text;
}

function round(value: number): Cell {
  return value < 10 ? value.toFixed(1) : thousands(Math.round(value));
}

function thousands(value: number): string {
  return value.toLocaleString('en');
}
