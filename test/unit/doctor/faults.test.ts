/** What doctor says of a project, each fault planted alone into one in which everything is as Terraform makes it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Json } from '../../../shared/adapters/google-apis';
import type { Finding } from '../../../functions/admin/doctor/area';
import { runDoctor } from '../../../functions/admin/doctor/run';
import { FixedClock } from '../../support/fixed-clock';
import { GoogleStandIn } from './google-stand-in';
import { CHECKSUMS, healthyProject, METRICS, NUMBER, PROJECT, REGION, series } from './healthy-project';

const ROOT = join(__dirname, '../../..');
const HEALTHY = healthyProject();

let google: GoogleStandIn;
let clock: FixedClock;

beforeEach(async () => {
  google = new GoogleStandIn();
  google.answers = structuredClone(HEALTHY);
  clock = new FixedClock();
  google.nowMs = clock.nowMs();
  await google.start();
});
afterEach(() => google.stop());

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  args: readonly string[],
  {
    checksums = () => Promise.resolve<ReadonlyMap<string, string>>(CHECKSUMS),
    isTTY = false,
    access = google.access(),
  } = {},
): Promise<Output> {
  const [stdout, stderr] = [aStream(isTTY), aStream(false)];
  const code = await runDoctor(
    args,
    { stdout: stdout.stream, stderr: stderr.stream },
    { access, clock, root: ROOT, checksums },
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function aStream(isTTY: boolean) {
  const written: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    written.push(chunk.toString());
    done();
  };
  const stream = Object.assign(new Writable({ write }), { isTTY, ...(isTTY && { hasColors: () => true }) });
  return { stream, text: () => written.join('') };
}

/** What is not ok, and the exit code. */
async function examine(
  options?: Parameters<typeof run>[1],
): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const { code, stdout } = await run(['--project', PROJECT, '--json'], options);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return { code, findings: findings.filter(({ verdict }) => verdict !== 'ok') };
}

/** The answer at an address, to be changed. */
function answer(address: string): Record<string, unknown> {
  const found = google.answers.get(address);
  if (!found) throw new Error(`The healthy project has no ${address}.`);
  return found;
}

/** The element of the only list of an answer that this is true of. */
function element(address: string, field: string, isIt: (each: Json) => boolean): Record<string, unknown> {
  const found = (answer(address)[field] as Json[]).find(isIt);
  if (!found) throw new Error(`The healthy project has no such element in ${address}.`);
  return found;
}

function remove(address: string, field: string, isIt: (each: Json) => boolean): void {
  const list = answer(address)[field] as Json[];
  const rest = list.filter((each) => !isIt(each));
  if (rest.length === list.length) throw new Error(`The healthy project has no such element in ${address}.`);
  answer(address)[field] = rest;
}

const account = (name: string) => `${name}@${PROJECT}.iam.gserviceaccount.com`;
const SERVICES = `serviceusage.googleapis.com/v1/projects/${PROJECT}/services?state:ENABLED`;
const ACCOUNTS = `iam.googleapis.com/v1/projects/${PROJECT}/serviceAccounts`;
const PROJECT_ROLES = `cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}:getIamPolicy`;
const PUBSUB = `pubsub.googleapis.com/v1/projects/${PROJECT}`;
const PUSH = `${PUBSUB}/subscriptions/deletion-consumer`;
const JOBS = `cloudscheduler.googleapis.com/v1/projects/${PROJECT}/locations/${REGION}/jobs`;
const DATABASE = `firestore.googleapis.com/v1/projects/${PROJECT}/databases/(default)`;
const INDEXES = `${DATABASE}/collectionGroups/-/indexes`;
const FIELDS = `${DATABASE}/collectionGroups/-/fields?indexConfig.usesAncestorConfig:false`;
const EXPIRY = `${DATABASE}/collectionGroups/-/fields?ttlConfig:*`;
const FUNCTIONS = `cloudfunctions.googleapis.com/v2/projects/${PROJECT}/locations/-/functions`;
const SERVICE = `run.googleapis.com/v2/projects/${PROJECT}/locations/${REGION}/services`;

const named =
  (end: string) =>
  ({ name }: Json) =>
    String(name).endsWith(`/${end}`);
const grantTo = (address: string, role: string, member: string) =>
  (answer(address).bindings as Json[]).push({ role, members: [member] });
const aFunction = (name: string) => element(FUNCTIONS, 'functions', named(`functions/${name}`));
const ofFunction = (name: string, part: string) => aFunction(name)[part] as Record<string, unknown>;
const aField = (address: string, name: string) =>
  element(address, 'fields', named(`collectionGroups/${name.replace('/', '/fields/')}`));
const revoke = (address: string, role: string) => remove(address, 'bindings', (binding) => binding.role === role);

const APPLY = 'cd terraform && terraform apply -var-file=FILE';

interface Fault {
  readonly plant: () => unknown;
  readonly area: string;
  readonly what: string;
  readonly remedy: string;
}

const FAULTS: readonly Fault[] = [
  {
    plant: () => (answer(`cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}`).state = 'DELETE_REQUESTED'),
    area: 'project',
    what: `The project ${PROJECT} is DELETE_REQUESTED.`,
    remedy: `gcloud projects undelete ${PROJECT}`,
  },
  {
    plant: () => remove(SERVICES, 'services', named('firestore.googleapis.com')),
    area: 'APIs',
    what: 'The API firestore.googleapis.com is not enabled.',
    remedy: `gcloud services enable firestore.googleapis.com --project ${PROJECT}`,
  },
  {
    plant: () => remove(ACCOUNTS, 'accounts', ({ email }) => email === account('fn-orders')),
    area: 'identities',
    what: `The service account ${account('fn-orders')} does not exist.`,
    remedy: APPLY,
  },
  {
    plant: () => (element(ACCOUNTS, 'accounts', ({ email }) => email === account('pubsub-push')).disabled = true),
    area: 'identities',
    what: `The service account ${account('pubsub-push')} is disabled.`,
    remedy: `gcloud iam service-accounts enable ${account('pubsub-push')} --project ${PROJECT}`,
  },
  {
    plant: () => google.answers.delete(`iam.googleapis.com/v1/projects/${PROJECT}/roles/transferJobs`),
    area: 'custom roles',
    what: 'The custom role transferJobs does not exist.',
    remedy: APPLY,
  },
  {
    plant: () => (answer(`iam.googleapis.com/v1/projects/${PROJECT}/roles/transferJobs`).deleted = true),
    area: 'custom roles',
    what: 'The custom role transferJobs is deleted.',
    remedy: `gcloud iam roles undelete transferJobs --project ${PROJECT}`,
  },
  {
    plant: () =>
      (answer(`iam.googleapis.com/v1/projects/${PROJECT}/roles/transferRunnerTokens`).includedPermissions = [
        'iam.serviceAccounts.signBlob',
      ]),
    area: 'custom roles',
    what: 'The custom role transferRunnerTokens has the permissions iam.serviceAccounts.signBlob, and should have iam.serviceAccounts.getAccessToken.',
    remedy: APPLY,
  },
  {
    plant: () => grantTo(PROJECT_ROLES, 'roles/owner', `serviceAccount:${account('fn-customers')}`),
    area: 'roles',
    what: `serviceAccount:${account('fn-customers')} has roles/owner on the project, which Terraform does not grant.`,
    remedy: `gcloud projects remove-iam-policy-binding ${PROJECT} --member=serviceAccount:${account('fn-customers')} --role=roles/owner --condition=None`,
  },
  {
    plant: () => grantTo(PROJECT_ROLES, 'roles/viewer', 'allAuthenticatedUsers'),
    area: 'roles',
    what: 'allAuthenticatedUsers has roles/viewer on the project, which Terraform does not grant.',
    remedy: `gcloud projects remove-iam-policy-binding ${PROJECT} --member=allAuthenticatedUsers --role=roles/viewer --condition=None`,
  },
  {
    // Without the condition that limits it to the service's own database.
    plant: () => grantTo(PROJECT_ROLES, 'roles/datastore.user', `serviceAccount:${account('fn-usage')}`),
    area: 'roles',
    what: `serviceAccount:${account('fn-usage')} has roles/datastore.user on the project, which Terraform does not grant.`,
    remedy: `gcloud projects remove-iam-policy-binding ${PROJECT} --member=serviceAccount:${account('fn-usage')} --role=roles/datastore.user --condition=None`,
  },
  {
    plant: () =>
      remove(
        PROJECT_ROLES,
        'bindings',
        ({ role, members }) =>
          role === 'roles/datastore.user' && (members as string[]).includes(`serviceAccount:${account('fn-orders')}`),
      ),
    area: 'roles',
    what: `serviceAccount:${account('fn-orders')} lacks roles/datastore.user (if resource.name == "projects/${PROJECT}/databases/(default)") on the project.`,
    remedy: APPLY,
  },
  {
    plant: () => revoke(`${PUBSUB}/subscriptions/transfer-runner:getIamPolicy`, 'roles/pubsub.subscriber'),
    area: 'roles',
    what: `serviceAccount:service-${NUMBER}@gcp-sa-pubsub.iam.gserviceaccount.com lacks roles/pubsub.subscriber on the subscription transfer-runner.`,
    remedy: APPLY,
  },
  {
    plant: () =>
      revoke(`${ACCOUNTS}/${account('pubsub-push')}:getIamPolicy`, 'roles/iam.serviceAccountOpenIdTokenCreator'),
    area: 'roles',
    what: `serviceAccount:service-${NUMBER}@gcp-sa-pubsub.iam.gserviceaccount.com lacks roles/iam.serviceAccountOpenIdTokenCreator on the service account ${account('pubsub-push')}.`,
    remedy: APPLY,
  },
  {
    plant: () =>
      grantTo(
        `storage.googleapis.com/storage/v1/b/${PROJECT}-transfer-reports/iam`,
        'roles/storage.objectViewer',
        'allUsers',
      ),
    area: 'roles',
    what: `allUsers has roles/storage.objectViewer on the bucket ${PROJECT}-transfer-reports, which Terraform does not grant.`,
    remedy: `gcloud storage buckets remove-iam-policy-binding gs://${PROJECT}-transfer-reports --member=allUsers --role=roles/storage.objectViewer`,
  },
  {
    plant: () => google.answers.delete(`storage.googleapis.com/storage/v1/b/${PROJECT}-transfer-reports/iam`),
    area: 'roles',
    what: `There is no policy of the bucket ${PROJECT}-transfer-reports: it does not exist.`,
    remedy: APPLY,
  },
  {
    plant: () =>
      revoke(
        `artifactregistry.googleapis.com/v1/projects/${PROJECT}/locations/${REGION}/repositories/functions:getIamPolicy`,
        'roles/artifactregistry.writer',
      ),
    area: 'roles',
    what: `serviceAccount:${account('function-build')} lacks roles/artifactregistry.writer on the repository functions.`,
    remedy: APPLY,
  },
  {
    plant: () => grantTo(`${SERVICE}/deletion-consumer:getIamPolicy`, 'roles/run.invoker', 'allUsers'),
    area: 'roles',
    what: 'allUsers has roles/run.invoker on the function deletion-consumer, which Terraform does not grant.',
    remedy: `gcloud run services remove-iam-policy-binding deletion-consumer --region ${REGION} --project ${PROJECT} --member=allUsers --role=roles/run.invoker`,
  },
  {
    plant: () => google.answers.delete(`${PUBSUB}/topics/transfers`),
    area: 'topics',
    what: 'The topic transfers does not exist.',
    remedy: APPLY,
  },
  {
    plant: () => google.answers.delete(PUSH),
    area: 'subscriptions',
    what: 'The subscription deletion-consumer does not exist: its messages are lost.',
    remedy: APPLY,
  },
  {
    plant: () => (answer(PUSH).ackDeadlineSeconds = 10),
    area: 'subscriptions',
    what: 'The subscription deletion-consumer has ack_deadline_seconds 10, and should have 120.',
    remedy: APPLY,
  },
  {
    plant: () => delete answer(PUSH).deadLetterPolicy,
    area: 'subscriptions',
    what: `The subscription deletion-consumer has dead_letter_topic none, and should have projects/${PROJECT}/topics/dead-letters.`,
    remedy: APPLY,
  },
  {
    plant: () => ((answer(PUSH).deadLetterPolicy as Record<string, unknown>).maxDeliveryAttempts = 5),
    area: 'subscriptions',
    what: 'The subscription deletion-consumer has max_delivery_attempts 5, and should have 30.',
    remedy: APPLY,
  },
  {
    plant: () => ((answer(PUSH).pushConfig as Record<string, unknown>).pushEndpoint = 'https://old.a.run.app'),
    area: 'subscriptions',
    what: 'The subscription deletion-consumer has push_endpoint https://old.a.run.app, and should have https://deletion-consumer-abcdefghij-ew.a.run.app.',
    remedy: APPLY,
  },
  {
    plant: () => (answer(PUSH).filter = 'attributes:urgent'),
    area: 'subscriptions',
    what: 'The subscription deletion-consumer has filter attributes:urgent, and should have none.',
    remedy: APPLY,
  },
  {
    plant: () => delete answer(`${PUBSUB}/subscriptions/dead-letters`).expirationPolicy,
    area: 'subscriptions',
    what: 'The subscription dead-letters has expiration_policy.ttl 2678400s, and should have none.',
    remedy: APPLY,
  },
  {
    plant: () => (answer(PUSH).topic = '_deleted-topic_'),
    area: 'subscriptions',
    what: `The subscription deletion-consumer has topic _deleted-topic_, and should have projects/${PROJECT}/topics/deletions.`,
    remedy: APPLY,
  },
  {
    plant: () => (answer(PUSH).detached = true),
    area: 'subscriptions',
    what: 'The subscription deletion-consumer is detached: it gets no messages.',
    remedy: `gcloud pubsub subscriptions delete deletion-consumer --project ${PROJECT}, then ${APPLY}`,
  },
  {
    plant: () => google.answers.delete(`${JOBS}/deletion-sweep`),
    area: 'jobs',
    what: `The job deletion-sweep does not exist in ${REGION}.`,
    remedy: APPLY,
  },
  {
    plant: () => (answer(`${JOBS}/deletion-sweep`).state = 'PAUSED'),
    area: 'jobs',
    what: 'The job deletion-sweep is paused: it does not run.',
    remedy: `gcloud scheduler jobs resume deletion-sweep --location ${REGION} --project ${PROJECT}`,
  },
  {
    plant: () => (answer(`${JOBS}/deletion-sweep`).status = { code: 7, message: 'Permission denied.' }),
    area: 'jobs',
    what: 'The job deletion-sweep failed when it ran last (code 7).',
    remedy: `look at the topic deletions and the roles on it; gcloud scheduler jobs describe deletion-sweep --location ${REGION} --project ${PROJECT}`,
  },
  {
    plant: () => (answer(`${JOBS}/deletion-sweep`).schedule = '0 * * * *'),
    area: 'jobs',
    what: 'The job deletion-sweep has schedule 0 * * * *, and should have */5 * * * *.',
    remedy: APPLY,
  },
  {
    plant: () => google.answers.delete(DATABASE),
    area: 'database',
    what: 'The database (default) does not exist.',
    remedy: `${APPLY}; if it has another name: the variable firestore_database`,
  },
  {
    plant: () => (answer(DATABASE).pointInTimeRecoveryEnablement = 'POINT_IN_TIME_RECOVERY_DISABLED'),
    area: 'database',
    what: 'The database (default) has point_in_time_recovery_enablement POINT_IN_TIME_RECOVERY_DISABLED, and should have POINT_IN_TIME_RECOVERY_ENABLED.',
    remedy: APPLY,
  },
  {
    plant: () =>
      remove(`${DATABASE}/backupSchedules`, 'backupSchedules', ({ dailyRecurrence }) => dailyRecurrence !== undefined),
    area: 'database',
    what: 'There are no daily backups.',
    remedy: APPLY,
  },
  {
    plant: () =>
      (element(`${DATABASE}/backupSchedules`, 'backupSchedules', (each) => 'weeklyRecurrence' in each).retention =
        '86400s'),
    area: 'database',
    what: 'The weekly backup has retention 86400s, and should have 8467200s.',
    remedy: APPLY,
  },
  {
    plant: () => remove(INDEXES, 'indexes', ({ fields }) => (fields as Json[])[0]?.fieldPath === 'statusOfTenant'),
    area: 'indexes',
    what: 'The index transferRuns: statusOfTenant ASCENDING, __name__ DESCENDING does not exist.',
    remedy: APPLY,
  },
  {
    plant: () =>
      (element(INDEXES, 'indexes', ({ fields }) => (fields as Json[])[0]?.fieldPath === 'jobId').state = 'CREATING'),
    area: 'indexes',
    what: 'The index transferRuns: jobId ASCENDING, __name__ DESCENDING is being built: queries by it fail until then.',
    remedy: `wait; gcloud firestore operations list --database='(default)' --project ${PROJECT}`,
  },
  {
    plant: () =>
      (element(INDEXES, 'indexes', ({ fields }) => (fields as Json[])[0]?.fieldPath === 'jobId').state =
        'NEEDS_REPAIR'),
    area: 'indexes',
    what: 'The index transferRuns: jobId ASCENDING, __name__ DESCENDING is in the state NEEDS_REPAIR.',
    remedy: `delete it, then ${APPLY}`,
  },
  {
    plant: () => (aField(FIELDS, 'customers/matchingEmail').indexConfig = {}),
    area: 'indexes',
    what: 'The field customers/matchingEmail has no index: queries by it fail.',
    remedy: APPLY,
  },
  {
    plant: () => remove(FIELDS, 'fields', named('collectionGroups/customers/fields/*')),
    area: 'indexes',
    what: 'The fields customers/* are indexed: each write takes longer and costs more.',
    remedy: APPLY,
  },
  {
    plant: () => remove(EXPIRY, 'fields', named('collectionGroups/rateCounters/fields/expireAt')),
    area: 'expiry',
    what: 'The documents of rateCounters do not expire: they are kept for ever.',
    remedy: APPLY,
  },
  {
    plant: () => (aField(EXPIRY, 'usage/expireAt').ttlConfig = { state: 'CREATING' }),
    area: 'expiry',
    what: 'The expiry of documents of usage is being set up.',
    remedy: 'wait some minutes',
  },
  {
    plant: () => (aField(EXPIRY, 'usage/expireAt').ttlConfig = { state: 'NEEDS_REPAIR' }),
    area: 'expiry',
    what: 'The expiry of documents of usage is in the state NEEDS_REPAIR.',
    remedy: `gcloud firestore fields ttls update expireAt --collection-group=usage --disable-ttl --database='(default)' --project ${PROJECT}, then ${APPLY}`,
  },
  {
    plant: () => remove(FUNCTIONS, 'functions', named('functions/docs')),
    area: 'functions',
    what: 'The function docs does not exist.',
    remedy: APPLY,
  },
  {
    plant: () => (aFunction('orders').name = `projects/${PROJECT}/locations/europe-west4/functions/orders`),
    area: 'functions',
    what: `The function orders is in europe-west4, not in ${REGION}.`,
    remedy: 'give the variables of this environment: --var-file FILE',
  },
  {
    plant: () =>
      Object.assign(aFunction('orders'), { state: 'FAILED', stateMessages: [{ message: 'The build failed.' }] }),
    area: 'functions',
    what: 'The function orders is FAILED: The build failed.',
    remedy: APPLY,
  },
  {
    plant: () =>
      (ofFunction('orders', 'buildConfig').source = { storageSource: { object: `orders/${'ab'.repeat(32)}.zip` } }),
    area: 'functions',
    what: `The function orders runs other code than this checkout builds (abababababab in place of ${CHECKSUMS.get('orders')!.slice(0, 12)}).`,
    remedy: 'check out what is deployed, and look again; or deploy this checkout: docs/releasing.md',
  },
  {
    plant: () => (ofFunction('usage', 'serviceConfig').maxInstanceCount = 100),
    area: 'functions',
    what: 'The function usage has max_instances 100, and should have 2.',
    remedy: `${APPLY}; to keep it instead, where it can be chosen: the variable functions.usage`,
  },
  {
    plant: () => (ofFunction('transfer-runner', 'serviceConfig').ingressSettings = 'ALLOW_ALL'),
    area: 'functions',
    what: 'The function transfer-runner has ingress ALLOW_ALL, and should have ALLOW_INTERNAL_ONLY.',
    remedy: `${APPLY}; to keep it instead, where it can be chosen: the variable functions.transfer-runner`,
  },
  {
    plant: () =>
      delete (ofFunction('orders', 'serviceConfig').environmentVariables as Record<string, unknown>).FIRESTORE_DATABASE,
    area: 'functions',
    what: 'The function orders has the variable FIRESTORE_DATABASE none, and should have (default).',
    remedy: `${APPLY}; to keep it instead, where it can be chosen: the variable functions.orders`,
  },
  {
    plant: () =>
      (answer(`${SERVICE}/orders`).traffic = [
        { type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION', revision: 'orders-00007-abc', percent: 100 },
      ]),
    area: 'functions',
    what: 'The function orders sends its requests to orders-00007-abc, not to the newest revision.',
    remedy: `gcloud run services update-traffic orders --to-latest --region ${REGION} --project ${PROJECT}`,
  },
  {
    plant: () => (answer(JOBS).jobs = Array.from({ length: 4_001 }, (_, index) => ({ name: `${index}` }))),
    area: 'quotas',
    what: `Over 80 % of the Cloud Scheduler jobs are used: ${REGION} has 4001 of 5000.`,
    remedy: 'add a region to scheduler_locations, or ask for a higher quota (up to 5,000 a region)',
  },
  {
    plant: () => google.answers.set(METRICS.cpus, { timeSeries: [series({ location: REGION }, 20_000)] }),
    area: 'quotas',
    what: `All functions at their maximum take 107 CPUs, and ${REGION} allows 20.`,
    remedy: `lower max_instances in functions, or ask for more: gcloud beta quotas info describe CpuAllocPerProjectRegion --service run.googleapis.com --project ${PROJECT}`,
  },
  {
    plant: () => (google.nowMs -= 90_000),
    area: 'service and clock',
    what: 'This machine’s clock is 90 s ahead of the service’s.',
    remedy: 'set this machine’s clock; until then, do not type times that it shows, as of --restored-at',
  },
  {
    plant: () => (google.nowMs += 90_000),
    area: 'service and clock',
    what: 'This machine’s clock is 90 s behind the service’s.',
    remedy: 'set this machine’s clock; until then, do not type times that it shows, as of --restored-at',
  },
  {
    plant: () => google.failing.set('/docs/', 404),
    area: 'service and clock',
    what: `The service answers 404 at https://${REGION}-${PROJECT}.cloudfunctions.net/docs/.`,
    remedy: 'look at the log of the function docs and, with a domain, at its A record and certificate',
  },
  {
    plant: () => google.answers.set(METRICS.waiting, { timeSeries: [series({ subscription_id: 'dead-letters' }, 7)] }),
    area: 'dead letters',
    what: '7 messages could not be handled. Each is kept for 7 days.',
    remedy: `npm run --silent admin -- --project ${PROJECT} dead-letters list, then dead-letters replay or discard`,
  },
  {
    plant: () =>
      google.answers.set(METRICS.age, { timeSeries: [series({ subscription_id: 'deletion-consumer' }, 901)] }),
    area: 'backlog',
    what: 'The oldest message for deletion-consumer has waited for 901 s, longer than 900 s.',
    remedy: 'look for errors in its log; if there are none, raise functions.deletion-consumer.max_instances',
  },
];

it('says that all is well where everything is as Terraform makes it, and changes nothing (R-390)', async () => {
  const { code, stdout } = await run(['--project', PROJECT]);
  expect(stdout).toContain(
    `\nquotas\n  ok       Cloud Scheduler jobs: ${REGION} has 2 of 5000. CPUs: at most 107 of 200.\n`,
  );
  expect(stdout.split('\n').filter((line) => /^ {2}(wrong|unknown)/.test(line))).toEqual([]);
  expect(stdout.match(/^ {2}ok /gm)).toHaveLength(16);
  expect(stdout).toMatch(/\n\nAll is well\.\n$/);
  expect({ code, writes: google.writes }).toEqual({ code: 0, writes: [] });
});

it.each(FAULTS)('says: $what (R-390)', async ({ plant, area, what, remedy }) => {
  plant();
  const { code, findings } = await examine();
  expect(findings).toContainEqual({ area, verdict: 'wrong', what, remedy });
  expect(new Set(findings.map((finding) => finding.area))).toEqual(new Set([area]));
  expect(code).toBe(1);
});

/** What a missing permission hides. */
const HIDDEN: readonly (readonly [address: string, permission: string, what: string])[] = [
  [`cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}`, 'resourcemanager.projects.get', 'the project'],
  ['serviceusage.googleapis.com', 'serviceusage.services.list', 'the APIs'],
  [ACCOUNTS, 'iam.serviceAccounts.list', 'the service accounts'],
  [`iam.googleapis.com/v1/projects/${PROJECT}/roles`, 'iam.roles.get', 'the custom roles'],
  [PROJECT_ROLES, 'resourcemanager.projects.getIamPolicy', 'the roles on the project'],
  [
    `storage.googleapis.com/storage/v1/b/${PROJECT}-transfer-reports`,
    'storage.buckets.getIamPolicy',
    `the roles on the bucket ${PROJECT}-transfer-reports`,
  ],
  [`${PUBSUB}/topics`, 'pubsub.topics.get', 'the topics'],
  [`${PUBSUB}/subscriptions`, 'pubsub.subscriptions.get', 'the subscriptions'],
  [`${JOBS}/`, 'cloudscheduler.jobs.get', 'the jobs of the service'],
  [JOBS, 'cloudscheduler.jobs.list', `the Cloud Scheduler jobs of ${REGION}`],
  [DATABASE, 'datastore.databases.getMetadata', 'the database'],
  [`${DATABASE}/backupSchedules`, 'datastore.backupSchedules.list', 'the schedules of backups'],
  [INDEXES, 'datastore.indexes.list', 'the indexes'],
  [FIELDS, 'datastore.indexes.list', 'the indexes of single fields'],
  [EXPIRY, 'datastore.indexes.list', 'the expiry of documents'],
  [FUNCTIONS, 'cloudfunctions.functions.list', 'the functions'],
  [SERVICE, 'run.services.get', 'where the functions’ requests go'],
  [METRICS.jobs, 'monitoring.timeSeries.list', 'the quotas'],
  [METRICS.waiting, 'monitoring.timeSeries.list', 'the dead letters'],
  [METRICS.age, 'monitoring.timeSeries.list', 'the messages that wait'],
];

it.each(HIDDEN)('never calls ok what it may not look at: %s (R-391)', async (address, permission, what) => {
  google.denied.add(address);
  const { code, findings } = await examine();
  const told = findings.map((finding) => finding.what);
  expect(told).toContain(`Could not look at ${what}: the permission ${permission} is missing.`);
  expect(new Set(findings.map(({ verdict }) => verdict))).toEqual(new Set(['unknown']));
  expect(code).toBe(2);
});

it('says that an API is not enabled where that hides something (R-391)', async () => {
  google.failing.set('firestore.googleapis.com', 403);
  const { findings } = await examine();
  expect(findings.map(({ what }) => what)).toContain(
    'Could not look at the database: the API firestore.googleapis.com is not enabled in projects/415104041262.',
  );
});

it('does not take a function for missing whose region Google cannot reach (R-391)', async () => {
  answer(FUNCTIONS).functions = [];
  answer(FUNCTIONS).unreachable = [REGION];
  const { code, findings } = await examine();
  expect(findings.map(({ what }) => what)).toContain(
    `Could not look at the functions: cloudfunctions.googleapis.com does not reach ${REGION}.`,
  );
  expect({ code, wrong: findings.filter(({ verdict }) => verdict === 'wrong') }).toEqual({ code: 2, wrong: [] });
});

it('does not compare what depends on what it could not look at, and says so (R-391)', async () => {
  google.denied.add(FUNCTIONS);
  const { findings } = await examine();
  expect(findings).toContainEqual({
    area: 'subscriptions',
    verdict: 'unknown',
    what: 'Could not look at push_endpoint of the subscription deletion-consumer: what it should be is not known.',
  });
});

it('cannot look at what something other than Google answers (R-391)', async () => {
  google.proxied.add(SERVICES);
  const { code, findings } = await examine();
  expect(findings.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^Could not look at the APIs: serviceusage.googleapis.com answers what cannot be read \(/),
  ]);
  expect(code).toBe(2);
});

it('asks again where Google has no answer yet, and says so in the end (R-391)', async () => {
  google.failing.set(SERVICES, 503);
  const { code, findings } = await examine();
  expect(findings.map(({ what }) => what)).toEqual([
    'Could not look at the APIs: serviceusage.googleapis.com answers 503: It is BACKEND_ERROR.',
  ]);
  expect(code).toBe(2);
});

it('does not compare versions where this checkout cannot be built (R-391)', async () => {
  const { code, findings } = await examine({ checksums: () => Promise.reject(new Error('esbuild is not there')) });
  expect(findings.map(({ what }) => what)).toEqual([
    'Could not look at the versions of the functions: this checkout cannot be built (esbuild is not there).',
  ]);
  expect(code).toBe(2);
});

it('ends with 1 where something is wrong and something else could not be looked at (R-391)', async () => {
  google.denied.add(METRICS.age);
  google.answers.delete(`${PUBSUB}/topics/transfers`);
  const { code, stdout } = await run(['--project', PROJECT]);
  expect(stdout).toMatch(/\n\n1 thing is wrong, 1 could not be looked at\.\n$/);
  expect(code).toBe(1);
});

describe('variables (R-392)', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (text: string) => {
    const path = join(folder, 'prod.tfvars');
    writeFileSync(path, text);
    return path;
  };

  it('expects what Terraform would make with the variables of a file', async () => {
    const path = file(`project_id = "${PROJECT}"\nfunctions = {\n  usage = { max_instances = 7 } # more\n}\n`);
    const { stdout } = await run(['--project', PROJECT, '--var-file', path]);
    expect(stdout).toContain(
      `  wrong    The function usage has max_instances 2, and should have 7.\n           → cd terraform && terraform apply -var-file=${path}; to keep it instead, where it can be chosen: the variable functions.usage\n`,
    );
  });

  it('counts the jobs of all regions, so that a full one is no fault while others have room', async () => {
    answer(JOBS).jobs = Array.from({ length: 5_000 }, (_, index) => ({ name: `${index}` }));
    google.answers.set(JOBS.replace(REGION, 'europe-west3'), { jobs: [{ name: 'one' }] });
    const { stdout } = await run([
      '--project',
      PROJECT,
      '--var-file',
      file(`scheduler_locations = ["${REGION}", "europe-west3"]`),
    ]);
    expect(stdout).toContain(
      `  ok       Cloud Scheduler jobs: ${REGION} has 5000 of 5000, europe-west3 has 1 of 5000.`,
    );
  });

  it('refuses the variables of another project', async () => {
    const { code, stderr } = await run(['--project', PROJECT, '--var-file', file('project_id = "another-project"')]);
    expect(stderr).toBe(
      `The command failed: --var-file is of the project another-project, and --project of ${PROJECT}.\n`,
    );
    expect(code).toBe(2);
  });
});

it('says once what mends several things in a row (R-392)', async () => {
  Object.assign(answer(PUSH), { ackDeadlineSeconds: 10, filter: 'attributes:urgent' });
  const { stdout } = await run(['--project', PROJECT]);
  expect(stdout).toContain(
    [
      '  wrong    The subscription deletion-consumer has ack_deadline_seconds 10, and should have 120.',
      '  wrong    The subscription deletion-consumer has filter attributes:urgent, and should have none.',
      `           → ${APPLY}`,
      'jobs',
    ].join('\n'),
  );
});

it('takes no colours to a pipe, and no characters that a terminal obeys to any place (R-392)', async () => {
  Object.assign(aFunction('orders'), { state: 'FAILED', stateMessages: [{ message: 'a\u001b[31mb' }] });
  const [piped, shown] = [await run(['--project', PROJECT]), await run(['--project', PROJECT], { isTTY: true })];
  expect(piped.stdout).not.toContain('\u001b');
  expect(piped.stdout).toContain('  wrong    The function orders is FAILED: a\\u001b[31mb\n           → cd terraform');
  expect(shown.stdout).toContain('\u001b[31mwrong  \u001b[0m  The function orders is FAILED: a\\u001b[31mb');
  expect(piped.stderr).toBe('Looking at the project …\n');
});

it.each([[[]], [['--project']], [['--project', PROJECT, '--repair']]])(
  'ends with 2 for a command that it does not understand: %j (R-392)',
  async (args) => {
    const { code, stderr } = await run(args);
    expect({ code, requests: google.requests }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain('--help');
  },
);

it.each(['Could not load the default credentials.', 'invalid_grant'])(
  'says where credentials come from: %s (R-392)',
  async (message) => {
    const access = { ...google.access(), headers: () => Promise.reject(new Error(message)) };
    const { code, stderr } = await run(['--project', PROJECT], { access });
    expect(stderr).toContain('gcloud auth application-default login');
    expect({ code, requests: google.requests }).toEqual({ code: 2, requests: 0 });
  },
);

it('tells its exit codes (R-392)', async () => {
  const { code, stdout } = await run(['--help']);
  expect(stdout).toContain('Exit codes: 0 all is well; 1 something is wrong; 2 ');
  expect(code).toBe(0);
});
