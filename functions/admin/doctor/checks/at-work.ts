/** How it goes at the moment: the address, clocks, quotas, messages that wait. */
import type { Json } from '../../../../shared/adapters/google-apis';
import {
  CLOCK_TOLERANCE_MS,
  MAX_JOBS_OF_REGION,
  METRIC_WINDOW_MS,
  QUOTA_WINDOW_MS,
  USED_JOBS_SHARE,
} from '../../../../shared/limits/doctor';
import type { Area } from '../area';
import type { Check, Subject } from '../subject';
import { blockOf, fieldOf } from '../subject';
import { toText } from '../terraform/functions';
import type { Values } from '../terraform/module';

/** A page that asks for no key. */
const PAGE = '/docs/';

export const checkService: Check = async ({ expected, google, clock }, area) => {
  const url = `${toText(expected.outputs.base_url)}${PAGE}`;
  const beforeMs = clock.nowMs();
  const answer = await area.look(`the service at ${url}`, () => google.ping(url));
  if (!answer) return '';
  const betweenMs = (beforeMs + clock.nowMs()) / 2;
  if (answer.status >= 400) {
    area.wrong(
      `The service answers ${answer.status} at ${url}.`,
      'look at the log of the function docs and, with a domain, at its A record and certificate',
    );
  }
  if (!answer.date) {
    area.unknown('the service’s clock', 'its answer has no date');
    return '';
  }
  const aheadMs = betweenMs - answer.date.getTime();
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) > CLOCK_TOLERANCE_MS) {
    const direction = aheadMs > 0 ? 'ahead of' : 'behind';
    area.wrong(
      `This machine’s clock is ${seconds} s ${direction} the service’s.`,
      'set this machine’s clock; until then, do not type times that it shows, as of --restored-at',
    );
  }
  return `The service answers at ${url}, and the clocks differ by ${seconds} s.`;
};

/** Jobs of all regions together, as a full region sends new ones to the others; and CPUs of the functions' region. */
export const checkQuotas: Check = async (subject, area) => {
  const jobs = await checkJobQuota(subject, area);
  const cpus = await checkCpuQuota(subject, area);
  return `Cloud Scheduler jobs: ${jobs}. CPUs: ${cpus}.`;
};

async function checkJobQuota(subject: Subject, area: Area): Promise<string> {
  const { project, expected, google } = subject;
  const limits = await quotasByRegion('quota_metric="cloudscheduler.googleapis.com/jobs"', subject, area);
  const told: string[] = [];
  let [used, room] = [0, 0];
  for (const region of expected.locals.scheduler_locations as readonly string[]) {
    const jobs = await area.look(`the Cloud Scheduler jobs of ${region}`, () =>
      google.list(
        {
          host: 'cloudscheduler.googleapis.com',
          path: `v1/projects/${project}/locations/${region}/jobs`,
          query: { pageSize: '500' },
          permission: 'cloudscheduler.jobs.list',
        },
        'jobs',
      ),
    );
    if (!jobs) continue;
    const limit = limits?.get(region) ?? MAX_JOBS_OF_REGION;
    used += jobs.length;
    room += limit;
    told.push(`${region} has ${jobs.length} of ${limit}`);
  }
  if (used > room * USED_JOBS_SHARE) {
    area.wrong(
      `Over ${USED_JOBS_SHARE * 100} % of the Cloud Scheduler jobs are used: ${told.join(', ')}.`,
      'add a region to scheduler_locations, or ask for a higher quota (up to 5,000 a region)',
    );
  }
  return told.join(', ');
}

/** The quota is in thousandths of a CPU. */
async function checkCpuQuota(subject: Subject, area: Area): Promise<string> {
  const { expected, project } = subject;
  const [region = ''] = expected.resources('google_cloudfunctions2_function').map(({ location }) => toText(location));
  const limits = await quotasByRegion('limit_name="CpuAllocPerProjectRegion"', subject, area);
  const thousandths = limits?.get(region);
  if (thousandths === undefined) return 'their quota is not reported yet';
  const [most, limit] = [Number(expected.outputs.cpus_at_most), thousandths / 1_000];
  if (most > limit) {
    area.wrong(
      `All functions at their maximum take ${most} CPUs, and ${region} allows ${limit}.`,
      `lower max_instances in functions, or ask for more: gcloud beta quotas info describe CpuAllocPerProjectRegion --service run.googleapis.com --project ${project}`,
    );
  }
  return `at most ${most} of ${limit}`;
}

function quotasByRegion(label: string, subject: Subject, area: Area): Promise<ReadonlyMap<string, number> | null> {
  return latest(
    'the quotas',
    `metric.type="serviceruntime.googleapis.com/quota/limit" AND resource.type="consumer_quota" AND metric.labels.${label}`,
    QUOTA_WINDOW_MS,
    'location',
    subject,
    area,
  );
}

export const checkDeadLetters: Check = async (subject, area) => {
  const { project } = subject;
  const waiting = await latest(
    'the dead letters',
    'metric.type="pubsub.googleapis.com/subscription/num_undelivered_messages" AND resource.type="pubsub_subscription"',
    METRIC_WINDOW_MS,
    'subscription_id',
    subject,
    area,
  );
  for (const { name } of subscriptionsOf(subject, false)) {
    const count = waiting?.get(toText(name)) ?? 0;
    if (count === 0) continue;
    area.wrong(
      `${count} ${count === 1 ? 'message' : 'messages'} could not be handled. Each is kept for 7 days.`,
      `npm run --silent admin -- --project ${project} dead-letters list, then dead-letters replay or discard`,
    );
  }
  return 'There are no dead letters.';
};

export const checkBacklog: Check = async (subject, area) => {
  const ages = await latest(
    'the messages that wait',
    'metric.type="pubsub.googleapis.com/subscription/oldest_unacked_message_age" AND resource.type="pubsub_subscription"',
    METRIC_WINDOW_MS,
    'subscription_id',
    subject,
    area,
  );
  for (const { name } of subscriptionsOf(subject, true)) {
    const age = ages?.get(toText(name)) ?? 0;
    const most = Number(fieldOf(subject.expected.locals.push_functions, `${toText(name)}.trigger.wait_seconds`));
    if (age <= most) continue;
    area.wrong(
      `The oldest message for ${toText(name)} has waited for ${age} s, longer than ${most} s.`,
      `look for errors in its log; if there are none, raise functions.${toText(name)}.max_instances`,
    );
  }
  return 'No message waits too long.';
};

/** The subscriptions that push to a function, or those that are read by hand: of dead letters. */
function subscriptionsOf({ expected }: Subject, isPushed: boolean): readonly Values[] {
  return expected
    .resources('google_pubsub_subscription')
    .filter((values) => (blockOf(values.push_config).push_endpoint !== undefined) === isPushed);
}

/**
 * The newest point of each series of a metric, by a label of what is monitored; null: it could not be looked at.
 */
async function latest(
  what: string,
  filter: string,
  windowMs: number,
  label: string,
  { project, google, clock }: Subject,
  area: Area,
): Promise<ReadonlyMap<string, number> | null> {
  const nowMs = clock.nowMs();
  const series = await area.look(what, () =>
    google.list(
      {
        host: 'monitoring.googleapis.com',
        path: `v3/projects/${project}/timeSeries`,
        query: {
          filter,
          'interval.startTime': new Date(nowMs - windowMs).toISOString(),
          'interval.endTime': new Date(nowMs).toISOString(),
        },
        permission: 'monitoring.timeSeries.list',
      },
      'timeSeries',
    ),
  );
  return series && new Map(series.map((each) => [String(fieldOf(each, `resource.labels.${label}`)), newestOf(each)]));
}

/** Points come newest first. */
function newestOf({ points }: Json): number {
  const [newest] = (points ?? []) as readonly Json[];
  const value = newest?.value as Json | undefined;
  return Number(value?.int64Value ?? value?.doubleValue ?? 0);
}
