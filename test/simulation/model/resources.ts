/** What may saturate: how much of each resource is used, and what one does when it is not enough. */
import { DEFAULT_REQUESTS_PER_MINUTE } from '../../../shared/domain/limits';
import { MAX_COUNTED_SINGLY, MAX_REMEMBERED_KEYS } from '../../../shared/limits/requests';
import { MAX_USAGE_ENTRIES } from '../../../shared/limits/usage';
import { ASSUMED } from '../figures/assumptions';
import type { ProcessorTime } from '../figures/measured';
import { PUBLISHED } from '../figures/published';
import { waitSeconds, sweepSeconds } from '../figures/terraform';
import type { Deployment } from './deployment';
import { KINDS_OF_JOBS } from './jobs';
import type { TransferProbes } from './probe-transfers';
import type { Peak } from './requests';
import type { Night } from './transfers';
import type { Workload } from './workload';
import { rowsOfRun } from './workload';

export interface Resource {
  readonly name: string;
  readonly used: number;
  readonly capacity: number;
  /** Where the capacity is from. */
  readonly source: string;
  /**
   * What happens beyond it. `refused`: work is refused. `late`: work waits, ever longer. `slower`: the platform
   * promises nothing, and calls take longer or are repeated.
   */
  readonly beyond: 'refused' | 'late' | 'slower';
  /** Whether it is used in proportion to the tenants, so that the number of tenants can be told at which it is full. */
  readonly growsWithTenants: boolean;
  readonly remedy: string;
}

/** Resources with the most saturated one first. */
export function bySaturation(resources: readonly Resource[]): Resource[] {
  return [...resources].sort((a, b) => saturation(b) - saturation(a));
}

/** 1: full. */
export function saturation({ used, capacity }: Pick<Resource, 'used' | 'capacity'>): number {
  return used / capacity;
}

/** The tenants at which a resource that grows with them is full; null for any other. */
export function ceilingTenants(resource: Resource, tenants: number): number | null {
  return resource.growsWithTenants && resource.used > 0 ? Math.floor(tenants / saturation(resource)) : null;
}

/** What a scenario has given. */
export interface Observed {
  readonly workload: Workload;
  readonly deployment: Deployment;
  readonly night: Night;
  readonly hours: number;
  readonly peaks: Readonly<Record<keyof typeof ASSUMED.shareOfKind, Peak>>;
  readonly transfers: TransferProbes;
  readonly time: ProcessorTime;
  /** Milliseconds of the sweep of deletions for each flag. */
  readonly sweptFlagMs: number;
  /** Writes a second to the counter of a key with a high limit, and that limit. */
  readonly leased: { readonly limit: number; readonly writesASecond: number };
}

const SECONDS_OF_DAY = 86_400;

export function resourcesOf(observed: Observed): Resource[] {
  return [
    ...ofScheduler(observed),
    ...ofTransfers(observed),
    ...ofRequests(observed),
    ...ofDeletions(observed),
    ...ofDocuments(observed),
  ];
}

function ofDeletions({ workload, deployment, sweptFlagMs, time }: Observed): Resource[] {
  const consumer = deployment.functions['deletion-consumer'];
  const deletionsASecond = (workload.total * ASSUMED.deletionsPerRecord * ASSUMED.peakFactor) / SECONDS_OF_DAY;
  return [
    {
      name: 'processors of `deletion-consumer` at the peak',
      used: (deletionsASecond * time.deletionMs) / 1_000,
      capacity: consumer.maxInstances * consumer.cpu,
      source: '`terraform/functions.tf`, `docs/speed.md`',
      beyond: 'late',
      growsWithTenants: true,
      remedy: '`max_instances` of `deletion-consumer`',
    },
    {
      name: 'time of one sweep of deletions at the peak',
      used: (flagsRaisedIn(sweepSeconds(), workload) * sweptFlagMs) / 1_000,
      capacity: sweepSeconds(),
      source: '`terraform/messaging.tf`',
      beyond: 'late',
      growsWithTenants: true,
      remedy: 'none by a setting: FLAGS_SWEPT_AT_ONCE of `shared/limits/deletions.ts`',
    },
  ];
}

/** Tenants and kinds of which a deletion comes within a time of the peak: each raises a flag. */
function flagsRaisedIn(seconds: number, { records }: Workload): number {
  const ofRecord = (ASSUMED.deletionsPerRecord * ASSUMED.peakFactor * seconds) / SECONDS_OF_DAY;
  const shares = Object.values(ASSUMED.shareOfKind);
  const ofTenant = (sent: number) => shares.reduce((sum, share) => sum + 1 - Math.exp(-share * sent * ofRecord), 0);
  return records.reduce((sum, sent) => sum + ofTenant(sent), 0);
}

function ofScheduler({ workload, deployment }: Observed): Resource[] {
  return [
    {
      name: 'jobs of Cloud Scheduler',
      used: workload.tenants * KINDS_OF_JOBS.length + 1,
      capacity: deployment.regions * PUBLISHED.jobsInRegion.value,
      source: PUBLISHED.jobsInRegion.source,
      beyond: 'refused',
      growsWithTenants: true,
      remedy: '`scheduler_locations`: more regions',
    },
  ];
}

function ofTransfers({ workload, deployment, night, hours, time }: Observed): Resource[] {
  const runner = deployment.functions['transfer-runner'];
  const rowsOfNight = KINDS_OF_JOBS.reduce((sum, kind) => {
    const times = kind === 'daily' ? 1 : hours;
    return sum + times * workload.records.reduce((rows, records) => rows + rowsOfRun(kind, records), 0);
  }, 0);
  return [
    {
      name: `places of \`transfer-runner\`, ${hours} h from midnight`,
      used: night.busyMs / 1_000,
      capacity: hours * 3_600 * runner.maxInstances * runner.concurrency,
      source: '`terraform/functions.tf`',
      beyond: 'late',
      growsWithTenants: true,
      remedy: '`max_instances` of `transfer-runner`',
    },
    {
      name: `processors of \`transfer-runner\`, ${hours} h from midnight`,
      used: (rowsOfNight * time.rowMs) / 1_000,
      capacity: hours * 3_600 * runner.maxInstances * runner.cpu,
      source: '`terraform/functions.tf`, `docs/speed.md`',
      beyond: 'late',
      growsWithTenants: true,
      remedy: '`max_instances` of `transfer-runner`',
    },
    {
      name: 'end of a run, p99, before the next hour',
      used: night.lateness.percentile(0.99) / 1_000,
      capacity: 3_600,
      source: 'hourly jobs',
      beyond: 'late',
      growsWithTenants: false,
      remedy: '`max_instances` of `transfer-runner`',
    },
    {
      name: 'age of the oldest message of transfers',
      used: night.waits.max / 1_000,
      capacity: waitSeconds('transfer-runner'),
      source: '`wait_seconds`',
      beyond: 'late',
      growsWithTenants: false,
      remedy: '`max_instances` of `transfer-runner`',
    },
    {
      name: 'bytes a second through Pub/Sub',
      used: night.messageRates.peakASecond() * PUBLISHED.messageBytes.value,
      capacity: PUBLISHED.publishedBytesASecond.value,
      source: PUBLISHED.publishedBytesASecond.source,
      beyond: 'refused',
      growsWithTenants: false,
      remedy: 'ask for more of the quota',
    },
  ];
}

function ofRequests({ workload, peaks }: Observed): Resource[] {
  const kinds = Object.keys(peaks) as (keyof typeof peaks)[];
  const fullest = kinds.reduce((a, b) => (peaks[b].processorsTaken > peaks[a].processorsTaken ? b : a));
  const peak = peaks[fullest];
  const largestPerMinute =
    (workload.largest * (1 - ASSUMED.fileShare) * ASSUMED.peakFactor) / ASSUMED.recordsOfBatch / (SECONDS_OF_DAY / 60);
  return [
    {
      name: `places of \`${fullest}\` at the peak`,
      used: peak.placesTaken,
      capacity: 1,
      source: '`terraform/functions.tf`',
      beyond: 'refused',
      growsWithTenants: true,
      remedy: `\`max_instances\` of \`${fullest}\``,
    },
    {
      name: `processors of \`${fullest}\` at the peak`,
      used: peak.processorsTaken,
      capacity: 1,
      source: '`terraform/functions.tf`, `docs/speed.md`',
      beyond: 'refused',
      growsWithTenants: true,
      remedy: `\`max_instances\` of \`${fullest}\``,
    },
    {
      name: 'limit of the key of the largest tenant',
      used: largestPerMinute,
      capacity: DEFAULT_REQUESTS_PER_MINUTE,
      source: '`DEFAULT_REQUESTS_PER_MINUTE`',
      beyond: 'refused',
      growsWithTenants: false,
      remedy: '`keys create --limit`, or fuller batches',
    },
    {
      name: 'keys that an instance remembers',
      used: workload.tenants,
      capacity: MAX_REMEMBERED_KEYS,
      source: '`MAX_REMEMBERED_KEYS`',
      beyond: 'slower',
      growsWithTenants: true,
      remedy: `a request of a key that is forgotten takes more round trips: ${percent(1 - peak.knownShare)} of them`,
    },
    {
      name: 'counters of usage that an instance holds',
      used: peak.tenantsCounted,
      capacity: MAX_USAGE_ENTRIES,
      source: '`MAX_USAGE_ENTRIES`',
      beyond: 'slower',
      growsWithTenants: false,
      remedy: 'more instances',
    },
  ];
}

function ofDocuments({ workload, night, transfers, leased }: Observed): Resource[] {
  const largestExport = Math.max(...KINDS_OF_JOBS.map((kind) => rowsOfRun(kind, workload.largest)));
  const hotDocument = {
    capacity: PUBLISHED.documentWritesASecond.value,
    source: PUBLISHED.documentWritesASecond.source,
    beyond: 'slower',
    growsWithTenants: false,
  } as const;
  return [
    {
      name: 'writes a second of runs, whose ids grow with time (worst minute)',
      used: night.runWrites.peakASecond(),
      capacity: PUBLISHED.sequentialWritesASecond.value,
      source: PUBLISHED.sequentialWritesASecond.source,
      beyond: 'slower',
      growsWithTenants: false,
      remedy: 'other times for the daily jobs of large organizations',
    },
    {
      ...hotDocument,
      name: 'writes a second of the progress of one file, while it is read',
      used: transfers.hottestWritesASecond,
      remedy: 'none by a setting',
    },
    {
      ...hotDocument,
      name: `writes a second of the counter of a key of ${leased.limit.toLocaleString('en')} a minute, fully used`,
      used: leased.writesASecond,
      remedy: 'several keys for the organization',
    },
    {
      ...hotDocument,
      name: `writes a second of the counter of a key of ${MAX_COUNTED_SINGLY} a minute, fully used`,
      used: MAX_COUNTED_SINGLY / 60,
      remedy: 'a higher limit: above it requests are counted in leases',
    },
    {
      name: 'writes a second to the collection of the largest tenant (over 5 minutes)',
      used: largestExport / PUBLISHED.rampSeconds.value,
      capacity: PUBLISHED.newCollectionASecond.value,
      source: PUBLISHED.newCollectionASecond.source,
      beyond: 'slower',
      growsWithTenants: false,
      remedy: 'let a large tenant begin with parts of its data',
    },
  ];
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
