/** The answers of Google's APIs about a project in which everything is as Terraform makes it. */
import { join } from 'node:path';
import type { Json } from '../../../shared/adapters/google-apis';
import { blockOf, lastOf } from '../../../functions/admin/doctor/subject';
import { toText } from '../../../functions/admin/doctor/terraform/functions';
import { readDeployment } from '../../../functions/admin/doctor/terraform/deployment';
import type { Module, Values } from '../../../functions/admin/doctor/terraform/module';
import { deployedFunctions } from '../../../functions/build/deployed-functions';

export const PROJECT = 'shop-ingestion';
export const NUMBER = '415104041262';
export const REGION = 'europe-west1';
const DATABASE = `projects/${PROJECT}/databases/(default)`;

const ROOT = join(__dirname, '../../..');
const FUNCTIONS = deployedFunctions(ROOT);

/** What a build would have; a function's checksum is made of its name. */
export const CHECKSUMS = new Map(FUNCTIONS.map((name) => [name, Buffer.from(name).toString('hex').padEnd(64, '0')]));

export function uriOf(name: string): string {
  return `https://${name}-abcdefghij-ew.a.run.app`;
}

export function healthyProject(): Map<string, Json> {
  const uris = new Map(FUNCTIONS.map((name) => [name, uriOf(name)]));
  const expected = readDeployment(
    join(ROOT, 'terraform'),
    { project_id: PROJECT },
    { projectNumber: NUMBER, uris, checksums: CHECKSUMS },
  );
  return new Map<string, Json>([
    [
      `cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}`,
      { name: `projects/${NUMBER}`, projectId: PROJECT, state: 'ACTIVE' },
    ],
    ...servicesOf(expected),
    ...identitiesOf(expected),
    ...policiesOf(expected),
    ...messagingOf(expected),
    ...databaseOf(expected),
    ...functionsOf(expected),
    ...metricsOf(expected),
  ]);
}

type Answers = readonly (readonly [address: string, answer: Json])[];

function servicesOf(expected: Module): Answers {
  const services = expected.resources('google_project_service').map(({ service }) => ({
    name: `projects/${NUMBER}/services/${toText(service)}`,
    config: { name: service },
    state: 'ENABLED',
  }));
  return [[`serviceusage.googleapis.com/v1/projects/${PROJECT}/services?state:ENABLED`, { services }]];
}

function identitiesOf(expected: Module): Answers {
  const accounts = expected.resources('google_service_account').map(({ name, email }) => ({ name, email }));
  const roles = expected
    .resources('google_project_iam_custom_role')
    .map(
      ({ id, title, permissions }) =>
        [
          `iam.googleapis.com/v1/${toText(id)}`,
          { name: id, title, includedPermissions: permissions, stage: 'GA' },
        ] as const,
    );
  return [[`iam.googleapis.com/v1/projects/${PROJECT}/serviceAccounts`, { accounts }], ...roles];
}

/** Where the policy of a grant is, in words of its own: the doctor has another table. */
const POLICIES: Readonly<Record<string, (grant: Values) => string>> = {
  google_project_iam_member: () => `cloudresourcemanager.googleapis.com/v3/projects/${PROJECT}:getIamPolicy`,
  google_pubsub_topic_iam_member: ({ topic }) =>
    `pubsub.googleapis.com/v1/projects/${PROJECT}/topics/${toText(topic)}:getIamPolicy`,
  google_pubsub_subscription_iam_member: ({ subscription }) =>
    `pubsub.googleapis.com/v1/projects/${PROJECT}/subscriptions/${toText(subscription)}:getIamPolicy`,
  google_service_account_iam_member: ({ service_account_id: id }) =>
    `iam.googleapis.com/v1/projects/${PROJECT}/serviceAccounts/${lastOf(id)}:getIamPolicy`,
  google_storage_bucket_iam_member: ({ bucket }) => `storage.googleapis.com/storage/v1/b/${toText(bucket)}/iam`,
  google_artifact_registry_repository_iam_member: () =>
    `artifactregistry.googleapis.com/v1/projects/${PROJECT}/locations/${REGION}/repositories/functions:getIamPolicy`,
  google_cloud_run_v2_service_iam_member: ({ name }) =>
    `run.googleapis.com/v2/projects/${PROJECT}/locations/${REGION}/services/${toText(name)}:getIamPolicy`,
};

function policiesOf(expected: Module): Answers {
  const policies = new Map<string, Json[]>();
  for (const [type, addressOf] of Object.entries(POLICIES)) {
    for (const grant of expected.resources(type)) {
      const condition = blockOf(grant.condition);
      const binding = { role: grant.role, members: [grant.member], ...(condition.expression && { condition }) };
      const address = addressOf(grant);
      policies.set(address, [...(policies.get(address) ?? []), binding]);
    }
  }
  const people = { role: 'roles/owner', members: ['user:owner@example.com'] };
  return [...policies].map(([address, bindings]) => [address, { version: 3, bindings: [...bindings, people] }]);
}

function messagingOf(expected: Module): Answers {
  const topics = expected
    .resources('google_pubsub_topic')
    .map(({ id }) => [`pubsub.googleapis.com/v1/${toText(id)}`, { name: id }] as const);
  const subscriptions = expected.resources('google_pubsub_subscription').map((values) => {
    const [retry, deadLetters, push] = ['retry_policy', 'dead_letter_policy', 'push_config'].map((name) =>
      blockOf(values[name]),
    );
    const token = blockOf(push!.oidc_token);
    const name = `projects/${PROJECT}/subscriptions/${toText(values.name)}`;
    return [
      `pubsub.googleapis.com/v1/${name}`,
      {
        name,
        topic: values.topic,
        ackDeadlineSeconds: values.ack_deadline_seconds,
        messageRetentionDuration: values.message_retention_duration,
        expirationPolicy: {},
        state: 'ACTIVE',
        pushConfig: {},
        ...(push!.push_endpoint && {
          retryPolicy: { minimumBackoff: retry!.minimum_backoff, maximumBackoff: retry!.maximum_backoff },
          deadLetterPolicy: {
            deadLetterTopic: deadLetters!.dead_letter_topic,
            maxDeliveryAttempts: deadLetters!.max_delivery_attempts,
          },
          pushConfig: {
            pushEndpoint: push!.push_endpoint,
            oidcToken: { serviceAccountEmail: token.service_account_email, audience: token.audience },
          },
        }),
      },
    ] as const;
  });
  const jobs = expected.resources('google_cloud_scheduler_job').map((values) => {
    const { topic_name: topicName, data } = blockOf(values.pubsub_target);
    const name = `projects/${PROJECT}/locations/${REGION}/jobs/${toText(values.name)}`;
    const job = {
      name,
      schedule: values.schedule,
      timeZone: values.time_zone,
      state: 'ENABLED',
      pubsubTarget: { topicName, data },
    };
    return [`cloudscheduler.googleapis.com/v1/${name}`, job] as const;
  });
  const all = [
    `cloudscheduler.googleapis.com/v1/projects/${PROJECT}/locations/${REGION}/jobs`,
    { jobs: jobs.map(([, job]) => job) },
  ] as const;
  return [...topics, ...subscriptions, ...jobs, all];
}

function databaseOf(expected: Module): Answers {
  const address = `firestore.googleapis.com/v1/${DATABASE}`;
  const groups = `${DATABASE}/collectionGroups`;
  const indexes = expected.resources('google_firestore_index').map(({ collection, fields }, id) => ({
    name: `${groups}/${toText(collection)}/indexes/CICAgOi${id}`,
    queryScope: 'COLLECTION',
    fields: (fields as readonly Values[]).map(({ field_path: fieldPath, order }) => ({ fieldPath, order })),
    state: 'READY',
  }));
  const fields = expected.resources('google_firestore_field').map((values) => ({
    name: `${groups}/${toText(values.collection)}/fields/${toText(values.field)}`,
    indexConfig: {
      indexes: ((blockOf(values.index_config).indexes ?? []) as readonly Values[]).map(
        ({ order, query_scope: queryScope }) => ({
          queryScope,
          fields: [{ fieldPath: values.field, order }],
          state: 'READY',
        }),
      ),
    },
    ...(values.ttl_config && { ttlConfig: { state: 'ACTIVE' } }),
  }));
  return [
    [
      address,
      {
        name: DATABASE,
        locationId: REGION,
        type: 'FIRESTORE_NATIVE',
        pointInTimeRecoveryEnablement: 'POINT_IN_TIME_RECOVERY_ENABLED',
        deleteProtectionState: 'DELETE_PROTECTION_ENABLED',
      },
    ],
    [
      `${address}/backupSchedules`,
      {
        backupSchedules: [
          { retention: '604800s', dailyRecurrence: {} },
          { retention: '8467200s', weeklyRecurrence: { day: 'SUNDAY' } },
        ],
      },
    ],
    [`${address}/collectionGroups/-/indexes`, { indexes }],
    [`${address}/collectionGroups/-/fields?indexConfig.usesAncestorConfig:false`, { fields }],
    [`${address}/collectionGroups/-/fields?ttlConfig:*`, { fields: fields.filter(({ ttlConfig }) => ttlConfig) }],
  ];
}

function functionsOf(expected: Module): Answers {
  const functions = expected.resources('google_cloudfunctions2_function').map((values) => {
    const [build, service] = [blockOf(values.build_config), blockOf(values.service_config)];
    return {
      name: `projects/${PROJECT}/locations/${REGION}/functions/${toText(values.name)}`,
      state: 'ACTIVE',
      environment: 'GEN_2',
      buildConfig: {
        runtime: build.runtime,
        entryPoint: build.entry_point,
        source: {
          storageSource: {
            bucket: `${PROJECT}-function-sources`,
            object: `${toText(values.name)}/${CHECKSUMS.get(toText(values.name))}.zip`,
          },
        },
      },
      serviceConfig: {
        uri: uriOf(toText(values.name)),
        serviceAccountEmail: `fn-${toText(values.name)}@${PROJECT}.iam.gserviceaccount.com`,
        ingressSettings: service.ingress_settings,
        availableMemory: service.available_memory,
        availableCpu: service.available_cpu,
        maxInstanceRequestConcurrency: service.max_instance_request_concurrency,
        timeoutSeconds: service.timeout_seconds,
        ...(service.min_instance_count !== 0 && { minInstanceCount: service.min_instance_count }),
        maxInstanceCount: service.max_instance_count,
        environmentVariables: service.environment_variables,
        allTrafficOnLatestRevision: true,
      },
    };
  });
  const services = FUNCTIONS.map((name) => {
    const service = `projects/${PROJECT}/locations/${REGION}/services/${name}`;
    const traffic = [{ type: 'TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST', percent: 100 }];
    return [`run.googleapis.com/v2/${service}`, { name: service, traffic }] as const;
  });
  return [[`cloudfunctions.googleapis.com/v2/projects/${PROJECT}/locations/-/functions`, { functions }], ...services];
}

export const METRICS = {
  waiting: metric('pubsub.googleapis.com/subscription/num_undelivered_messages', 'pubsub_subscription'),
  age: metric('pubsub.googleapis.com/subscription/oldest_unacked_message_age', 'pubsub_subscription'),
  jobs: `${metric('serviceruntime.googleapis.com/quota/limit', 'consumer_quota')} AND metric.labels.quota_metric="cloudscheduler.googleapis.com/jobs"`,
  cpus: `${metric('serviceruntime.googleapis.com/quota/limit', 'consumer_quota')} AND metric.labels.limit_name="CpuAllocPerProjectRegion"`,
};

function metric(type: string, resource: string): string {
  return `monitoring.googleapis.com/v3/projects/${PROJECT}/timeSeries?metric.type="${type}" AND resource.type="${resource}"`;
}

/** A series whose newest point has this value. */
export function series(labels: Json, value: number): Json {
  const point = (int64Value: number) => ({ value: { int64Value: String(int64Value) } });
  return { resource: { type: 'any', labels }, points: [point(value), point(value + 1_000)] };
}

function metricsOf(expected: Module): Answers {
  const subscriptions = expected.resources('google_pubsub_subscription').map(({ name }) => name);
  const idle = subscriptions.map((subscription_id) => series({ subscription_id }, 0));
  return [
    [METRICS.waiting, { timeSeries: idle }],
    [METRICS.age, { timeSeries: idle }],
    [METRICS.jobs, { timeSeries: [series({ location: REGION }, 5_000)] }],
    [METRICS.cpus, { timeSeries: [series({ location: REGION }, 200_000)] }],
  ];
}
