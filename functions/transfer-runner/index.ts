import { http } from '@google-cloud/functions-framework';
import { CloudObjectStorage } from '../../shared/adapters/storage/cloud-object-storage';
import { readConfig } from '../../shared/config';
import { FILES_HEAP_GROWTH_PERCENT } from '../../shared/limits/platform';
import { createPushHandler } from '../../shared/endpoint/push-handler';
import { setHeapGrowth } from '../../shared/platform/heap';
import { createRuntime } from '../../shared/runtime';
import { createTransferRunner } from './run-transfer-step';

setHeapGrowth(FILES_HEAP_GROWTH_PERCENT);
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
