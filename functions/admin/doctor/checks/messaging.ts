/** Topics, subscriptions, and the jobs of the service itself. */
import type { Check } from '../subject';
import { blockOf, fieldOf, lastOf } from '../subject';
import { toText } from '../terraform/functions';

const HOST = 'pubsub.googleapis.com';

/** After which a subscription without a policy of its own expires: Pub/Sub's default. */
const DEFAULT_EXPIRY = '2678400s';

export const checkTopics: Check = async ({ expected, google, apply }, area) => {
  const topics = expected.resources('google_pubsub_topic');
  for (const { id, name } of topics) {
    const topic = await area.look('the topics', () =>
      google.find({ host: HOST, path: `v1/${toText(id)}`, permission: 'pubsub.topics.get' }),
    );
    if (topic === undefined) area.wrong(`The topic ${toText(name)} does not exist.`, apply);
  }
  return `All ${topics.length} topics exist.`;
};

export const checkSubscriptions: Check = async ({ project, expected, google, apply }, area) => {
  const subscriptions = expected.resources('google_pubsub_subscription');
  for (const values of subscriptions) {
    const subject = `The subscription ${toText(values.name)}`;
    const found = await area.look('the subscriptions', () =>
      google.find({
        host: HOST,
        path: `v1/projects/${project}/subscriptions/${toText(values.name)}`,
        permission: 'pubsub.subscriptions.get',
      }),
    );
    if (found === undefined) area.wrong(`${subject} does not exist: its messages are lost.`, apply);
    if (!found) continue;
    const [retry, deadLetters] = [blockOf(values.retry_policy), blockOf(values.dead_letter_policy)];
    const push = blockOf(values.push_config);
    const token = blockOf(push.oidc_token);
    const expiry = found.expirationPolicy === undefined ? DEFAULT_EXPIRY : fieldOf(found, 'expirationPolicy.ttl');
    const settings = [
      ['topic', values.topic, found.topic],
      ['ack_deadline_seconds', values.ack_deadline_seconds, found.ackDeadlineSeconds],
      ['message_retention_duration', values.message_retention_duration, found.messageRetentionDuration],
      ['filter', values.filter, found.filter],
      ['expiration_policy.ttl', blockOf(values.expiration_policy).ttl, expiry],
      ['retry_policy.minimum_backoff', retry.minimum_backoff, fieldOf(found, 'retryPolicy.minimumBackoff')],
      ['retry_policy.maximum_backoff', retry.maximum_backoff, fieldOf(found, 'retryPolicy.maximumBackoff')],
      ['dead_letter_topic', deadLetters.dead_letter_topic, fieldOf(found, 'deadLetterPolicy.deadLetterTopic')],
      [
        'max_delivery_attempts',
        deadLetters.max_delivery_attempts,
        fieldOf(found, 'deadLetterPolicy.maxDeliveryAttempts'),
      ],
      ['push_endpoint', push.push_endpoint, fieldOf(found, 'pushConfig.pushEndpoint')],
      [
        'the identity of pushes',
        token.service_account_email,
        fieldOf(found, 'pushConfig.oidcToken.serviceAccountEmail'),
      ],
      ['the audience of pushes', token.audience, fieldOf(found, 'pushConfig.oidcToken.audience')],
    ] as const;
    area.compare(subject, settings, apply);
    if (found.detached === true) {
      area.wrong(
        `${subject} is detached: it gets no messages.`,
        `gcloud pubsub subscriptions delete ${toText(values.name)} --project ${project}, then ${apply}`,
      );
    }
  }
  return `All ${subscriptions.length} subscriptions are as Terraform has them.`;
};

export const checkJobs: Check = async ({ project, expected, google, apply }, area) => {
  const jobs = expected.resources('google_cloud_scheduler_job');
  for (const values of jobs) {
    const [name, region] = [toText(values.name), toText(values.region)];
    const subject = `The job ${name}`;
    const found = await area.look('the jobs of the service', () =>
      google.find({
        host: 'cloudscheduler.googleapis.com',
        path: `v1/projects/${project}/locations/${region}/jobs/${name}`,
        permission: 'cloudscheduler.jobs.get',
      }),
    );
    if (found === undefined) area.wrong(`${subject} does not exist in ${region}.`, apply);
    if (!found) continue;
    area.compare(
      subject,
      [
        ['schedule', values.schedule, found.schedule],
        ['time_zone', values.time_zone, found.timeZone],
        ['topic_name', blockOf(values.pubsub_target).topic_name, fieldOf(found, 'pubsubTarget.topicName')],
        ['data', blockOf(values.pubsub_target).data, fieldOf(found, 'pubsubTarget.data')],
      ],
      apply,
    );
    if (found.state !== 'ENABLED') {
      area.wrong(
        `${subject} is ${String(found.state).toLowerCase()}: it does not run.`,
        `gcloud scheduler jobs resume ${name} --location ${region} --project ${project}`,
      );
    } else if (Number(fieldOf(found, 'status.code') ?? 0) > 0) {
      const topic = lastOf(blockOf(values.pubsub_target).topic_name);
      area.wrong(
        `${subject} failed when it ran last (code ${String(fieldOf(found, 'status.code'))}).`,
        `look at the topic ${topic} and the roles on it; gcloud scheduler jobs describe ${name} --location ${region} --project ${project}`,
      );
    }
  }
  return `The service’s own jobs run: ${jobs.map(({ name }) => toText(name)).join(', ')}.`;
};
