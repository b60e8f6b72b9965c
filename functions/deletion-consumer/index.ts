import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../../shared/config';
import { createPushHandler } from '../../shared/endpoint/push-handler';
import { createRuntime } from '../../shared/runtime';
import { createDeletionConsumer } from './consume-deletion';

const config = readConfig();
const runtime = createRuntime(config);
const consume = createDeletionConsumer({ ...runtime, deletionsTopic: config.topics.deletions });
http(
  'deletion-consumer',
  createPushHandler('deletion-consumer', consume, { ...runtime, deadLettersTopic: config.topics.deadLetters }),
);
