/** What is wrong with functions, and with what goes on. */
import {
  APPLY,
  FUNCTIONS,
  JOBS,
  SERVICE,
  aFunction,
  answer,
  google,
  named,
  ofFunction,
  remove,
} from '../examined-project';
import type { Fault } from './fault';
import { CHECKSUMS, METRICS, PROJECT, REGION, series } from '../healthy-project';

export const FAULTS_OF_WORK: readonly Fault[] = [
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
