/** What is wrong with topics, subscriptions, jobs, and the database. */
import type { Json } from '../../../../shared/adapters/google-apis';
import {
  APPLY,
  DATABASE,
  EXPIRY,
  FIELDS,
  INDEXES,
  JOBS,
  PUBSUB,
  PUSH,
  aField,
  answer,
  element,
  google,
  named,
  remove,
} from '../examined-project';
import type { Fault } from './fault';
import { PROJECT, REGION } from '../healthy-project';

export const FAULTS_OF_RESOURCES: readonly Fault[] = [
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
];
