/** What doctor says of what it cannot look at. */
import {
  ACCOUNTS,
  DATABASE,
  EXPIRY,
  FIELDS,
  FUNCTIONS,
  INDEXES,
  JOBS,
  PROJECT_ROLES,
  PUBSUB,
  SERVICE,
  SERVICES,
  answer,
  examine,
  google,
  run,
  useProject,
} from './examined-project';
import { METRICS, PROJECT, REGION } from './healthy-project';

useProject();

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
