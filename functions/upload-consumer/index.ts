import { http } from '@google-cloud/functions-framework';
import { readConfig } from '../../shared/config';
import { createPushHandler } from '../../shared/endpoint/push-handler';
import { createRuntime } from '../../shared/runtime';
import { createUploadConsumer } from './consume-upload';

const config = readConfig();
const { topics } = config;
const runtime = createRuntime(config);
const consume = createUploadConsumer({ ...runtime, uploadsTopic: topics.uploads, transfersTopic: topics.transfers });
http(
  'upload-consumer',
  createPushHandler('upload-consumer', consume, { ...runtime, deadLettersTopic: topics.deadLetters }),
);
