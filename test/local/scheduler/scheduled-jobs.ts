/**
 * The jobs of the scheduler stand-in: what the real service checks and remembers. Knows nothing of gRPC or of time
 * passing.
 */
import { randomUUID } from 'node:crypto';
import type { protos } from '@google-cloud/scheduler';
import { status } from '@grpc/grpc-js';
import type { Schedule } from './schedule';
import { parseSchedule } from './schedule';
import { invalidArgument, jobNotFound, SchedulerError } from './scheduler-error';

/** A job on the wire. */
export type Job = protos.google.cloud.scheduler.v1.IJob;

/** A job with its next run. */
interface ScheduledJob {
  job: Job & { readonly name: string };
  schedule: Schedule;
  /** Milliseconds since the epoch; undefined: never, or paused. */
  nextRunMs: number | undefined;
}

/** A field of a request that a caller may have left out. */
type Text = string | null | undefined;

const PARENT = /^projects\/[^/]+\/locations\/[^/]+$/;
const JOB_ID = /^[A-Za-z0-9_-]{1,500}$/;
const TOPIC = /^projects\/[^/]+\/topics\/[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/;
const MAX_PAGE_SIZE = 500;

/** What a user may change: the field of the update mask and of the message. */
const CHANGEABLE_FIELDS: Readonly<Record<string, keyof Job>> = {
  description: 'description',
  schedule: 'schedule',
  time_zone: 'timeZone',
  pubsub_target: 'pubsubTarget',
  retry_config: 'retryConfig',
  attempt_deadline: 'attemptDeadline',
};

export class ScheduledJobs {
  private readonly jobs = new Map<string, ScheduledJob>();

  /** @param quota the most jobs of a location */
  constructor(private readonly quota = Infinity) {}

  /** @throws SchedulerError ALREADY_EXISTS, RESOURCE_EXHAUSTED or INVALID_ARGUMENT. A job without a name gets one. */
  create(parent: Text, job: Job, nowMs: number): Job {
    requireParent(parent);
    const name = job.name ? job.name : `${parent}/jobs/${randomUUID()}`;
    if (!name.startsWith(`${parent}/jobs/`)) throw invalidArgument(`Job name must start with ${parent}/jobs/.`);
    requireJobName(name);
    if (this.jobs.has(name)) throw new SchedulerError(status.ALREADY_EXISTS, `Job ${name} already exists.`);
    if (this.countIn(parent) >= this.quota) throw new SchedulerError(status.RESOURCE_EXHAUSTED, 'Quota exceeded.');
    return this.put({ ...pickChangeable(job), name, state: 'ENABLED' }, nowMs);
  }

  /**
   * Replaces what the mask names (`pubsub_target`, or a path in it), or all that a user may change without a mask.
   * @throws SchedulerError NOT_FOUND or INVALID_ARGUMENT.
   */
  update(job: Job, maskPaths: readonly string[], nowMs: number): Job {
    const current = this.require(job.name);
    const names = maskPaths.map((path) => path.split('.', 1)[0] ?? '');
    const unknown = names.find((name) => !(name in CHANGEABLE_FIELDS));
    if (unknown !== undefined) throw invalidArgument(`The update mask names an unknown field: ${unknown}.`);
    const kept = names.length === 0 ? pickUnchangeable(current.job) : current.job;
    const changes = pickChangeable(job, names.length === 0 ? Object.keys(CHANGEABLE_FIELDS) : names);
    return this.put({ ...kept, ...changes, name: current.job.name }, nowMs);
  }

  /** @throws SchedulerError NOT_FOUND or INVALID_ARGUMENT. */
  get(name: Text): Job {
    return this.require(name).job;
  }

  /** @throws SchedulerError NOT_FOUND or INVALID_ARGUMENT. */
  delete(name: Text): void {
    this.jobs.delete(this.require(name).job.name);
  }

  /** A page of a location's jobs by name; page size 0: 500, which is also the most. */
  list(parent: Text, pageSize: number | null | undefined, pageToken: Text): { jobs: Job[]; nextPageToken: string } {
    requireParent(parent);
    const last = Buffer.from(pageToken ?? '', 'base64').toString();
    const rest = [...this.jobs.keys()]
      .filter((name) => name.startsWith(`${parent}/jobs/`) && name > last)
      .sort((a, b) => (a < b ? -1 : 1));
    const page = rest.slice(0, Math.min(pageSize || MAX_PAGE_SIZE, MAX_PAGE_SIZE));
    return {
      jobs: page.map((name) => this.get(name)),
      nextPageToken: page.length < rest.length ? Buffer.from(page.at(-1) ?? '').toString('base64') : '',
    };
  }

  /** All jobs of all locations. */
  all(): Job[] {
    return [...this.jobs.values()].map(({ job }) => job);
  }

  /** Puts a job back as it was. What came due meanwhile is not made up for: it runs the next time. */
  restore(job: Job, nowMs: number): void {
    requireJobName(job.name ?? '');
    this.put({ ...job, name: job.name ?? '' }, nowMs);
  }

  /** @throws SchedulerError FAILED_PRECONDITION when it is paused, NOT_FOUND or INVALID_ARGUMENT. */
  pause(name: Text, nowMs: number): Job {
    return this.changeState(name, 'ENABLED', 'PAUSED', nowMs);
  }

  /** @throws SchedulerError FAILED_PRECONDITION when it is not paused, NOT_FOUND or INVALID_ARGUMENT. */
  resume(name: Text, nowMs: number): Job {
    return this.changeState(name, 'PAUSED', 'ENABLED', nowMs);
  }

  /** The enabled jobs whose time has come, each once however long ago that was; computes their next run. */
  takeDue(nowMs: number): Job[] {
    const due = [...this.jobs.values()].filter(({ nextRunMs }) => nextRunMs !== undefined && nextRunMs <= nowMs);
    return due.map(({ job }) => this.put(job, nowMs));
  }

  /** Remembers the outcome of a run; a job that was deleted meanwhile stays deleted. */
  recordAttempt(name: string, attemptMs: number, outcome: { code: number; message: string }): void {
    const scheduled = this.jobs.get(name);
    if (scheduled) scheduled.job = { ...scheduled.job, lastAttemptTime: toTimestamp(attemptMs), status: outcome };
  }

  private countIn(parent: string): number {
    return [...this.jobs.keys()].filter((name) => name.startsWith(`${parent}/jobs/`)).length;
  }

  private changeState(name: Text, from: 'ENABLED' | 'PAUSED', to: 'ENABLED' | 'PAUSED', nowMs: number): Job {
    const { job } = this.require(name);
    if (job.state !== from) throw new SchedulerError(status.FAILED_PRECONDITION, `The job is not ${from}.`);
    return this.put({ ...job, state: to }, nowMs);
  }

  private put(job: Job & { readonly name: string }, nowMs: number): Job {
    const timeZone = job.timeZone ? job.timeZone : 'Etc/UTC';
    const schedule = parseSchedule(job.schedule ?? '', timeZone);
    if (!schedule) throw invalidArgument('Schedule or time zone is invalid.');
    requireTarget(job);
    const nextRunMs = job.state === 'PAUSED' ? undefined : schedule.nextRunMs(nowMs);
    const scheduleTime = nextRunMs === undefined ? null : toTimestamp(nextRunMs);
    const stored = { ...job, timeZone, scheduleTime };
    this.jobs.set(job.name, { job: stored, schedule, nextRunMs });
    return stored;
  }

  private require(name: Text): ScheduledJob {
    requireJobName(name ?? '');
    const scheduled = this.jobs.get(name ?? '');
    if (!scheduled) throw jobNotFound();
    return scheduled;
  }
}

function requireParent(parent: Text): asserts parent is string {
  if (!PARENT.test(parent ?? '')) throw invalidArgument('The parent must be projects/PROJECT/locations/LOCATION.');
}

function requireJobName(name: string): void {
  const [parent = '', jobId = ''] = name.split('/jobs/');
  if (!PARENT.test(parent) || name !== `${parent}/jobs/${jobId}` || !JOB_ID.test(jobId)) {
    throw invalidArgument(
      'The job name must be projects/PROJECT/locations/LOCATION/jobs/JOB, and JOB 1 to 500 letters, digits, hyphens or underscores.',
    );
  }
}

function requireTarget({ pubsubTarget }: Job): void {
  if (!pubsubTarget) throw invalidArgument('A job needs a target; the stand-in fires Pub/Sub targets only.');
  if (!TOPIC.test(pubsubTarget.topicName ?? '')) {
    throw invalidArgument('The Pub/Sub topic name must be projects/PROJECT/topics/TOPIC.');
  }
  if ((pubsubTarget.data?.length ?? 0) === 0 && Object.keys(pubsubTarget.attributes ?? {}).length === 0) {
    throw invalidArgument('The Pub/Sub message must contain data or at least one attribute.');
  }
}

function pickChangeable(job: Job, maskNames: readonly string[] = Object.keys(CHANGEABLE_FIELDS)): Job {
  const fields = maskNames.flatMap((name) => CHANGEABLE_FIELDS[name] ?? []);
  return Object.fromEntries(fields.map((field) => [field, job[field]]));
}

function pickUnchangeable(job: Job): Job {
  const changeable = new Set<string>(Object.values(CHANGEABLE_FIELDS));
  return Object.fromEntries(Object.entries(job).filter(([field]) => !changeable.has(field)));
}

function toTimestamp(ms: number): protos.google.protobuf.ITimestamp {
  return { seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1_000_000 };
}
