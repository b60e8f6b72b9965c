import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../../shared/config';
import { createPushHandler } from '../../shared/events/push-handler';
import { createRuntime } from '../../shared/runtime';
import { createDeletionConsumer } from './consume-deletion';

const { topics } = readConfig();
const runtime = createRuntime(readConfig());
const consume = createDeletionConsumer({ ...runtime, deletionsTopic: topics.deletions });
http(
  'deletion-consumer',
  createPushHandler('deletion-consumer', consume, { ...runtime, deadLettersTopic: topics.deadLetters }),
);
