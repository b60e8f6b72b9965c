/** What a month of 30 days costs: the work of a day at list prices, without free parts and discounts. */
import { INSTANCE_GIB, LIST_PRICES, REQUEST_LOG_BYTES } from '../../bench/list-prices';
import { ASSUMED } from '../figures/assumptions';
import type { MillionCost, ProcessorTime } from '../figures/measured';
import { price } from '../figures/terraform';
import { FILE_SLICE_ROWS } from '../../../shared/limits/transfers';
import { KINDS_OF_JOBS } from './jobs';
import type { Work } from './metered-cloud';
import { noWork } from './metered-cloud';
import type { Probe, RequestProbes } from './probe-requests';
import type { TransferProbes } from './probe-transfers';
import { workOfFile } from './probe-transfers';
import type { Workload } from './workload';
import { filesOf, firesOf, requestsASecond, rowsOfRun } from './workload';

const DAYS = 30;
const GIB = 2 ** 30;

/** What the services do in a day. */
export interface Day {
  readonly requests: number;
  readonly runs: number;
  readonly files: number;
  readonly work: Work;
  /** Seconds of instances that requests over HTTP take, as if no two shared one, and those that steps take. */
  readonly requestSeconds: number;
  readonly stepSeconds: number;
}

export function workOfDay(
  workload: Workload,
  requests: RequestProbes,
  transfers: TransferProbes,
  time: ProcessorTime,
): Day {
  const count = requestsASecond(workload) * 86_400;
  const work = noWork();
  add(work, requests.known.work, count);
  work.writes += count; // counters of usage: at most one write for each request
  work.reads += workload.total * (1 - ASSUMED.fileShare) * readsOfRecord();
  work.deletes += count; // the counters of requests expire
  let [runs, files, stepSeconds] = [0, 0, 0];
  for (const kind of KINDS_OF_JOBS) {
    const { timesADay } = firesOf(kind);
    for (const records of workload.records) {
      const ofRun = filesOf(rowsOfRun(kind, records));
      runs += timesADay;
      files += timesADay * ofRun.length;
      const plan = ofRun.length > 0 ? transfers.filePlan : transfers.emptyPlan;
      for (const probe of [transfers.trigger, plan]) {
        add(work, probe.work, timesADay);
        stepSeconds += timesADay * meanSeconds(probe);
      }
      add(work, transfers.begin.work, timesADay);
      for (const file of ofRun) {
        add(work, workOfFile(file, transfers), timesADay);
        const further = file / FILE_SLICE_ROWS - 1;
        const waitingSeconds =
          meanSeconds(transfers.file) + (Math.max(0, further) * transfers.slice.durationMs) / 1_000;
        stepSeconds += timesADay * Math.max(waitingSeconds, (file * time.rowMs) / 1_000);
      }
    }
  }
  const processorSeconds = (time.requestMs + ASSUMED.recordsOfBatch * time.recordMs) / 1_000;
  return {
    requests: count,
    runs,
    files,
    work,
    requestSeconds: count * (meanSeconds(requests.known) + processorSeconds),
    stepSeconds,
  };
}

export interface BillLine {
  readonly name: string;
  readonly dollars: number;
}

/** @param deletions what a million cost, without their counters */
export function billOfMonth(workload: Workload, day: Day, deletions: MillionCost, runnerPlaces: number): BillLine[] {
  const { firestore, pubsub, run, logging } = LIST_PRICES;
  const { work, requests, runs, files } = day;
  const month = (dollarsADay: number) => DAYS * dollarsADay;
  const steps = 2 * runs + files;
  const instanceSecond = run.cpuSecond + INSTANCE_GIB * run.gibSecond;
  const storedGib = (workload.total * ASSUMED.storedDays * ASSUMED.storedBytes) / GIB;
  return [
    { name: 'Firestore, writes', dollars: month(work.writes * firestore.write) },
    { name: 'Firestore, reads', dollars: month(work.reads * firestore.read) },
    { name: 'Firestore, removals and expiry', dollars: month(work.deletes * firestore.delete) },
    { name: 'Firestore, stored', dollars: storedGib * price('Firestore, stored data') },
    {
      name: 'Firestore, recovery',
      dollars: ((workload.total * RECOVERED_DAYS * RECOVERED_BYTES) / GIB) * price('Firestore, stored data'),
    },
    { name: 'Firestore, backups', dollars: storedGib * BACKUPS * price('Firestore, backup') },
    { name: 'functions of HTTP', dollars: month(day.requestSeconds * instanceSecond + requests * run.request) },
    {
      name: 'transfer-runner',
      dollars: month((day.stepSeconds / runnerPlaces) * instanceSecond + steps * run.request),
    },
    {
      name: 'deletions',
      dollars: month((workload.total * ASSUMED.deletionsPerRecord * deletions.dollars) / 1_000_000),
    },
    { name: 'Pub/Sub', dollars: month((runs + 2 * work.messages + runs) * pubsub.message) },
    { name: 'Cloud Scheduler', dollars: (workload.tenants * KINDS_OF_JOBS.length + 1) * price('Cloud Scheduler') },
    { name: 'logs', dollars: month((requests + steps) * REQUEST_LOG_BYTES * logging.byte) },
  ];
}

/** Backups that are kept at once: 7 daily ones and 14 weekly ones (terraform/firestore.tf). */
const BACKUPS = 21;

/** Days of writes that recovery keeps, and bytes of each, as terraform/README.md assumes ("What it costs"). */
const RECOVERED_DAYS = 7;
const RECOVERED_BYTES = 1_024;

/** Reads of a record that comes over HTTP, beside those of its batch. */
function readsOfRecord(): number {
  const { shareOfKind, readsOfKnown } = ASSUMED;
  const kinds = Object.keys(shareOfKind) as (keyof typeof shareOfKind)[];
  return kinds.reduce((sum, kind) => sum + shareOfKind[kind] * readsOfKnown[kind], 0);
}

function add(sum: Work, work: Work, times: number): void {
  for (const name of Object.keys(sum) as (keyof Work)[]) sum[name] += times * work[name];
}

function meanSeconds({ durationsMs }: Probe): number {
  return durationsMs.reduce((sum, ms) => sum + ms, 0) / durationsMs.length / 1_000;
}
