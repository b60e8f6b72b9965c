import { http } from '@google-cloud/functions-framework';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import { readConfig } from '../../shared/config';
import { createPushHandler } from '../../shared/events/push-handler';
import { createRuntime } from '../../shared/runtime';
import { keepHeapSteady } from '../../shared/steady-heap';
import { createTransferRunner } from './run-transfer-step';

keepHeapSteady();
const config = readConfig();
const { topics, reportsBucket, transfers } = config;
const runtime = createRuntime(config);
const storage = new CloudObjectStorage(config, runtime.clock);
const runner = createTransferRunner({
  ...runtime,
  ...transfers,
  storage,
  reportsBucket,
  transfersTopic: topics.transfers,
});
http(
  'transfer-runner',
  createPushHandler('transfer-runner', runner, { ...runtime, deadLettersTopic: topics.deadLetters }),
);
